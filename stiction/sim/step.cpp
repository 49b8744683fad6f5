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
#include "stiction/sim/effort.hpp"
#include "stiction/sim/integrators.hpp"
#include "stiction/sim/report.hpp"
#include "stiction/sim/solve_islands.hpp"
#include "stiction/sim/step_run.hpp"
#include "stiction/sim/viscoelastic.hpp"
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

void accelerate(const StepRun& run) {
  Workspace::Parts& w = run.w;
  accelerate_freely(run.model, w.forces, w.external.on_bodies(), w.time_step, w.dynamics, w.motion);
  steady_spins(run);
}

}  // namespace

StepRun::StepRun(const Model& the_model, const StepOptions& the_options, const StepInput& the_input,
                 const State& the_state, Workspace& workspace, StepReport& the_report)
    : model(the_model),
      options(options_with_effort(the_options, workspace.parts().options_with_effort)),
      input(the_input),
      state(the_state),
      w(workspace.parts()),
      report(the_report),
      settings(rigid_settings(the_model, options)),
      watch(the_options.timings) {}

bool begin_step(const StepRun& run) {
  Workspace::Parts& w = run.w;
  start_report(run.report);
  if (std::string fault = fault_of_step(w.model, w.layout, run.model, run.options, run.input,
                                        run.state, w.right_options);
      !fault.empty()) {
    refuse(std::move(fault), run.report);
    return false;
  }
  w.time_step = run.settings.time_step;
  w.motion.start(run.state);
  w.energy_watch.mended = false;
  return true;
}

void collect_forces(const StepRun& run) {
  Workspace::Parts& w = run.w;
  w.external.collect(run.model, run.input.forces, w.dynamics, w.time_step);
  w.tendons.update(run.model, w.dynamics, as_span(run.state.q));
  w.forces.collect(run.model, run.input, run.state, w.dynamics, w.tendons, w.time_step);
}

void steady_spins(const StepRun& run) {
  Workspace::Parts& w = run.w;
  if (run.options.integrator != Integrator::trapezoid || !w.layout.has_single_bodies) return;
  steady_fast_spins(run.model, w.layout, run.state, w.time_step, w.dynamics, w.motion);
}

bool find_touch(StepRun& run) {
  Workspace::Parts& w = run.w;
  const StepOptions& options = run.options;
  const SceneSnapshot scene{run.model, w.layout, w.dynamics, w.tendons};
  const bool touching_only = options.gap_rule == GapRule::velocity;
  find_contacts(scene, {w.time_step, options.margin, touching_only, options.four_face_points},
                w.collider, w.contacts.contacts);
  if (w.collider.overflowed()) {
    refuse(too_many_contacts(), run.report);
    return false;
  }
  if (w.forces.adhere() &&
      pull_contacts(run.model, w.contacts.contacts, w.forces, w.dynamics, w.external)) {
    accelerate(run);
  }
  run.watch.lap(run.report.timings.collide);

  find_constraints(scene, run.state, w.motion.free_velocity,
                   {w.time_step, options.margin, touching_only, w.collider.geometries()},
                   w.contacts);
  w.islands.find(w.contacts);
  recall_impulses(w.contacts, run.state, options.recall_fraction, w.recalled, w.solution.impulses);
  w.momentum.start();
  w.uncertified.clear();
  return true;
}

void find_blocks(StepRun& run) {
  Workspace::Parts& w = run.w;
  if (w.islands.count() == 0) return;
  const SceneSnapshot scene{run.model, w.layout, w.dynamics, w.tendons};
  find_block_velocities(scene, w.motion.free_velocity, w.collider.placements(), w.time_step,
                        w.contacts, w.velocities);
  find_targets(run.settings, w.contacts, w.islands, w.velocities, run.model.has_restitution(),
               w.targets);
}

