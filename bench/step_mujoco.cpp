/// \file
/// MuJoCo in the race of steps: every solver, friction cone and form of the Jacobian.

#include "bench/step_engine.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::vector<StepEntry> mujoco_entries() { return {}; }
}  // namespace stiction::bench

#else

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "bench/mujoco_handles.hpp"

namespace stiction::bench {

namespace {

struct Setting {
  mjtSolver solver;
  mjtCone cone;
  mjtJacobian jacobian;
  int iterations;  ///< at most; 0: MuJoCo's default of 100, which ends at its tolerance of 1e-8
};

constexpr int limited_iterations = 5;

/// The sweep: 3 solvers, 2 cones, 2 forms of the Jacobian; once as they come, once cut short.
std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const int iterations : {0, limited_iterations}) {
    for (const mjtSolver solver : {mjSOL_PGS, mjSOL_CG, mjSOL_NEWTON}) {
      for (const mjtCone cone : {mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC}) {
        for (const mjtJacobian jacobian : {mjJAC_DENSE, mjJAC_SPARSE}) {
          list.push_back({solver, cone, jacobian, iterations});
        }
      }
    }
  }
  return list;
}

std::string describe(const Setting& setting) {
  constexpr std::array solvers{"PGS", "CG", "Newton"};
  return fmt::format(
      "{} {} {}{}", solvers[static_cast<std::size_t>(setting.solver)],
      setting.cone == mjCONE_PYRAMIDAL ? "pyramidal" : "elliptic",
      setting.jacobian == mjJAC_DENSE ? "dense" : "sparse",
      setting.iterations > 0 ? fmt::format(", {} iterations", setting.iterations) : std::string{});
}

class MujocoEngine : public StepEngine {
 public:
  MujocoEngine(const StepRobot& robot, const Setting& setting) : stand_(robot.stand) {
    char error[500] = "";
    model_.reset(mj_loadXML(robot.file.c_str(), nullptr, error, sizeof(error)));
    if (!model_) throw std::runtime_error(fmt::format("MuJoCo cannot read the robot: {}", error));
    model_->opt.timestep = robot.time_step;
    model_->opt.solver = setting.solver;
    model_->opt.cone = setting.cone;
    model_->opt.jacobian = setting.jacobian;
    if (setting.iterations > 0) model_->opt.iterations = setting.iterations;
    data_.reset(mj_makeData(model_.get()));
    reset(stand_.head<3>(), Eigen::Vector3d::Zero());
  }

  void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    mj_resetData(model_.get(), data_.get());
    std::copy_n(position.data(), 3, data_->qpos);
    data_->qpos[3] = 1.0;
    std::fill_n(data_->qpos + 4, 3, 0.0);
    std::copy_n(stand_.data() + 7, leg_joint_count, data_->qpos + 7);
    std::copy_n(velocity.data(), 3, data_->qvel);
  }

  void read_legs(LegState& legs) override {
    std::copy_n(data_->qpos + 7, leg_joint_count, legs.angle.begin());
    std::copy_n(data_->qvel + 6, leg_joint_count, legs.rate.begin());
  }

  double fastest() override {
    double most = 0.0;
    for (int k = 0; k < model_->nv; ++k) most = std::max(most, std::abs(data_->qvel[k]));
    return most;
  }

  void step(const LegTorques& torques) override {
    std::copy(torques.begin(), torques.end(), data_->qfrc_applied + 6);
    mj_step(model_.get(), data_.get());
  }

  void read_state(FullState& state) override {
    state.q = stand_;
    std::copy_n(data_->qpos, 3, state.q.data());
    const Eigen::Quaterniond attitude(data_->qpos[3], data_->qpos[4], data_->qpos[5],
                                      data_->qpos[6]);
    state.q.segment<4>(3) = attitude.coeffs();
    std::copy_n(data_->qpos + 7, leg_joint_count, state.q.data() + 7);
    state.v = Eigen::Map<const Eigen::VectorXd>(data_->qvel, model_->nv);
    state.v.segment<3>(3) = attitude * Eigen::Vector3d(state.v.segment<3>(3));
  }

  [[nodiscard]] int contacts() const override { return data_->ncon; }

 private:
  Eigen::VectorXd stand_;
  MujocoModel model_;
  MujocoData data_;
};

std::unique_ptr<StepEngine> make(const StepRobot& robot, int setting) {
  return std::make_unique<MujocoEngine>(robot, settings()[static_cast<std::size_t>(setting)]);
}

}  // namespace

std::vector<StepEntry> mujoco_entries() {
  std::vector<StepEntry> entries;
  for (const Setting& setting : settings()) {
    entries.push_back({"MuJoCo", describe(setting), make, static_cast<int>(entries.size()),
                       setting.iterations == 0});
  }
  return entries;
}

}  // namespace stiction::bench

#endif
