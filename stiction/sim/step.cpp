// One step of time, stage by stage. The table of contents of the program: each line leads to a file
// of stiction/sim, and from there to one folder.

#include "stiction/sim/step.hpp"

#include "stiction/core/finite.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/assembly.hpp"
#include "stiction/sim/balance.hpp"
#include "stiction/sim/check_input.hpp"
#include "stiction/sim/free_motion.hpp"
#include "stiction/sim/momentum.hpp"
#include "stiction/sim/report.hpp"
#include "stiction/sim/solve_islands.hpp"
#include "stiction/sim/stopwatch.hpp"

namespace stiction {

namespace {

void start_step(const StepOptions& options, const StepInput& input, const State& state,
                Workspace::Memory& memory) {
  const double wish = memory.model.time_step();
  memory.h = options.time_step > 0.0 ? options.time_step : wish;
  memory.semi_implicit = options.integrator == Integrator::semi_implicit ||
                         options.integrator == Integrator::explicit_euler;
  update_kinematics<double>(memory.model, memory.data, as_span(state.q), as_span(state.v));
  collect_external_forces(input, memory);
  memory.forces.collect(memory.model, input, state, memory.h);
}

/// Moves the state on; false if numbers overflowed, and then it stays as it is.
bool finish_step(const StepOptions& options, Workspace::Memory& memory, State& state) {
  advance_free_trees(options, state, memory);
  keep_prescribed_motion(state, memory);
  integrate<double>(memory.model, as_span(state.q), memory.move, memory.h, memory.q_next);
  return all_finite(memory.q_next) && all_finite(memory.v_next);
}

void commit(Workspace::Memory& memory, State& state) {
  for (std::size_t k = 0; k < memory.v_next.size(); ++k) {
    double& v = state.v[static_cast<Eigen::Index>(k)];
    memory.result_accelerations[k] = (memory.v_next[k] - v) / memory.h;
    v = memory.v_next[k];
  }
  std::ranges::copy(memory.q_next, state.q.data());
  remember_impulses(memory, state);
  state.time += memory.h;
}

}  // namespace

void step(const Model& model, const StepOptions& options, const StepInput& input, State& state,
          Workspace& workspace, StepReport& report) {
  Workspace::Memory& memory = workspace.memory();
  start_report(report);
  if (std::string fault = fault_of_step(model, options, input, state); !fault.empty()) {
    return refuse(std::move(fault), report);
  }
  Stopwatch watch(options.timings);
  start_step(options, input, state, memory);
  accelerate_freely(state, memory);
  watch.lap(report.timings.kinematics);

  find_candidates(options, memory);
  watch.lap(report.timings.collide);

  find_constraints(options, state, memory);
  find_islands(memory);
  int momentum_pass = 0;
  do {
    set_contact_targets(options, memory);
    set_constraint_targets(options, memory);
    recall_impulses(options, state, memory);
    watch.lap(report.timings.assemble);
    solve_islands(options, state, memory);
    watch.lap(report.timings.solve);
  } while (saturate_drives(state, memory) || keep_momentum(options, state, momentum_pass, memory));

  if (!finish_step(options, memory, state)) return give_up(report);
  watch.lap(report.timings.integrate);
  if (options.balance) report.balance = balance_of(state, memory);
  commit(memory, state);
  fill_report(memory, report);
  watch.lap(report.timings.report);
}

}  // namespace stiction
