// The stages of sim/step.cpp once more, with the kernels that robots share between them.

#include "stiction/sim/lane_step.hpp"

#include <algorithm>
#include <utility>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/limb_transfer.hpp"
#include "stiction/sim/lane_touch.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {

namespace {

/// Whether forces of the structure's actuators and tendons depend on where bodies are.
bool forces_read_bodies(const Model& structure) {
  return !structure.tendons().empty() ||
         std::ranges::any_of(structure.actuators(), [&](const Actuator& actuator) {
           return actuator.joint < 0 || velocity_size(structure.joint(actuator.joint).kind) != 1;
         });
}

/// A lane is worth filling for so many robots that need it.
constexpr int least_shared = 2;

}  // namespace

struct LaneStep::Parts {
  explicit Parts(const Model& structure)
      : robots(structure),
        dynamics(structure),
        elsewhere(structure),
        touch(structure),
        q(index(structure.position_count())),
        next_q(q.size()),
        v(index(structure.velocity_count())),
        rate(v.size()),
        tau(v.size()),
        diagonal(v.size()),
        acceleration(v.size()),
        middle(v.size()),
        external(index(structure.body_count())),
        zeros(v.size(), 0.0),
        reads_bodies(forces_read_bodies(structure)) {
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      workspaces.emplace_back(structure);
      // What is left for one robot alone is not worth filling the lanes of its limbs.
      workspaces.back().parts().dynamics = DynamicsData<double>(structure, LimbUse::one_by_one);
      middles[slot].resize(v.size());
    }
  }

  void accelerate(const LaneRuns& runs, DynamicsData<Lane>& data, std::span<Lane> result);
  void place(const LaneRuns& runs);
  void move_freely(const LaneRuns& runs);
  void solve(LaneRuns& runs, const PerLane<bool>& touching);
  void advance(const LaneRuns& runs);
  void integrate_positions(const LaneRuns& runs);

  RobotLanes robots;
  DynamicsData<Lane> dynamics;   ///< at the start of the step
  DynamicsData<Lane> elsewhere;  ///< at its middle
  LaneTouch touch;
  std::vector<Lane> q, next_q;                                     ///< one per position
  std::vector<Lane> v, rate, tau, diagonal, acceleration, middle;  ///< one per velocity
  std::vector<Force<Lane>> external;                               ///< one per body
  PerLane<std::vector<double>> middles;                            ///< v̇ at the middle
  std::vector<double> zeros;                                       ///< one per velocity
  Lane time_step = Lane(0.0);                                      ///< [s]
  bool reads_bodies = false;
  bool reads_factors = false;         ///< somebody does after the step
  std::vector<Workspace> workspaces;  ///< one per lane
};

namespace {

PerLane<DynamicsData<double>*> data_of(const LaneRuns& runs) {
  return for_lanes([&](std::size_t slot) { return &runs[slot].w.dynamics; });
}

/// One vector of the motion of each robot into lanes.
void gather_motion(const LaneRuns& runs, std::vector<double> StepMotion::*vector,
                   std::span<Lane> lanes) {
  gather_numbers(for_lanes([&](std::size_t slot) -> const double* {
                   return (runs[slot].w.motion.*vector).data();
                 }),
                 lanes);
}

void scatter_motion(std::span<const Lane> lanes, const LaneRuns& runs,
                    std::vector<double> StepMotion::*vector) {
  scatter_numbers(
      lanes, for_lanes([&](std::size_t slot) { return (runs[slot].w.motion.*vector).data(); }));
}

}  // namespace

/// v̇ of all robots by the forces of this step.
void LaneStep::Parts::accelerate(const LaneRuns& runs, DynamicsData<Lane>& data,
                                 std::span<Lane> result) {
  gather_numbers(for_lanes([&](std::size_t slot) { return runs[slot].w.forces.tau().data(); }),
                 tau);
  const bool any_diagonal = std::ranges::any_of(
      runs, [](const StepRun& run) { return !run.w.forces.diagonal().empty(); });
  if (any_diagonal) {
    gather_numbers(for_lanes([&](std::size_t slot) {
                     const std::span<const double> own = runs[slot].w.forces.diagonal();
                     return own.empty() ? zeros.data() : own.data();
                   }),
                   diagonal);
  }
  const bool any_external = std::ranges::any_of(
      runs, [](const StepRun& run) { return !run.w.external.on_bodies().empty(); });
  if (any_external) {
    const PerLane<std::span<const Force<double>>> forces =
        for_lanes([&](std::size_t slot) { return runs[slot].w.external.on_bodies(); });
    for (std::size_t i = 0; i < external.size(); ++i) {
      const Force<double> none;
      gather_records<6>(for_lanes([&](std::size_t slot) {
                          return numbers(forces[slot].empty() ? none : forces[slot][i]);
                        }),
                        numbers(external[i]));
    }
  }
  robots.factorize_and_accelerate(
      data, tau, result, any_diagonal ? std::span<const Lane>(diagonal) : std::span<const Lane>(),
      any_external ? std::span<const Force<Lane>>(external) : std::span<const Force<Lane>>());
}

