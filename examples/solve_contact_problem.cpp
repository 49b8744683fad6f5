// Builds a contact problem by hand and gives it to every solver: one step of 1 ms of a 3 kg board
// on two feet, pushed so that the feet slide in different directions.

#include <Eigen/Core>
#include <cstdio>
#include <memory>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/solver.hpp"

namespace {

using stiction::ContactProblem;

/// Maps the velocity of a body (linear, angular about its centre) to rows t1, t2, n at a point.
ContactProblem::Jacobian point_jacobian(const Eigen::Vector3d& r) {
  ContactProblem::Jacobian jacobian(3, 6);
  jacobian << 1.0, 0.0, 0.0, 0.0, r.z(), -r.y(),  //
      0.0, 1.0, 0.0, -r.z(), 0.0, r.x(),          //
      0.0, 0.0, 1.0, r.y(), -r.x(), 0.0;
  return jacobian;
}

ContactProblem board_on_two_feet() {
  const double time_step = 1e-3, gravity = 9.81, mass = 3.0, friction = 0.6;
  const Eigen::Vector3d feet[] = {{0.5, 0.0, -0.1}, {-0.5, 0.0, -0.1}};

  // 1. The blocks: two contacts, each 1 µm above the floor. Their targets let them close
  //    by no more than that in this step.
  ContactProblem problem;
  for (int i = 0; i < 2; ++i) problem.add_contact(friction, -1e-6 / time_step);

  // 2. The matrix, here through one free body. A robot fills use_dense() with J M⁻¹ Jᵀ instead.
  problem.use_bodies(1);
  ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Zero();
  inverse_mass.diagonal() << 1.0 / mass, 1.0 / mass, 1.0 / mass, 1.0 / 0.05, 1.0 / 0.25, 1.0 / 0.25;
  problem.set_inverse_mass(0, inverse_mass);

  // 3. The velocities that the feet would have at the end of the step without contact.
  Eigen::Matrix<double, 6, 1> free_motion;
  free_motion << 0.2, 0.1, -gravity * time_step, 0.0, 0.0, 0.5;
  for (int i = 0; i < 2; ++i) {
    const ContactProblem::Jacobian jacobian = point_jacobian(feet[i]);
    problem.couple(i, 0, jacobian);
    problem.edit_free_velocity().segment<3>(3 * i) = jacobian * free_motion;
  }

  // 4. Derive everything else that the solvers need from these numbers.
  problem.prepare();
  return problem;
}

}  // namespace

int main() {
  const ContactProblem problem = board_on_two_feet();
  std::printf("%-26s %-12s %-12s %5s %8s  %-8s  normal impulses [mN·s]\n", "solver", "law",
              "status", "iter.", "us", "residual");
  bool hybrid_certified = false;
  for (const std::string_view name : stiction::solver_names()) {
    const std::unique_ptr<stiction::Solver> solver = stiction::make_solver(name);
    stiction::SolverOptions options;
    // A solver that does not support Coulomb's law gets the convex law.
    if (!solver->refusal(problem, options).empty()) options.law = stiction::Law::convex;

    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
    const stiction::SolverReport report = solver->solve(problem, options, impulses);
    std::printf("%-26.*s %-12.*s %-12.*s %5d %8.1f  %-8.1e  %.4f %.4f\n",
                static_cast<int>(name.size()), name.data(),
                static_cast<int>(to_string(options.law).size()), to_string(options.law).data(),
                static_cast<int>(to_string(report.status).size()), to_string(report.status).data(),
                report.iterations, 1e6 * report.seconds, report.certificate.residual(),
                1e3 * impulses[2], 1e3 * impulses[5]);
    if (name == "hybrid") hybrid_certified = report.certified();
  }
  std::printf(
      "\nThe convex law lifts a slider off its floor; lcp replaces each cone by a pyramid.\n");
  return hybrid_certified ? 0 : 1;
}
