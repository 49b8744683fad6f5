/// \file
/// MuJoCo: the same file, contacts and constraints off.

#include "bench/partner.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::unique_ptr<Partner> make_mujoco_partner(const Robot&, const std::vector<RobotState>&) {
  return nullptr;
}
}  // namespace stiction::bench

#else

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cstring>
#include <fmt/core.h>
#include <stdexcept>

#include "bench/harness.hpp"
#include "bench/mujoco_handles.hpp"

namespace stiction::bench {

namespace {

MujocoModel load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const int size = static_cast<int>(text.size());
  if (mj_makeEmptyFileVFS(files.get(), "robot.xml", size) != 0) {
    throw std::runtime_error("MuJoCo cannot read a file of this size");
  }
  std::memcpy(files->filedata[files->nfile - 1], text.data(), text.size());
  char error[500] = "";
  MujocoModel model(mj_loadXML("robot.xml", files.get(), error, sizeof(error)));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo cannot read the robot: {}", error));
  return model;
}

/// Where a joint of ours stands in MuJoCo's arrays.
struct JointPlace {
  bool floating = false;
  int position = 0;        ///< ours
  int velocity = 0;        ///< ours
  int their_position = 0;  ///< qposadr
  int their_velocity = 0;  ///< dofadr
};

struct TheirState {
  std::vector<mjtNum> qpos;
  std::vector<mjtNum> qvel;
  std::vector<mjtNum> force;
};

class MujocoPartner : public Partner {
 public:
  MujocoPartner(const Robot& robot, const std::vector<RobotState>& states)
      : model_(load(robot.mujoco_text)) {
    // Nothing but the free motion: no contact, limit or joint friction, and no spring or damper,
    // which the articulated-body algorithm does not have either.
    model_->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_EQUALITY |
                                mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_PASSIVE;
    place_joints(robot.model);
    data_.reset(mj_makeData(model_.get()));
    if (robot.replace_inertias) take_inertias(robot.model);
    for (const RobotState& state : states) states_.push_back(convert(state));
    for (MujocoData& data : prepared_) {
      data.reset(mj_makeData(model_.get()));
      next_state(data.get());
      mj_forward(model_.get(), data.get());
    }
  }

  [[nodiscard]] std::string name() const override { return "MuJoCo"; }

  std::vector<double> acceleration(const RobotState& state) override {
    load_state(convert(state), data_.get());
    mj_forward(model_.get(), data_.get());
    std::vector<double> result(state.v.size());
    for (const JointPlace& place : places_) {
      const mjtNum* theirs = data_->qacc + place.their_velocity;
      double* ours = result.data() + place.velocity;
      std::copy_n(theirs, place.floating ? 3 : 1, ours);
      if (!place.floating) continue;
      // Their angular part has the body's axes.
      const Eigen::Vector3d angular = attitude(data_->qpos + place.their_position) *
                                      Eigen::Vector3d(theirs[3], theirs[4], theirs[5]);
      std::copy_n(angular.data(), 3, ours + 3);
    }
    return result;
  }

  std::vector<Contestant> contestants() override {
    const mjModel* m = model_.get();
    return {
        // Each function by itself, on data that mj_forward has filled.
        {"mj_kinematics", loop([m](mjData* d) { mj_kinematics(m, d); }, false)},
        {"mj_comPos", loop([m](mjData* d) { mj_comPos(m, d); }, false)},
        {"mj_crb", loop([m](mjData* d) { mj_crb(m, d); }, false)},
        {"mj_factorM", loop([m](mjData* d) { mj_factorM(m, d); }, false)},
        {"mj_rne", loop([m](mjData* d) { mj_rne(m, d, 0, d->qfrc_bias); }, false)},
        // From (q, v) on, to set beside our kernels.
        {"mj: kinematics", loop(
                               [m](mjData* d) {
                                 mj_kinematics(m, d);
                                 mj_comPos(m, d);
                                 mj_comVel(m, d);
                               },
                               true)},
        {"mj: RNEA", loop(
                         [m](mjData* d) {
                           mj_kinematics(m, d);
                           mj_comPos(m, d);
                           mj_comVel(m, d);
                           mj_rne(m, d, 0, d->qfrc_bias);
                         },
                         true)},
        {"mj: CRBA", loop(
                         [m](mjData* d) {
                           mj_kinematics(m, d);
                           mj_comPos(m, d);
                           mj_crb(m, d);
                         },
                         true)},
        {"mj: CRBA + LTDL", loop(
                                [m](mjData* d) {
                                  mj_kinematics(m, d);
                                  mj_comPos(m, d);
                                  mj_crb(m, d);
                                  mj_factorM(m, d);
                                  mj_solveM(m, d, d->qacc, d->qfrc_applied, 1);
                                },
                                true)},
        {"mj_forward", loop([m](mjData* d) { mj_forward(m, d); }, true)},
    };
  }

