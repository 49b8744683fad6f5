#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <pybind11/stl/filesystem.h>

#include "python/source/bindings.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::python {

namespace {

/// Adds a block; ValueError if the problem refuses it.
template <class Add>
int add_block(ContactProblem& problem, const Add& add) {
  ContactProblem changed = problem;
  const int block = add(changed);
  if (block < 0) {
    const ProblemFault fault = changed.check(CheckLevel::finite);
    refuse(fmt::format("{}; {}", fault.what, fault.remedy));
  }
  problem = std::move(changed);
  return block;
}

void set_matrix(ContactProblem& problem, const Eigen::MatrixXd& delassus,
                const Eigen::VectorXd& free_velocity) {
  const Eigen::Index rows = problem.row_count();
  if (delassus.rows() != rows || delassus.cols() != rows || free_velocity.size() != rows) {
    refuse(
        fmt::format("the blocks have {} rows, but the matrix is {} × {}, and there are {} free "
                    "velocities",
                    rows, delassus.rows(), delassus.cols(), free_velocity.size()));
  }
  problem.use_dense();
  problem.edit_delassus() = delassus;
  problem.edit_free_velocity() = free_velocity;
  problem.prepare();
}

Eigen::MatrixXd matrix_of(const ContactProblem& problem) {
  Eigen::MatrixXd result;
  problem.to_dense(result);
  return result;
}

/// What solve() returns: nothing in it belongs to the solver.
struct Solution {
  std::string solver;
  std::string status;
  std::string message;
  int iterations = 0;
  double seconds = 0.0;
  int skipped_blocks = 0;
  Certificate certificate;
  Eigen::VectorXd impulses;
  Eigen::VectorXd velocities;
  std::vector<std::tuple<int, double, double>> history;
};

/// A certificate asks nothing of them but to have no impulse: this must not go unsaid.
std::string note_on_skipped(const SolverReport& report) {
  return fmt::format(
      "{} of the blocks cannot be moved by their own impulse (contacts: along the normal), so they "
      "get none; blocks close at up to {:.2g} m/s (certificate.penetration_rate)",
      report.skipped_blocks, report.certificate.penetration_rate);
}

/// On a copy of the problem: some const functions use its scratch memory, and other Python threads
/// go on meanwhile.
Solution solve(const ContactProblem& given, const std::string& name,
               const std::optional<Eigen::VectorXd>& start, const py::kwargs& keywords) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  if (solver == nullptr) {
    refuse(fmt::format("there is no solver '{}'; choose from {}", name,
                       fmt::join(solver_names(), ", ")));
  }
  SolverOptions options = solver_options_of(keywords, name);
  const ContactProblem problem = given;
  if (!problem.prepared()) refuse("the problem has no matrix; call set_matrix() first");
  Solution result;
  result.impulses = Eigen::VectorXd::Zero(problem.row_count());
  if (start) {
    assign(result.impulses, *start, "impulses");
    options.warm_start = true;
  }
  const std::span<double> impulses{result.impulses.data(),
                                   static_cast<std::size_t>(result.impulses.size())};
  SolverReport report;
  {
    const py::gil_scoped_release release;
    report = solver->solve(problem, options, impulses);
  }
  result.solver = name;
  result.status = to_string(report.status);
  result.message = report.message;
  result.iterations = report.iterations;
  result.seconds = report.seconds;
  result.skipped_blocks = report.skipped_blocks;
  if (report.skipped_blocks > 0 && result.message.empty()) {
    result.message = note_on_skipped(report);
  }
  result.certificate = report.certificate;
  for (const HistoryPoint& point : report.history) {
    result.history.emplace_back(point.iteration, point.seconds, point.residual);
  }
  result.velocities = Eigen::VectorXd::Zero(problem.row_count());
  problem.multiply(impulses, {result.velocities.data(), impulses.size()});
  result.velocities += problem.free_velocity();
  return result;
}

