#include "stiction/solver/claims.hpp"

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

std::string refusal_of_contacts(std::string_view solver, const SolverOptions& options) {
  ContactProblem problem;  // the smallest there is
  problem.add_contact(0.5);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.prepare();
  return std::string(make_solver(solver)->refusal(problem, options));
}

}  // namespace stiction