 private:
  static Eigen::Quaterniond attitude(const mjtNum* qpos) {
    return {qpos[3], qpos[4], qpos[5], qpos[6]};
  }

  template <class Function>
  std::function<void(std::int64_t)> loop(Function function, bool from_state) {
    return [this, function, from_state](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        mjData* data = data_.get();
        if (from_state) {
          next_state(data);
        } else {
          data = prepared_[static_cast<std::size_t>(i) % prepared_.size()].get();
        }
        function(data);
        keep(*data);
      }
    };
  }

  void place_joints(const Model& ours) {
    if (model_->nv != ours.velocity_count() || model_->nq != ours.position_count()) {
      throw std::runtime_error(
          fmt::format("MuJoCo reads {} positions and {} velocities, but Stiction reads {} and {}",
                      model_->nq, model_->nv, ours.position_count(), ours.velocity_count()));
    }
    for (const Joint& joint : ours.joints()) {
      JointPlace place;
      place.floating = joint.kind == JointKind::floating;
      place.position = joint.position_index;
      place.velocity = joint.velocity_index;
      const int theirs =
          place.floating ? 0 : mj_name2id(model_.get(), mjOBJ_JOINT, joint.name.c_str());
      if (theirs < 0) throw std::runtime_error(fmt::format("MuJoCo has no joint '{}'", joint.name));
      place.their_position = model_->jnt_qposadr[theirs];
      place.their_velocity = model_->jnt_dofadr[theirs];
      places_.push_back(place);
      their_bodies_.push_back(model_->jnt_bodyid[theirs]);
    }
  }

  void take_inertias(const Model& ours) {
    for (int body = 0; body < ours.body_count(); ++body) {
      const BodyInertia& inertia = ours.body_inertia(body);
      const int theirs = their_bodies_[static_cast<std::size_t>(body)];
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia.inertia);
      Eigen::Matrix3d axes = principal.eigenvectors();
      if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
      const Eigen::Quaterniond attitude(axes);
      const mjtNum quaternion[4] = {attitude.w(), attitude.x(), attitude.y(), attitude.z()};
      model_->body_mass[theirs] = inertia.mass;
      std::copy_n(inertia.center_of_mass.data(), 3, model_->body_ipos + 3 * theirs);
      std::copy_n(principal.eigenvalues().data(), 3, model_->body_inertia + 3 * theirs);
      std::copy_n(quaternion, 4, model_->body_iquat + 4 * theirs);
    }
    mj_setConst(model_.get(), data_.get());
  }

  [[nodiscard]] TheirState convert(const RobotState& state) const {
    TheirState result{std::vector<mjtNum>(state.q.size()), std::vector<mjtNum>(state.v.size()),
                      std::vector<mjtNum>(state.tau.size())};
    for (const JointPlace& place : places_) {
      const double* q = state.q.data() + place.position;
      const double* v = state.v.data() + place.velocity;
      const double* tau = state.tau.data() + place.velocity;
      mjtNum* qpos = result.qpos.data() + place.their_position;
      mjtNum* qvel = result.qvel.data() + place.their_velocity;
      mjtNum* force = result.force.data() + place.their_velocity;
      if (!place.floating) {
        qpos[0] = q[0];
        qvel[0] = v[0];
        force[0] = tau[0];
        continue;
      }
      // w first; angular velocity and moment in the body's axes.
      const mjtNum theirs[7] = {q[0], q[1], q[2], q[6], q[3], q[4], q[5]};
      std::copy_n(theirs, 7, qpos);
      const Eigen::Quaterniond inverse = attitude(qpos).conjugate();
      const Eigen::Vector3d angular = inverse * Eigen::Vector3d(v[3], v[4], v[5]);
      const Eigen::Vector3d moment = inverse * Eigen::Vector3d(tau[3], tau[4], tau[5]);
      std::copy_n(v, 3, qvel);
      std::copy_n(angular.data(), 3, qvel + 3);
      std::copy_n(tau, 3, force);
      std::copy_n(moment.data(), 3, force + 3);
    }
    return result;
  }

  static void load_state(const TheirState& state, mjData* data) {
    std::copy(state.qpos.begin(), state.qpos.end(), data->qpos);
    std::copy(state.qvel.begin(), state.qvel.end(), data->qvel);
    std::copy(state.force.begin(), state.force.end(), data->qfrc_applied);
  }

  void next_state(mjData* data) {
    load_state(states_[next_], data);
    next_ = next_ + 1 == states_.size() ? 0 : next_ + 1;
  }

  MujocoModel model_;
  MujocoData data_;
  std::array<MujocoData, 4> prepared_;  ///< filled by mj_forward, each with a state of its own
  std::vector<JointPlace> places_;
  std::vector<int> their_bodies_;  ///< one per body of ours
  std::vector<TheirState> states_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Partner> make_mujoco_partner(const Robot& robot,
                                             const std::vector<RobotState>& states) {
  return std::make_unique<MujocoPartner>(robot, states);
}

}  // namespace stiction::bench

#endif
