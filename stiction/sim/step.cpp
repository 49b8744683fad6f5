// One step of time, stage by stage. The table of contents of the program: each line leads to a file
// of stiction/sim, touch or rigid, and from there to one folder. docs/architecture.md has the map.

#include "stiction/sim/step.hpp"

#include <algorithm>

#include "stiction/core/finite.hpp"
#include "stiction/core/stop_request.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/adhesion.hpp"
#include "stiction/sim/check_input.hpp"
#include "stiction/sim/integrators.hpp"
#include "stiction/sim/report.hpp"
#include "stiction/sim/solve_islands.hpp"
#include "stiction/sim/stopwatch.hpp"
#include "stiction/sim/viscoelastic.hpp"
#include "stiction/sim/workspace_parts.hpp"
#include "stiction/touch/find_constraints.hpp"
#include "stiction/touch/find_contacts.hpp"

namespace stiction {

namespace {

double time_step_of(const Model& model, const StepOptions& options) {
  return options.time_step > 0.0 ? options.time_step : model.time_step();
}

/// Least speed at which overlaps are pushed out by velocities, also where nothing falls [m/s].
constexpr double slow_push = 0.01;

/// What gravity takes back within a step: a body that leaves an overlap does not hop. An explicit
/// rule knows no push of positions, so there velocities do it all.
double velocity_push_speed(const Model& model, const StepOptions& options, double h) {
  if (options.integrator == Integrator::explicit_euler) return options.push_out_speed;
  return std::max(model.gravity().norm() * h, slow_push);
}

RigidSettings rigid_settings(const Model& model, const StepOptions& options) {
  const double h = time_step_of(model, options);
  const IntegratorTraits& traits = traits_of(options.integrator);
  return {.time_step = h,
          .gap_rule = options.gap_rule,
          .push_out_fraction = options.push_out_fraction,
          .push_out_speed = options.push_out_speed,
          .push_out_sweeps = options.push_out_sweeps,
          .velocity_push_speed = velocity_push_speed(model, options, h),
          .recall_fraction = options.recall_fraction,
          .lock_fraction = options.lock_fraction,
          .bounce_speed = options.restitution_threshold * model.gravity().norm() * h,
          .impacts_in_time = traits.impacts_in_time && options.gap_rule == GapRule::position,
          .free_path_bends = traits.path_bends,
          .keeps_momentum = traits.keeps_momentum,
          .solver = options.solver,
          .solver_options = options.solver_options};
}

}  // namespace

void evaluate(const Model& model, const StepOptions& options, const StepInput& input,
              const State& state, Workspace& workspace, StepReport& report) {
  Workspace::Parts& w = workspace.parts();
  start_report(report);
  if (std::string fault =
          fault_of_step(w.model, w.layout, model, options, input, state, w.right_options);
      !fault.empty()) {
    return refuse(std::move(fault), report);
  }
  const RigidSettings settings = rigid_settings(model, options);
  const double h = w.time_step = settings.time_step;
  const SceneSnapshot scene{model, w.layout, w.dynamics, w.tendons};
  Stopwatch watch(options.timings);

  w.motion.start(state);
  w.energy_watch.mended = false;
  update_kinematics<double>(model, w.dynamics, as_span(state.q), as_span(state.v));
  w.external.collect(model, input.forces, w.dynamics, h);
  w.tendons.update(model, w.dynamics, as_span(state.q));
  w.forces.collect(model, input, state, w.dynamics, w.tendons, h);
  const bool steadies = options.integrator == Integrator::trapezoid && w.layout.has_single_bodies;
  if (options.contact == ContactFamily::viscoelastic) {
    watch.lap(report.timings.kinematics);
    return evaluate_springs(model, options, settings, state, w, report);
  }
  accelerate_freely(model, w.forces, w.external.on_bodies(), h, w.dynamics, w.motion);
  if (steadies) steady_fast_spins(model, w.layout, state, h, w.dynamics, w.motion);
  watch.lap(report.timings.kinematics);

  const bool touching_only = options.gap_rule == GapRule::velocity;
  find_contacts(scene, {h, options.margin, touching_only, options.four_face_points}, w.collider,
                w.contacts.contacts);
  if (w.collider.overflowed()) return refuse(too_many_contacts(), report);
  if (w.forces.adhere() &&
      pull_contacts(model, w.contacts.contacts, w.forces, w.dynamics, w.external)) {
    accelerate_freely(model, w.forces, w.external.on_bodies(), h, w.dynamics, w.motion);
    if (steadies) steady_fast_spins(model, w.layout, state, h, w.dynamics, w.motion);
  }
  watch.lap(report.timings.collide);

  find_constraints(scene, state, w.motion.free_velocity,
                   {h, options.margin, touching_only, w.collider.geometries()}, w.contacts);
  w.islands.find(w.contacts);
  recall_impulses(w.contacts, state, options.recall_fraction, w.recalled, w.solution.impulses);
  w.momentum.start();
  w.uncertified.clear();
  for (bool repeated = false;; repeated = true) {
    if (w.islands.count() > 0) {
      find_block_velocities(scene, w.motion.free_velocity, w.collider.placements(), h, w.contacts,
                            w.velocities);
      find_targets(settings, w.contacts, w.islands, w.velocities, model.has_restitution(),
                   w.targets);
      watch.lap(report.timings.assemble);
      solve_islands({settings, scene, w.contacts, w.islands, w.velocities, w.targets, w.recalled,
                     w.motion.velocity_before, repeated},
                    options, w.team, w.workers, w.solution, w.motion, w.uncertified,
                    report.timings);
    }
    take_free_velocities(w.layout, w.motion);
    watch.skip();
    // Repeated from these impulses where a drive leaves its range, or to keep momentum.
    if (w.forces.saturate(w.motion.next_velocity)) {
      accelerate_freely(model, w.forces, w.external.on_bodies(), h, w.dynamics, w.motion);
      if (steadies) steady_fast_spins(model, w.layout, state, h, w.dynamics, w.motion);
    } else if (!settings.keeps_momentum ||
               !w.momentum.shift_free_motion(model, w.layout, w.islands, w.targets, state, h,
                                             w.dynamics, w.motion)) {
      break;
    }
    count_iterations(w.islands, w.solution, report);
  }
  fill_report(w.contacts, w.islands, w.solution, report);
  watch.lap(report.timings.report);
}

void step(const Model& model, const StepOptions& options, const StepInput& input, State& state,
          Workspace& workspace, StepReport& report) {
  evaluate(model, options, input, state, workspace, report);
  if (report.status == StepStatus::refused) return;
  if (report.status == StepStatus::not_certified && stop_requested()) {
    return refuse("the step was broken off by request_stop(); the state is as before", report);
  }
  Workspace::Parts& w = workspace.parts();
  const double h = w.time_step;
  Stopwatch watch(options.timings);

  advance_free_trees(model, w.layout, options.integrator, state, w.forces, w.external, h, w.motion,
                     w.free_motion);
  const bool springs = options.contact == ContactFamily::viscoelastic;
  const bool mends = options.integrator == Integrator::trapezoid && !springs;
  if (mends && w.layout.has_single_bodies) {
    carry_fast_spins(model, w.layout, state, h, w.motion);
  }
  keep_prescribed_motion(w.layout, w.motion);
  integrate<double>(model, as_span(state.q), w.motion.position_rate, h, w.motion.next_position);
  // The watch takes forces to act where the step begins. Implicit Euler has them at the end, which
  // takes energy out.
  if (!springs || options.viscoelastic.integrator != ContactIntegrator::implicit_euler) {
    const EnergyGrowth growth = watch_energy({{model, w.layout, w.dynamics, w.tendons},
                                              h,
                                              state,
                                              w.contacts,
                                              w.solution,
                                              w.forces,
                                              w.external,
                                              mends},
                                             w.motion, w.energy_watch);
    report_energy(growth.gain, growth.explosive, report);
  }
  watch.lap(report.timings.integrate);
  if (!all_finite(w.motion.next_position) || !all_finite(w.motion.next_velocity)) {
    return give_up(report);
  }

  if (options.balance) {
    const bool uses_start = traits_of(options.integrator).uses_start_acceleration;
    report.balance = balance_of({{model, w.layout, w.dynamics, w.tendons},
                                 h,
                                 state,
                                 w.contacts,
                                 w.islands,
                                 w.velocities,
                                 w.targets,
                                 w.solution,
                                 w.motion,
                                 w.forces,
                                 w.external,
                                 uses_start},
                                w.balance);
  }
  if (springs) {
    remember_springs(options, w, state);
  } else {
    remember_impulses(w.contacts, w.velocities, w.solution, w.recalled, state);
  }
  w.forces.advance_activation(model, options.integrator == Integrator::rk4, state.activation);
  w.motion.finish(h, state);
  if (springs) report_springs(model, options, state, w, report);
  watch.lap(report.timings.report);
}

}  // namespace stiction
