/// \file
/// The hard set of 200 contact problems: how many of each family each solver certifies, and how
/// long it takes. `--problems` writes them as FCLIB files, for other programs to try.

#include "tests/support/hard_problems.hpp"

#include <fmt/core.h>
#include <string>
#include <vector>

#include "experiments/experiment_output.hpp"
#include "experiments/progress.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  bool quick = false;
  std::filesystem::path problems;
  std::vector<std::string> solvers;
  double tolerance = 1e-8;
  double time_limit = 1.0;
};

constexpr int quick_stride = 8;  // of the problems, in a quick run
constexpr int families = test::hard_problem_count / test::hard_problems_per_family;

void write_problems(const std::filesystem::path& folder) {
  for (int i = 0; i < test::hard_problem_count; ++i) {
    const std::filesystem::path path = folder / fmt::format("hard_{:03}.hdf5", i);
    save_fclib(path, test::hard_problem(i), {.title = std::string(test::hard_problem_family(i))});
  }
  fmt::print("Wrote {} files to {}\n", test::hard_problem_count, folder.string());
}

/// One row of the table: certified by family, in all, and the time of all solves.
std::vector<std::string> measure(const std::string& name, const Arguments& arguments,
                                 Progress& progress) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  SolverOptions options;
  options.tolerance = arguments.tolerance;
  options.time_limit = arguments.time_limit;
  options.check = CheckLevel::finite;
  if (name == "convex") options.law = Law::convex;
  std::vector<int> certified(families, 0);
  double seconds = 0.0;
  std::vector<double> impulses;
  for (int i = 0; i < test::hard_problem_count; ++i) {
    if (arguments.quick && i % quick_stride != 0) continue;
    progress.show(fmt::format("{}, problem {} of {}", name, i + 1, test::hard_problem_count));
    progress.add(1.0);
    const ContactProblem problem = test::hard_problem(i);
    impulses.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
    const SolverReport report = solver->solve(problem, options, impulses);
    seconds += report.seconds;
    if (report.certified())
      ++certified[static_cast<std::size_t>(i / test::hard_problems_per_family)];
  }
  std::vector<std::string> row{name};
  int total = 0;
  for (const int count : certified) {
    row.push_back(std::to_string(count));
    total += count;
  }
  row.push_back(std::to_string(total));
  row.push_back(fmt::format("{:.2f}", seconds));
  return row;
}

int run(const Arguments& arguments, ExperimentOutput& output) {
  for (const std::string& name : arguments.solvers) {
    if (!make_solver(name)) {
      throw std::invalid_argument(fmt::format("unknown solver '{}'", name));
    }
  }
  if (!arguments.problems.empty()) {
    check_writable(arguments.problems / "hard_000.hdf5");
    write_problems(arguments.problems);
  }
  std::vector<std::string> heading{"solver"};
  for (int family = 0; family < families; ++family) {
    heading.emplace_back(test::hard_problem_family(family * test::hard_problems_per_family));
  }
  const int per_family = test::hard_problems_per_family / (arguments.quick ? quick_stride : 1);
  heading.insert(heading.end(), {fmt::format("of {}", families * per_family), "all solves [s]"});
  bench::Table table(heading);
  {
    Progress progress(static_cast<double>(arguments.solvers.size()) * families * per_family);
    for (const std::string& name : arguments.solvers) {
      table.add(measure(name, arguments, progress));
    }
  }
  output.table("certified",
               fmt::format("Certified at {:.0e}, at most {} s per problem, {} problems per family; "
                           "`convex` under its own law.",
                           arguments.tolerance, arguments.time_limit, per_family),
               table);
  return 0;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  for (const std::string_view name : stiction::solver_names()) arguments.solvers.emplace_back(name);
  stiction::bench::CommandLine line("How many problems of the hard set each solver certifies.",
                                    "hard_problems");
  line.add_flag("--quick", arguments.quick, "every eighth problem");
  line.add_option("--problems", arguments.problems, "folder for the problems as FCLIB files")
      .existing_folder();
  line.add_option("--solver", arguments.solvers, "solvers, separated by commas (default: all)")
      .separated_by(',');
  line.add_option("--tolerance", arguments.tolerance, "largest residual of a certified solution")
      .range(1e-15, 1.0);
  line.add_option("--time-limit", arguments.time_limit, "seconds per problem").range(1e-3, 1e3);
  ExperimentOutput output("hard_problems", "solvers.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
