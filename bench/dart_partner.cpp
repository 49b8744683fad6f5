/// \file
/// DART: a skeleton with the bodies of the Model, fixed joints merged as in the Model.

#include "bench/partner.hpp"

#ifndef STICTION_HAVE_DART

namespace stiction::bench {
std::unique_ptr<Partner> make_dart_partner(const Robot&, const std::vector<RobotState>&) {
  return nullptr;
}
}  // namespace stiction::bench

#else

#include "bench/dart_skeleton.hpp"
#include "bench/harness.hpp"
#include "tests/support/dart_memory.hpp"

namespace stiction::bench {

namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::FreeJoint;

struct TheirState {
  Eigen::VectorXd positions;
  Eigen::VectorXd velocities;
  Eigen::VectorXd forces;
};

class DartPartner : public Partner {
 public:
  DartPartner(const Robot& robot, const std::vector<RobotState>& states) : model_(robot.model) {
    skeleton_->setGravity(model_.gravity());
    std::vector<BodyNode*> bodies;
    for (int body = 0; body < model_.body_count(); ++body) {
      BodyNode* parent =
          model_.parent(body) < 0 ? nullptr : bodies[static_cast<std::size_t>(model_.parent(body))];
      bodies.push_back(add_dart_body(model_, body, *skeleton_, parent));
    }
    for (const RobotState& state : states) states_.push_back(convert(state));
  }

  [[nodiscard]] std::string name() const override { return "DART"; }

  std::vector<double> acceleration(const RobotState& state) override {
    load_state(convert(state));
    skeleton_->computeForwardDynamics();
    const Eigen::VectorXd theirs = copy_from_dart([&] { return skeleton_->getAccelerations(); });
    std::vector<double> result(theirs.data(), theirs.data() + theirs.size());
    for (const Joint& joint : model_.joints()) {
      if (joint.kind != JointKind::floating) continue;
      // Theirs is the spatial acceleration in the body's axes, angular part first.
      const Eigen::Quaterniond attitude(state.q.data() + joint.position_index + 3);
      const double* v = state.v.data() + joint.velocity_index;
      const Eigen::Vector3d linear(v[0], v[1], v[2]);
      const Eigen::Vector3d angular(v[3], v[4], v[5]);
      const Eigen::Vector3d turn = attitude * theirs.segment<3>(joint.velocity_index);
      const Eigen::Vector3d push =
          attitude * theirs.segment<3>(joint.velocity_index + 3) + angular.cross(linear);
      std::copy_n(push.data(), 3, result.begin() + joint.velocity_index);
      std::copy_n(turn.data(), 3, result.begin() + joint.velocity_index + 3);
    }
    return result;
  }

  std::vector<Contestant> contestants() override {
    return {{"DART computeForwardDynamics", [this](std::int64_t count) {
               for (std::int64_t i = 0; i < count; ++i) {
                 load_state(states_[next_]);
                 next_ = next_ + 1 == states_.size() ? 0 : next_ + 1;
                 skeleton_->computeForwardDynamics();
                 keep(*skeleton_);
               }
             }}};
  }

 private:
  [[nodiscard]] TheirState convert(const RobotState& state) const {
    const Eigen::Index size = static_cast<Eigen::Index>(state.v.size());
    TheirState result{Eigen::VectorXd(size), Eigen::VectorXd(size), Eigen::VectorXd(size)};
    for (const Joint& joint : model_.joints()) {
      const double* q = state.q.data() + joint.position_index;
      const double* v = state.v.data() + joint.velocity_index;
      const double* tau = state.tau.data() + joint.velocity_index;
      if (joint.kind != JointKind::floating) {
        result.positions[joint.velocity_index] = q[0];
        result.velocities[joint.velocity_index] = v[0];
        result.forces[joint.velocity_index] = tau[0];
        continue;
      }
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.translation() = Eigen::Vector3d(q[0], q[1], q[2]);
      const Eigen::Quaterniond attitude(q[6], q[3], q[4], q[5]);
      pose.linear() = attitude.toRotationMatrix();
      result.positions.segment<6>(joint.velocity_index) = FreeJoint::convertToPositions(pose);
      const Eigen::Quaterniond inverse = attitude.conjugate();
      result.velocities.segment<3>(joint.velocity_index) =
          inverse * Eigen::Vector3d(v[3], v[4], v[5]);
      result.velocities.segment<3>(joint.velocity_index + 3) =
          inverse * Eigen::Vector3d(v[0], v[1], v[2]);
      result.forces.segment<3>(joint.velocity_index) =
          inverse * Eigen::Vector3d(tau[3], tau[4], tau[5]);
      result.forces.segment<3>(joint.velocity_index + 3) =
          inverse * Eigen::Vector3d(tau[0], tau[1], tau[2]);
    }
    return result;
  }

  void load_state(const TheirState& state) {
    skeleton_->setPositions(state.positions);
    skeleton_->setVelocities(state.velocities);
    skeleton_->setForces(state.forces);
  }

  const Model& model_;
  dart::dynamics::SkeletonPtr skeleton_ = dart::dynamics::Skeleton::create("robot");
  std::vector<TheirState> states_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Partner> make_dart_partner(const Robot& robot,
                                           const std::vector<RobotState>& states) {
  return std::make_unique<DartPartner>(robot, states);
}

}  // namespace stiction::bench

#endif
