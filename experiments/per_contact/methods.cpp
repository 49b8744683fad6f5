#include "experiments/per_contact/methods.hpp"

#include <stdexcept>

#include "experiments/per_contact/printed_per_contact.hpp"

namespace stiction::experiments {

namespace {

/// The paper's gradient in its hybrid form, to 1e-6 as its Table I.
TaskMethod paper_method() {
  TaskMethod method{.name = paper_name,
                    .label = "per_contact, printed bisection and stop",
                    .options = {},
                    .printed_stop = true};
  method.options.solver = "per_contact";
  SolverOptions& solver = method.options.solver_options;
  solver.law = Law::max_dissipation;
  solver.per_contact.relaxation = 1.0;
  solver.per_contact.relaxation_decay = 0.99;
  solver.per_contact.relaxation_floor = 0.7;
  solver.per_contact.one_contact.method = SlipMethod::bisection_printed;
  solver.per_contact.one_contact.tolerance = 1e-6;
  return method;
}

TaskMethod newton_method(Law law) {
  TaskMethod method;
  const std::string word(to_string(law));
  method.name = "per_contact_" + word;
  method.label = "per_contact, newton, " + word;
  method.options.solver = "per_contact";
  method.options.solver_options.law = law;
  return method;
}

/// Every answer counts as certified, because a step solves again what was not and pushes overlaps
/// out: the paper's PGS does not know of certificates. The printed stop does not read the
/// tolerance.
TaskMethod pgs_method(const char* name, double threshold) {
  TaskMethod method;
  method.name = name;
  method.label = std::string("pgs, printed stop ") + (name + 4);
  method.options.solver = "pgs";
  SolverOptions& solver = method.options.solver_options;
  solver.tolerance = 1.0;
  solver.pgs.relaxation = 0.6;
  solver.pgs.stop = PgsOptions::Stop::printed;
  solver.pgs.printed_threshold = threshold;
  return method;
}

}  // namespace

std::vector<TaskMethod> task_methods() {
  TaskMethod hybrid{.name = hybrid_name, .label = "hybrid (default)", .options = {}};
  TaskMethod implicit{
      .name = "implicit_complementarity", .label = "implicit_complementarity", .options = {}};
  implicit.options.solver = implicit.name;
  return {paper_method(),
          hybrid,
          newton_method(Law::max_dissipation),
          newton_method(Law::coulomb),
          pgs_method(pgs_name, 1e-6),
          pgs_method(fine_pgs_name, 1e-8),
          implicit};
}

TaskMethod task_method(const std::string& name) {
  for (TaskMethod& method : task_methods()) {
    if (method.name == name) return method;
  }
  throw std::invalid_argument("there is no method '" + name + "'");
}

Workspace workspace_for(const TaskMethod& method, const Model& model) {
  Workspace workspace(model);
  if (method.printed_stop) {
    use_solver(workspace, method.options.solver,
               std::make_unique<PrintedPerContactSolver>(paper_threshold));
  }
  return workspace;
}

}  // namespace stiction::experiments
