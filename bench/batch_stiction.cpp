#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "bench/batch_contestant.hpp"
#include "stiction/batch/batch.hpp"
#include "stiction/core/index.hpp"

namespace stiction::bench {

namespace {

constexpr std::size_t base_positions = 7;
constexpr std::size_t base_velocities = 6;

State thrown_state(const StepRobot& robot, const Eigen::Vector3d& position,
                   const Eigen::Vector3d& velocity) {
  State state = robot.model.initial_state();
  state.q = robot.stand;
  state.q.head<3>() = position;
  state.v.setZero();
  state.v.head<3>() = velocity;
  return state;
}

class BatchRobots : public BatchContestant {
 public:
  BatchRobots(const StepRobot& robot, int count, int threads)
      : robot_(robot),
        name_(fmt::format("Stiction, batch, {} thread{}", threads, threads == 1 ? "" : "s")),
        batch_(robot.model, count, {.time_step = robot.time_step}, threads) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_legs(int robot, LegState& legs) override {
    std::copy_n(batch_.positions(robot).begin() + base_positions, leg_joint_count,
                legs.angle.begin());
    std::copy_n(batch_.velocities(robot).begin() + base_velocities, leg_joint_count,
                legs.rate.begin());
  }
  void set_torques(int robot, const LegTorques& torques) override {
    std::ranges::copy(torques, batch_.joint_forces(robot).begin() + base_velocities);
  }
  void reset(int robot, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    batch_.set_state(robot, thrown_state(robot_, position, velocity));
  }
  void step() override { batch_.step(); }
  [[nodiscard]] double certified() const override {
    const RunCounts counts = batch_.counts();
    return 1.0 - static_cast<double>(counts.not_certified + counts.refused) /
                     static_cast<double>(std::max<long long>(1, counts.steps));
  }
  [[nodiscard]] double deepest() const override { return batch_.counts().deepest_overlap; }

 private:
  const StepRobot& robot_;
  std::string name_;
  Batch batch_;
};

class LoopRobots : public BatchContestant {
 public:
  LoopRobots(const StepRobot& robot, int count)
      : robot_(robot), workspace_(robot.model), options_{.time_step = robot.time_step} {
    states_.assign(index(count), robot.model.initial_state());
    forces_.assign(index(count), std::vector<double>(index(robot.model.velocity_count())));
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_legs(int robot, LegState& legs) override {
    const State& state = states_[index(robot)];
    std::copy_n(state.q.data() + base_positions, leg_joint_count, legs.angle.begin());
    std::copy_n(state.v.data() + base_velocities, leg_joint_count, legs.rate.begin());
  }
  void set_torques(int robot, const LegTorques& torques) override {
    std::ranges::copy(torques, forces_[index(robot)].begin() + base_velocities);
  }
  void reset(int robot, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    states_[index(robot)] = thrown_state(robot_, position, velocity);
  }
  void step() override {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      StepInput input;
      input.joint_forces = forces_[i];
      stiction::step(robot_.model, options_, input, states_[i], workspace_, report_);
      ++steps_;
      uncertified_ += report_.ok() ? 0 : 1;
      deepest_ = std::max(deepest_, report_.deepest_overlap);
    }
  }
  [[nodiscard]] double certified() const override {
    return 1.0 - static_cast<double>(uncertified_) / static_cast<double>(steps_);
  }
  [[nodiscard]] double deepest() const override { return deepest_; }

 private:
  const StepRobot& robot_;
  std::string name_ = "Stiction, one after another";
  Workspace workspace_;
  StepOptions options_;
  StepReport report_;
  std::vector<State> states_;
  std::vector<std::vector<double>> forces_;
  long long steps_ = 0;
  long long uncertified_ = 0;
  double deepest_ = 0.0;
};

}  // namespace

std::unique_ptr<BatchContestant> make_stiction_batch(const StepRobot& robot, int count,
                                                     int threads) {
  return std::make_unique<BatchRobots>(robot, count, threads);
}

std::unique_ptr<BatchContestant> make_stiction_loop(const StepRobot& robot, int count) {
  return std::make_unique<LoopRobots>(robot, count);
}

}  // namespace stiction::bench
