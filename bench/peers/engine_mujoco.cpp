/// \file
/// MuJoCo in the comparison: three solvers, two cones, contacts as soft as they come and as stiff
/// as the time step allows.

#include "bench/peers/peer.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::vector<PeerEntry> mujoco_peers() { return {}; }
}  // namespace stiction::bench

#else

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/core.h>
#include <stdexcept>

#include "bench/mujoco_handles.hpp"
#include "bench/peers/mjcf_text.hpp"

namespace stiction::bench {

namespace {

struct Setting {
  mjtSolver solver;
  mjtCone cone;
  bool stiff;
};

std::string describe(const Setting& setting) {
  constexpr std::array solvers{"PGS", "CG", "Newton"};
  return fmt::format("{} {}{}", solvers[static_cast<std::size_t>(setting.solver)],
                     setting.cone == mjCONE_PYRAMIDAL ? "pyramidal" : "elliptic",
                     setting.stiff ? " stiff" : "");
}

/// The default handlers write a file and end the program.
void silence() {
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* text) {
    throw std::runtime_error(fmt::format("MuJoCo: {}", text));
  };
}

MujocoModel load(const PeerModel& scene, const Setting& setting) {
  silence();
  char error[500] = "";
  if (!scene.mujoco_file.empty()) {
    MujocoModel model(mj_loadXML(scene.mujoco_file.c_str(), nullptr, error, sizeof(error)));
    if (!model) throw std::runtime_error(fmt::format("MuJoCo cannot read the scene: {}", error));
    // A URDF says nothing of these.
    model->opt.timestep = scene.time_step;
    std::copy_n(scene.model.gravity().data(), 3, model->opt.gravity);
    model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT;
    return model;
  }
  // The time constant of a stiff contact is twice the time step: MuJoCo makes less of it anyway.
  const std::string softness =
      setting.stiff
          ? fmt::format("solref=\"{} 1\" solimp=\"0.99 0.999 0.0001\"", 2.0 * scene.time_step)
          : "";
  // Room for contacts: MuJoCo reserves matrices that grow with its square.
  const std::vector<char> touching = touching_shapes(scene.model);
  const auto shapes = static_cast<int>(std::ranges::count(touching, char{1}));
  const std::string text = mjcf_text(scene, softness, std::max(100, 4 * shapes));
  const auto files = std::make_unique<mjVFS>();  // too large for the stack
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[files->nfile - 1], text.data(), text.size());
  MujocoModel model(mj_loadXML("scene.xml", files.get(), error, sizeof(error)));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo cannot read the scene: {}", error));
  return model;
}

Eigen::Vector3d vector(const mjtNum* v) { return {v[0], v[1], v[2]}; }

class MujocoPeer : public PeerEngine {
 public:
  MujocoPeer(const PeerModel& scene, const Setting& setting)
      : ours_(scene.model), joints_(scalar_joints(ours_)), model_(load(scene, setting)) {
    model_->opt.solver = setting.solver;
    model_->opt.cone = setting.cone;
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw std::runtime_error("MuJoCo: not enough memory");
    if (model_->nv != ours_.velocity_count()) {
      throw std::runtime_error("MuJoCo sees another number of velocities");
    }
  }

  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) override {
    mj_resetData(model_.get(), data_.get());
    std::copy_n(q.data(), q.size(), data_->qpos);
    std::copy_n(v.data(), v.size(), data_->qvel);
    for (const Joint& joint : ours_.joints()) {
      if (joint.kind != JointKind::floating) continue;
      // Theirs: w first; angular velocity in the axes of the body.
      const Eigen::Quaterniond turn(q.data() + joint.position_index + 3);
      mjtNum* quaternion = data_->qpos + joint.position_index + 3;
      quaternion[0] = turn.w();
      std::copy_n(turn.vec().data(), 3, quaternion + 1);
      const Eigen::Vector3d spin =
          turn.conjugate() * Eigen::Vector3d(v.segment<3>(joint.velocity_index + 3));
      std::copy_n(spin.data(), 3, data_->qvel + joint.velocity_index + 3);
    }
  }

  void read_joints(std::span<double> positions, std::span<double> rates) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      positions[k] = data_->qpos[joints_[k].position];
      rates[k] = data_->qvel[joints_[k].velocity];
    }
  }

  void step(std::span<const double> torques) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      data_->qfrc_applied[joints_[k].velocity] = torques[k];
    }
    mj_step(model_.get(), data_.get());
  }

  void read(PeerState& state) override {
    state.q = Eigen::Map<const Eigen::VectorXd>(data_->qpos, model_->nq);
    state.v = Eigen::Map<const Eigen::VectorXd>(data_->qvel, model_->nv);
    state.bodies.clear();
    for (const Joint& joint : ours_.joints()) {
      if (joint.kind != JointKind::floating) continue;
      const mjtNum* q = data_->qpos + joint.position_index + 3;
      const Eigen::Quaterniond turn(q[0], q[1], q[2], q[3]);
      state.q.segment<4>(joint.position_index + 3) = turn.coeffs();
      state.v.segment<3>(joint.velocity_index + 3) =
          turn * Eigen::Vector3d(state.v.segment<3>(joint.velocity_index + 3));
    }
  }

  [[nodiscard]] int contacts() const override { return data_->ncon; }

  void read_contacts(std::vector<PeerContact>& contacts) override {
    contacts.clear();
    for (int k = 0; k < data_->ncon; ++k) {
      const mjContact& from = data_->contact[k];
      mjtNum force[6];
      mj_contactForce(model_.get(), data_.get(), k, force);
      Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
      for (int axis = 0; axis < 3; ++axis) impulse += force[axis] * vector(from.frame + 3 * axis);
      contacts.push_back({model_->geom_bodyid[from.geom1] - 1, model_->geom_bodyid[from.geom2] - 1,
                          vector(from.pos), vector(from.frame), model_->opt.timestep * impulse,
                          from.dist});
    }
  }

  /// MuJoCo starts anew by itself when numbers grow beyond all bounds, and counts that.
  [[nodiscard]] bool healthy() const override {
    for (const mjtWarning warning :
         {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL}) {
      if (data_->warning[warning].number > 0) return false;
    }
    return true;
  }

 private:
  Model ours_;
  std::vector<ScalarJoint> joints_;
  MujocoModel model_;
  MujocoData data_;
};

}  // namespace

std::vector<PeerEntry> mujoco_peers() {
  std::vector<PeerEntry> entries;
  for (const bool stiff : {false, true}) {
    for (const mjtSolver solver : {mjSOL_PGS, mjSOL_CG, mjSOL_NEWTON}) {
      for (const mjtCone cone : {mjCONE_PYRAMIDAL, mjCONE_ELLIPTIC}) {
        const Setting setting{solver, cone, stiff};
        entries.push_back({"MuJoCo", describe(setting), [setting](const PeerModel& scene) {
                             return std::make_unique<MujocoPeer>(scene, setting);
                           }});
      }
    }
  }
  return entries;
}

}  // namespace stiction::bench

#endif