Certificate judge(const ContactProblem& problem, const Eigen::VectorXd& impulses,
                  const std::string& law) {
  const py::dict keywords(py::arg("law") = law);
  const SolverOptions options =
      solver_options_of(py::reinterpret_borrow<py::kwargs>(keywords), "hybrid");
  if (!problem.prepared()) refuse("the problem has no matrix; call set_matrix() first");
  if (impulses.size() != problem.row_count()) {
    refuse(fmt::format("impulses has {} entries; give {}", impulses.size(), problem.row_count()));
  }
  Judge judge;
  judge.open(problem);
  return judge.examine(options.law, {impulses.data(), static_cast<std::size_t>(impulses.size())});
}

std::vector<py::dict> blocks_of(const ContactProblem& problem) {
  std::vector<py::dict> blocks;
  for (const Block& block : problem.blocks()) {
    py::dict one;
    one["kind"] = std::string(to_string(block.kind));
    one["row"] = block.row;
    one["rows"] = block.rows;
    one["friction"] = block.friction;
    one["bound"] = block.bound;
    blocks.push_back(std::move(one));
  }
  return blocks;
}

/// The numbers that make it what it is, for pickling.
py::tuple problem_tuple(const ContactProblem& problem) {
  py::list blocks;
  for (const Block& b : problem.blocks()) {
    blocks.append(py::make_tuple(static_cast<int>(b.kind), b.rows, b.contact, b.contacts,
                                 b.friction, b.bound));
  }
  return py::make_tuple(blocks, matrix_of(problem), Eigen::VectorXd(problem.free_velocity()),
                        Eigen::VectorXd(problem.target()));
}

std::unique_ptr<ContactProblem> problem_of(const py::tuple& parts) {
  if (parts.size() != 4) refuse("this is not a pickled ContactProblem");
  auto problem = std::make_unique<ContactProblem>();
  for (const py::handle& one : parts[0].cast<py::list>()) {
    const auto [kind, rows, contact, contacts, friction, bound] =
        one.cast<std::tuple<int, int, int, int, double, double>>();
    problem->add_block({.kind = static_cast<BlockKind>(kind),
                        .row = 0,
                        .rows = rows,
                        .contact = contact,
                        .contacts = contacts,
                        .friction = friction,
                        .bound = bound});
  }
  problem->use_dense();
  const auto delassus = parts[1].cast<Eigen::MatrixXd>();
  const auto free_velocity = parts[2].cast<Eigen::VectorXd>();
  const auto target = parts[3].cast<Eigen::VectorXd>();
  const Eigen::Index size = problem->row_count();
  if (delassus.rows() != size || delassus.cols() != size || free_velocity.size() != size ||
      target.size() != size) {
    refuse("this is not a pickled ContactProblem");
  }
  problem->edit_delassus() = delassus;
  problem->edit_free_velocity() = free_velocity;
  problem->edit_target() = target;
  problem->prepare();
  return problem;
}

void add_solution(py::module_& module) {
  py::class_<Solution>(module, "Solution", "Impulses that a solver found, with their certificate.")
      .def_readonly("solver", &Solution::solver)
      .def_property_readonly("certified", [](const Solution& s) { return s.status == "certified"; })
      .def_readonly("status", &Solution::status,
                    "certified, solved, stalled, iteration limit, work limit, time limit, ray, "
                    "breakdown, unsupported or invalid problem")
      .def_readonly("message", &Solution::message,
                    "What happened and a remedy, and how many blocks were skipped.")
      .def_readonly("iterations", &Solution::iterations)
      .def_readonly("seconds", &Solution::seconds, "Wall time [s].")
      .def_readonly(
          "skipped_blocks", &Solution::skipped_blocks,
          "Blocks that their own impulse cannot move. They get none, and the certificate only "
          "asks for that; `message` says how fast they close.")
      .def_readonly("certificate", &Solution::certificate)
      .def_property_readonly(
          "impulses", [](const Solution& s) { return s.impulses; },
          "All rows; contacts t1, t2, n [N·s].")
      .def_property_readonly(
          "velocities", [](const Solution& s) { return s.velocities; },
          "delassus @ impulses + free_velocity [m/s].")
      .def_property_readonly(
          "history", [](const Solution& s) { return s.history; },
          "Iteration, seconds, residual; with keep_history=True.")
      .def("__repr__", [](const Solution& s) {
        return fmt::format("<stiction.Solution by {}: {}, residual {:.1e}, {} iterations>",
                           s.solver, s.status, s.certificate.residual(), s.iterations);
      });
}

}  // namespace

