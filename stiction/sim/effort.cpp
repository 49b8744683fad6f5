#include "stiction/sim/effort.hpp"

namespace stiction {

namespace {

/// Sets a member that has its default value.
template <class Options, class Member>
void prefer(Options& options, Member Options::*member, const Member& value) {
  static const Options defaults;
  if (options.*member == defaults.*member) options.*member = value;
}

void prefer_tolerances(double tolerance, StepOptions& options) {
  prefer(options.solver_options, &SolverOptions::tolerance, tolerance);
  prefer(options.solver_options.per_contact.one_contact, &OneContactOptions::tolerance, tolerance);
}

/// A small number of sweeps at most, as Bullet and ODE have it; the next step goes on from there.
/// What they leave is taken out of the positions, not out of the velocities, and steps begin with
/// mean impulses: else heaps tremble for ever, for each step would mend what the one before has
/// overdone.
void prefer_fast(StepOptions& options) {
  prefer_tolerances(1e-3, options);
  prefer(options, &StepOptions::solver, std::string("per_contact"));
  prefer(options.solver_options, &SolverOptions::max_iterations, 6);
  prefer(options.solver_options.per_contact, &PerContactOptions::rest_fraction, 0.5);
  prefer(options, &StepOptions::push_out_fraction, 1.0);
  prefer(options, &StepOptions::push_out_sweeps, 4);
  prefer(options, &StepOptions::recall_fraction, 0.1);
  prefer(options, &StepOptions::four_face_points, true);
}

}  // namespace

const StepOptions& options_with_effort(const StepOptions& options, StepOptions& room) {
  if (options.effort == Effort::exact || options.contact != ContactFamily::rigid) return options;
  room = options;
  if (options.effort == Effort::balanced) prefer_tolerances(1e-4, room);
  if (options.effort == Effort::fast) prefer_fast(room);
  return room;
}

double tolerance_of(const StepOptions& options) {
  StepOptions room;
  return options_with_effort(options, room).solver_options.tolerance;
}

}  // namespace stiction