IslandInput island_input(const StepRun& run, bool repeated) {
  const Workspace::Parts& w = run.w;
  return {run.settings, {run.model, w.layout, w.dynamics, w.tendons},
          w.contacts,   w.islands,
          w.velocities, w.targets,
          w.recalled,   w.motion.velocity_before,
          repeated};
}

void solve_blocks(StepRun& run, bool repeated) {
  Workspace::Parts& w = run.w;
  run.watch.lap(run.report.timings.assemble);
  if (w.islands.count() > 0) {
    solve_islands(island_input(run, repeated), run.options, w.team, w.workers, w.solution, w.motion,
                  w.uncertified, run.report.timings);
  }
  run.watch.skip();
}

void settle(StepRun& run) {
  Workspace::Parts& w = run.w;
  for (;;) {
    take_free_velocities(w.layout, w.motion);
    // Repeated from these impulses where a drive leaves its range, or to keep momentum.
    if (w.forces.saturate(w.motion.next_velocity)) {
      accelerate(run);
    } else if (!run.settings.keeps_momentum ||
               !w.momentum.shift_free_motion(run.model, w.layout, w.islands, w.targets, run.state,
                                             w.time_step, w.dynamics, w.motion)) {
      break;
    }
    count_iterations(w.islands, w.solution, run.report);
    find_blocks(run);
    solve_blocks(run, true);
  }
  fill_report(w.contacts, w.islands, w.solution, run.report);
  run.watch.lap(run.report.timings.report);
}

void evaluate(StepRun& run) {
  if (!begin_step(run)) return;
  Workspace::Parts& w = run.w;
  update_kinematics<double>(run.model, w.dynamics, as_span(run.state.q), as_span(run.state.v));
  collect_forces(run);
  if (run.has_springs()) {
    run.watch.lap(run.report.timings.kinematics);
    evaluate_springs(run.model, run.options, run.settings, run.state, w, run.report);
    run.watch.skip();
    return;
  }
  accelerate(run);
  run.watch.lap(run.report.timings.kinematics);
  if (!find_touch(run)) return;
  find_blocks(run);
  solve_blocks(run, false);
  settle(run);
}

void evaluate(const Model& model, const StepOptions& options, const StepInput& input,
              const State& state, Workspace& workspace, StepReport& report) {
  StepRun run(model, options, input, state, workspace, report);
  evaluate(run);
}

bool goes_on(StepReport& report) {
  if (report.status == StepStatus::refused) return false;
  if (report.status != StepStatus::not_certified || !stop_requested()) return true;
  refuse("the step was broken off by request_stop(); the state is as before", report);
  return false;
}

void end_rates(const StepRun& run) {
  Workspace::Parts& w = run.w;
  if (run.mends() && w.layout.has_single_bodies) {
    carry_fast_spins(run.model, w.layout, run.state, w.time_step, w.motion);
  }
  keep_prescribed_motion(w.layout, w.motion);
}

void end_step(StepRun& run, State& state) {
  Workspace::Parts& w = run.w;
  const Model& model = run.model;
  const StepOptions& options = run.options;
  StepReport& report = run.report;
  const double h = w.time_step;
  const bool springs = run.has_springs();
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
                                              run.mends()},
                                             w.motion, w.energy_watch);
    report_energy(growth.gain, growth.explosive, report);
  }
  run.watch.lap(report.timings.integrate);
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
  run.watch.lap(report.timings.report);
}

void step(const Model& model, const StepOptions& options, const StepInput& input, State& state,
          Workspace& workspace, StepReport& report) {
  StepRun run(model, options, input, state, workspace, report);
  evaluate(run);
  if (!goes_on(report)) return;
  Workspace::Parts& w = run.w;
  advance_free_trees(model, w.layout, options.integrator, state, w.forces, w.external, w.time_step,
                     w.motion, w.free_motion);
  end_rates(run);
  integrate<double>(model, as_span(state.q), w.motion.position_rate, w.time_step,
                    w.motion.next_position);
  end_step(run, state);
}

}  // namespace stiction
