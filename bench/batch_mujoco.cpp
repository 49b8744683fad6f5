/// \file
/// MuJoCo in the race of batches: one mjModel, one mjData per robot, shared out to threads.

#include "bench/batch_contestant.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::vector<std::string> mujoco_batch_settings() { return {}; }
std::unique_ptr<BatchContestant> make_mujoco_batch(const StepRobot&, int, int, int) {
  return nullptr;
}
}  // namespace stiction::bench

#else

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>

#include "bench/mujoco_handles.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/thread_team.hpp"

namespace stiction::bench {

namespace {

constexpr int block = 16;
/// A quadruped needs a small part of MuJoCo's default stack; with that, thousands of robots would
/// not fit into memory, and the caches would suffer.
constexpr int stack_numbers = 60'000;

struct Setting {
  mjtSolver solver;
  mjtCone cone;
  int iterations;  ///< 0: MuJoCo's default
  const char* name;
};

constexpr std::array<Setting, 6> settings{{
    {mjSOL_NEWTON, mjCONE_PYRAMIDAL, 0, "Newton pyramidal"},
    {mjSOL_CG, mjCONE_PYRAMIDAL, 0, "CG pyramidal"},
    {mjSOL_PGS, mjCONE_PYRAMIDAL, 0, "PGS pyramidal"},
    {mjSOL_NEWTON, mjCONE_ELLIPTIC, 0, "Newton elliptic"},
    {mjSOL_PGS, mjCONE_ELLIPTIC, 0, "PGS elliptic"},
    {mjSOL_PGS, mjCONE_PYRAMIDAL, 5, "PGS pyramidal, 5 iterations"},
}};

class MujocoRobots : public BatchContestant {
 public:
  MujocoRobots(const StepRobot& robot, int count, int threads, const Setting& setting)
      : stand_(robot.stand),
        threads_(threads),
        name_(fmt::format("MuJoCo, {}, {} thread{}", setting.name, threads,
                          threads == 1 ? "" : "s")) {
    char error[500] = "";
    model_.reset(mj_loadXML(robot.file.c_str(), nullptr, error, sizeof(error)));
    if (!model_) throw std::runtime_error(fmt::format("MuJoCo cannot read the robot: {}", error));
    model_->opt.timestep = robot.time_step;
    model_->opt.solver = setting.solver;
    model_->opt.cone = setting.cone;
    model_->opt.jacobian = mjJAC_DENSE;
    if (setting.iterations > 0) model_->opt.iterations = setting.iterations;
    model_->nstack = stack_numbers;
    for (int i = 0; i < count; ++i) data_.emplace_back(mj_makeData(model_.get()));
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_legs(int robot, LegState& legs) override {
    const mjData& data = *data_[index(robot)];
    std::copy_n(data.qpos + 7, leg_joint_count, legs.angle.begin());
    std::copy_n(data.qvel + 6, leg_joint_count, legs.rate.begin());
  }
  void set_torques(int robot, const LegTorques& torques) override {
    std::ranges::copy(torques, data_[index(robot)]->qfrc_applied + 6);
  }
  void reset(int robot, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    mjData* data = data_[index(robot)].get();
    mj_resetData(model_.get(), data);
    std::copy_n(position.data(), 3, data->qpos);
    data->qpos[3] = 1.0;
    std::fill_n(data->qpos + 4, 3, 0.0);
    std::copy_n(stand_.data() + 7, leg_joint_count, data->qpos + 7);
    std::copy_n(velocity.data(), 3, data->qvel);
  }
  void step() override {
    const int count = static_cast<int>(data_.size());
    auto run = [&](int task, int) {
      const int end = std::min(count, (task + 1) * block);
      for (int i = task * block; i < end; ++i) mj_step(model_.get(), data_[index(i)].get());
    };
    team_.run(threads_, (count + block - 1) / block, run);
    for (const MujocoData& data : data_) {
      for (int c = 0; c < data->ncon; ++c) deepest_ = std::max(deepest_, -data->contact[c].dist);
    }
  }
  [[nodiscard]] double certified() const override {
    return std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double deepest() const override { return deepest_; }

 private:
  Eigen::VectorXd stand_;
  int threads_;
  std::string name_;
  MujocoModel model_;
  std::vector<MujocoData> data_;
  ThreadTeam team_;
  double deepest_ = 0.0;
};

}  // namespace

std::vector<std::string> mujoco_batch_settings() {
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.emplace_back(setting.name);
  return names;
}

std::unique_ptr<BatchContestant> make_mujoco_batch(const StepRobot& robot, int count, int threads,
                                                   int setting) {
  return std::make_unique<MujocoRobots>(robot, count, threads, settings.at(index(setting)));
}

}  // namespace stiction::bench

#endif
