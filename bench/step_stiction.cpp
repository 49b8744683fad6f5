#include "bench/step_stiction.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <stdexcept>

namespace stiction::bench {

namespace {

constexpr int base_positions = 7;
constexpr int base_velocities = 6;

StepOptions race_options(double time_step) {
  StepOptions options;
  options.time_step = time_step;
  options.solver = "hybrid";
  options.solver_options.law = Law::coulomb;
  options.solver_options.tolerance = 1e-8;
  return options;
}

}  // namespace

StictionEngine::StictionEngine(const StepRobot& robot)
    : model_(robot.model),
      stand_(robot.stand),
      options_(race_options(robot.time_step)),
      state_(model_.initial_state()),
      workspace_(model_),
      forces_(static_cast<std::size_t>(model_.velocity_count())) {
  reset(stand_.head<3>(), Eigen::Vector3d::Zero());
}

void StictionEngine::reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) {
  state_.time = 0.0;
  state_.q = stand_;
  state_.q.head<3>() = position;
  state_.v.setZero();
  state_.v.head<3>() = velocity;
  state_.memory.clear();
}

void StictionEngine::read_legs(LegState& legs) {
  std::copy_n(state_.q.data() + base_positions, leg_joint_count, legs.angle.begin());
  std::copy_n(state_.v.data() + base_velocities, leg_joint_count, legs.rate.begin());
}

double StictionEngine::fastest() { return state_.v.cwiseAbs().maxCoeff(); }

void StictionEngine::step(const LegTorques& torques) {
  std::copy(torques.begin(), torques.end(), forces_.begin() + base_velocities);
  StepInput input;
  input.joint_forces = forces_;
  stiction::step(model_, options_, input, state_, workspace_, report_);
  if (report_.status == StepStatus::refused || report_.status == StepStatus::diverged) {
    throw std::runtime_error(fmt::format("a step of Stiction failed: {}", report_.message));
  }
}

void StictionEngine::read_state(FullState& state) {
  state.q = state_.q;
  state.v = state_.v;
}

int StictionEngine::contacts() const { return static_cast<int>(report_.contacts.size()); }

std::vector<StepEntry> stiction_entries() {
  return {{"Stiction", "hybrid, certified at 1e-8",
           [](const StepRobot& robot, int) -> std::unique_ptr<StepEngine> {
             return std::make_unique<StictionEngine>(robot);
           }}};
}

}  // namespace stiction::bench