void add_problem(py::module_& module) {
  add_solution(module);
  py::class_<ContactProblem> type(
      module, "ContactProblem",
      "velocity = delassus @ impulse + free_velocity, in blocks of rows. Add the blocks, then call "
      "set_matrix(). It knows nothing of robots.");
  type.def(py::init<>());
  type.def(
          "add_contact",
          [](ContactProblem& p, double friction, double target) {
            return add_block(p, [&](ContactProblem& q) { return q.add_contact(friction, target); });
          },
          py::arg("friction"), py::arg("normal_target") = 0.0,
          "Three rows t1, t2, n. It may close no faster than its target, -gap/h [m/s]. Returns the "
          "index of the block.")
      .def(
          "add_limit",
          [](ContactProblem& p, double target) {
            return add_block(p, [&](ContactProblem& q) { return q.add_limit(target); });
          },
          py::arg("target") = 0.0, "One row: 0 <= impulse ⊥ velocity - target >= 0.")
      .def(
          "add_joint_friction",
          [](ContactProblem& p, double bound, double target) {
            return add_block(
                p, [&](ContactProblem& q) { return q.add_joint_friction(bound, target); });
          },
          py::arg("bound"), py::arg("target") = 0.0,
          "One row: |impulse| <= bound [N·s or N·m·s], against the velocity.")
      .def(
          "add_lock",
          [](ContactProblem& p, int rows) {
            return add_block(p, [&](ContactProblem& q) { return q.add_lock(rows); });
          },
          py::arg("rows"), "1 to 6 rows whose velocity becomes zero.")
      .def("set_matrix", &set_matrix, py::arg("delassus"), py::arg("free_velocity"),
           "The matrix, rows × rows, symmetric [1/kg], and the velocities without impulses [m/s].")
      .def_property_readonly("row_count", &ContactProblem::row_count)
      .def_property_readonly("block_count", &ContactProblem::block_count)
      .def_property_readonly("contact_count", &ContactProblem::contact_count)
      .def_property_readonly("blocks", &blocks_of, "One dict per block.")
      .def_property_readonly("delassus", &matrix_of, "A copy [1/kg].")
      .def_property_readonly(
          "free_velocity",
          [](const ContactProblem& p) { return Eigen::VectorXd(p.free_velocity()); },
          "A copy [m/s].")
      .def_property_readonly(
          "target", [](const ContactProblem& p) { return Eigen::VectorXd(p.target()); },
          "A copy [m/s].")
      .def("certificate", &judge, py::arg("impulses"), py::arg("law") = "coulomb",
           "How well impulses (all rows) satisfy the law, whoever found them.")
      .def(
          "check",
          [](const ContactProblem& p) {
            const ProblemFault fault = p.check(CheckLevel::full);
            return fault ? fault.what + "; " + fault.remedy : std::string();
          },
          "What no solver can handle, with a remedy; empty if nothing is wrong.")
      .def("__copy__", [](const ContactProblem& p) { return p; })
      .def(
          "__deepcopy__", [](const ContactProblem& p, const py::dict&) { return p; },
          py::arg("memo"))
      .def(py::pickle(&problem_tuple, &problem_of));

  module.def("solve", &solve, py::arg("problem"), py::arg("solver") = "hybrid",
             py::arg("impulses") = py::none(),
             "Solves a contact problem. `impulses` are where to start. Other keywords are options "
             "of the solver: law=\"coulomb\", tolerance=1e-8, max_iterations, …");
  module.def(
      "solver_names",
      [] {
        const auto names = solver_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "Of all solvers, the default first.");
  module.def(
      "load_problem", [](const std::filesystem::path& file) { return load_fclib(file); },
      py::arg("file"), "Reads a contact problem from an FCLIB file.");
  module.def(
      "save_problem",
      [](const std::filesystem::path& file, const ContactProblem& problem) {
        save_fclib(file, problem);
      },
      py::arg("file"), py::arg("problem"), "Writes the contacts of a problem as an FCLIB file.");
}

}  // namespace stiction::python
