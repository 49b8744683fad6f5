#include "stiction/sim/implicit_springs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction {

void solve_implicit_step(const ImplicitStep& step, bool repeated, DynamicsData<double>& dynamics,
                         ImplicitParts& parts) {
  const ImplicitInput& input = step.equations;
  const std::span<const double> start{input.state.v.data(), index(input.state.v.size())};
  if (!repeated) {
    parts.velocity.assign(start.begin(), start.end());
    parts.iterations = 0;
    parts.settled = true;
  }
  find_row_states(step.hard, step.hard_impulses, parts.states);
  find_held_rows({input.model, input.layout, dynamics, input.tendons}, step.hard, step.targets,
                 parts.states, step.hard_impulses, start, input.time_step, parts.held);
  parts.report = parts.newton.solve(input, dynamics, parts.equations, parts.held, parts.velocity);
  parts.iterations += parts.report.iterations;
}

void take_motion_without_rows(const ImplicitInput& input, const ImplicitParts& parts,
                              DynamicsData<double>& dynamics, StepMotion& motion) {
  const HeldRows& held = parts.held;
  std::vector<double>& acceleration = motion.acceleration;
  std::ranges::copy(held.given, acceleration.begin());
  for (std::size_t i = 0; i < held.count(); ++i) {
    const std::span<const double> row = held.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) acceleration[k] += held.force[i] * row[k];
  }
  apply_inverse<double>(input.model, dynamics, acceleration, acceleration);
  const double h = input.time_step;
  for (std::size_t k = 0; k < acceleration.size(); ++k) {
    motion.free_velocity[k] = parts.velocity[k] - h * acceleration[k];
    acceleration[k] = (motion.free_velocity[k] - motion.velocity_before[k]) / h;
  }
  update_accelerations<double>(input.model, dynamics, acceleration);
}

bool rows_changed(const ContactSet& hard, std::span<const double> hard_impulses,
                  ImplicitParts& parts) {
  find_row_states(hard, hard_impulses, parts.next_states);
  parts.settled = parts.next_states == parts.states;
  return !parts.settled;
}

void report_newton(const ImplicitParts& parts, const ViscoelasticOptions& options,
                   StepReport& report) {
  report.iterations += parts.iterations;
  const NewtonReport& newton = parts.report;
  const bool found = newton.status == SolverStatus::certified;
  if ((found && parts.settled) || report.status != StepStatus::ok) return;
  report.status = StepStatus::not_certified;
  report.solver_status = found ? SolverStatus::stalled : newton.status;
  report.uncertified = std::max(report.uncertified, 1);
  if (found) {
    report.message =
        "implicit Euler: the limits, locks and joint friction that hold did not settle; take a "
        "shorter time step";
    return;
  }
  // Into the string as it is: its memory stays from step to step.
  fmt::format_to(std::back_inserter(report.message),
                 "implicit Euler did not converge: after {} iterations ({}) velocities changed by "
                 "{:.1e}, and the tolerance is {:.1e}; take a shorter time step",
                 parts.iterations, to_string(newton.status), newton.change,
                 options.newton_tolerance);
}

}  // namespace stiction