/// Where the robots are at the start of the step.
void LaneStep::Parts::place(const LaneRuns& runs) {
  gather_numbers(for_lanes([&](std::size_t slot) { return runs[slot].state.q.data(); }), q);
  gather_motion(runs, &StepMotion::velocity_before, v);
  time_step = make_lane([&](std::size_t slot) { return runs[slot].w.time_step; });
  update_kinematics<Lane>(robots.structure(), dynamics, q, v);
  const bool read =
      reads_bodies || std::ranges::any_of(runs, [](const StepRun& run) {
        return !run.input.forces.empty() || ExternalForces::depend_on_state(run.model);
      });
  if (read) hand_out_kinematics(dynamics, data_of(runs));
}

/// As accelerate_freely().
void LaneStep::Parts::move_freely(const LaneRuns& runs) {
  accelerate(runs, dynamics, acceleration);
  hand_out_motion(dynamics, data_of(runs));
  scatter_motion(acceleration, runs, &StepMotion::acceleration);
  for (std::size_t k = 0; k < v.size(); ++k) rate[k] = v[k] + time_step * acceleration[k];
  scatter_motion(rate, runs, &StepMotion::free_velocity);
}

/// Robots that touch much alike together, the others one by one.
void LaneStep::Parts::solve(LaneRuns& runs, const PerLane<bool>& touching) {
  const PerLane<bool> chosen = touch.choose(runs, touching);
  bool all_chosen = true;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    all_chosen = all_chosen && (chosen[slot] || runs[slot].w.islands.count() == 0);
  }
  const StepRun& any = runs[0];
  if (reads_factors || !all_chosen || any.options.balance || any.settings.keeps_momentum) {
    hand_out_factors(dynamics, data_of(runs));
  }
  if (std::ranges::count(chosen, true) > 0) touch.solve(runs, chosen, dynamics);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    if (!touching[slot]) continue;
    if (!chosen[slot]) solve_blocks(runs[slot], false);
    settle(runs[slot]);
  }
}

/// As advance_free_trees(), with v̇ at the middle of the step for all that need it.
void LaneStep::Parts::advance(const LaneRuns& runs) {
  PerLane<bool> needs{};
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    const StepRun& run = runs[slot];
    needs[slot] =
        !ExternalForces::depend_on_state(run.model) &&
        needs_middle(run.model, run.w.layout, run.options.integrator, run.w.forces, run.w.motion);
  }
  const bool shared = std::ranges::count(needs, true) >= least_shared;
  if (shared) {
    const Lane half = Lane(0.5) * time_step;
    gather_motion(runs, &StepMotion::acceleration, acceleration);
    for (std::size_t k = 0; k < v.size(); ++k) rate[k] = v[k] + half * acceleration[k];
    integrate<Lane>(robots.structure(), q, v, half, next_q);
    update_kinematics<Lane>(robots.structure(), elsewhere, next_q, rate);
    accelerate(runs, elsewhere, middle);
    scatter_numbers(middle, for_lanes([&](std::size_t slot) { return middles[slot].data(); }));
  }
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    const StepRun& run = runs[slot];
    Workspace::Parts& w = run.w;
    advance_free_trees(
        run.model, w.layout, run.options.integrator, run.state, w.forces, w.external, w.time_step,
        w.motion, w.free_motion,
        shared && needs[slot] ? std::span<const double>(middles[slot]) : std::span<const double>());
    end_rates(run);
  }
}

void LaneStep::Parts::integrate_positions(const LaneRuns& runs) {
  gather_motion(runs, &StepMotion::position_rate, rate);
  integrate<Lane>(robots.structure(), q, rate, time_step, next_q);
  scatter_motion(next_q, runs, &StepMotion::next_position);
}

LaneStep::LaneStep(const Model& structure) : parts_(std::make_unique<Parts>(structure)) {}
LaneStep::~LaneStep() = default;
LaneStep::LaneStep(LaneStep&&) noexcept = default;

Workspace& LaneStep::workspace(std::size_t slot) { return parts_->workspaces[slot]; }

void LaneStep::keep_factors(bool wanted) { parts_->reads_factors = wanted; }

bool LaneStep::suits(const Model& structure, const StepOptions& options) {
  return lane_width > 1 && options.contact != ContactFamily::viscoelastic && !options.timings &&
         structure.body_count() > 0;
}

void LaneStep::step(const StepOptions& options, const PerLane<Robot>& robots) {
  Parts& p = *parts_;
  LaneRuns runs = for_lanes([&](std::size_t slot) {
    const Robot& robot = robots[slot];
    return StepRun(*robot.model, options, *robot.input, *robot.state, p.workspaces[slot],
                   *robot.report);
  });
  const PerLane<const Model*> models =
      for_lanes([&](std::size_t slot) { return robots[slot].model; });
  bool together = RobotLanes::go_together(models);
  for (const StepRun& run : runs) together = together && begin_step(run);
  if (!together) {
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      stiction::step(*robots[slot].model, options, *robots[slot].input, *robots[slot].state,
                     p.workspaces[slot], *robots[slot].report);
    }
    return;
  }
  p.robots.take_numbers(models);
  p.place(runs);
  for (const StepRun& run : runs) collect_forces(run);
  p.move_freely(runs);
  PerLane<bool> touching{};
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    steady_spins(runs[slot]);
    touching[slot] = find_touch(runs[slot]);
    if (touching[slot]) find_blocks(runs[slot]);
  }
  p.solve(runs, touching);
  const PerLane<bool> moves =
      for_lanes([&](std::size_t slot) { return goes_on(*robots[slot].report); });
  p.advance(runs);
  p.integrate_positions(runs);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    if (moves[slot]) end_step(runs[slot], *robots[slot].state);
  }
}

}  // namespace stiction
