#pragma once

/// \file
/// A robot in DART, asked in our coordinates. DART's velocities are u = T v: a free joint has the
/// angular and then the linear velocity in body axes there; all else is alike. The linear part in
/// body axes turns with the body, so u̇ = T v̇ + s with s = -ω x (Rᵀ v_linear) there.

#include <Eigen/Geometry>
#include <dart/dynamics/dynamics.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/model/model.hpp"
#include "support/dart_memory.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {

class DartRobot {
 public:
  /// `model` is our own model of the same recipe. Recipes must have no armature: DART knows none.
  DartRobot(const RobotRecipe& robot, const Model& model)
      : ours_(model), skeleton_(dart::dynamics::Skeleton::create(robot.name)) {
    skeleton_->setGravity(robot.gravity);
    {
      const QuietOutput quiet;  // DART tells of each name that it had to change for a moment
      for (const LinkRecipe& link : robot.links) add_link(link);
    }
    if (static_cast<int>(skeleton_->getNumDofs()) != ours_.velocity_count()) {
      throw std::runtime_error("DART: other number of velocities");
    }
  }

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
    const Eigen::Index n = ours_.velocity_count();
    T_ = Eigen::MatrixXd::Zero(n, n);
    turning_ = Eigen::VectorXd::Zero(n);
    for (const Joint& joint : ours_.joints()) set_joint(joint, q, v);
    skeleton_->setVelocities(T_ * v);
    skeleton_->setForces(T_ * tau);  // T is orthogonal
    skeleton_->computeForwardDynamics();
  }

  [[nodiscard]] Eigen::MatrixXd mass_matrix() const {
    return T_.transpose() * skeleton_->getMassMatrix() * T_;
  }

  [[nodiscard]] Eigen::VectorXd bias_forces() const {
    return T_.transpose() *
           (skeleton_->getCoriolisAndGravityForces() + skeleton_->getMassMatrix() * turning_);
  }

  [[nodiscard]] Eigen::VectorXd accelerations() const {
    return T_.transpose() *
           (copy_from_dart([&] { return skeleton_->getAccelerations(); }) - turning_);
  }

  [[nodiscard]] bool has_link(const std::string& name) const { return node(name) != nullptr; }

  /// Columns: position, rotation matrix, linear velocity of the origin, angular velocity.
  [[nodiscard]] Eigen::Matrix<double, 3, 6> pose_and_velocity(const std::string& name) const {
    const dart::dynamics::BodyNode* body = node(name);
    Eigen::Matrix<double, 3, 6> result;
    result.col(0) = body->getTransform().translation();
    result.middleCols<3>(1) = body->getTransform().linear();
    result.col(4) = body->getLinearVelocity();
    result.col(5) = body->getAngularVelocity();
    return result;
  }

  /// 3 x 2n: of the point at `offset` in the link, then angular.
  [[nodiscard]] Eigen::MatrixXd jacobian(const std::string& name,
                                         const Eigen::Vector3d& offset) const {
    const Eigen::MatrixXd full =
        copy_from_dart([&] { return skeleton_->getWorldJacobian(node(name), offset); });
    Eigen::MatrixXd J(3, 2 * full.cols());
    J << full.bottomRows(3) * T_, full.topRows(3) * T_;
    return J;
  }

 private:
  /// Nothing is written to std::cout while it lives.
  class QuietOutput {
   public:
    QuietOutput() : before_(std::cout.rdbuf(nullptr)) {}
    ~QuietOutput() {
      std::cout.rdbuf(before_);
      std::cout.clear();
    }
    QuietOutput(const QuietOutput&) = delete;
    QuietOutput& operator=(const QuietOutput&) = delete;

   private:
    std::streambuf* before_;
  };

  [[nodiscard]] dart::dynamics::BodyNode* node(const std::string& name) const {
    return skeleton_->getBodyNode(name);
  }

  template <class JointType>
  JointType* create(const LinkRecipe& link) {
    dart::dynamics::BodyNode* parent =
        link.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(link.parent)];
    auto [joint, body] = skeleton_->createJointAndBodyNodePair<JointType>(parent);
    body->setName(link.name);
    joint->setName(joint_name(link));
    nodes_.push_back(body);
    Eigen::Isometry3d in_child = Eigen::Isometry3d::Identity();
    in_child.translation() = link.joint_point;
    joint->setTransformFromChildBodyNode(in_child);
    if (link.joint != JointKind::floating) {
      joint->setTransformFromParentBodyNode(pose_of(link.position, link.rotation) * in_child);
    }
    return joint;
  }

  void add_link(const LinkRecipe& link) {
    using namespace dart::dynamics;
    switch (link.joint) {
      case JointKind::fixed:
        create<WeldJoint>(link);
        break;
      case JointKind::revolute:
      case JointKind::continuous:
        create<RevoluteJoint>(link)->setAxis(link.axis);
        break;
      case JointKind::prismatic:
        create<PrismaticJoint>(link)->setAxis(link.axis);
        break;
      case JointKind::spherical:
        create<BallJoint>(link);
        break;
      case JointKind::planar: {
        const BodyConstants& body =
            ours_.constants()[static_cast<std::size_t>(ours_.find_joint(joint_name(link)).value())];
        create<PlanarJoint>(link)->setArbitraryPlane(to_eigen(body.plane_x),
                                                     to_eigen(body.plane_y));
        break;
      }
      case JointKind::floating:
        create<FreeJoint>(link);
        break;
    }
    const Eigen::Matrix3d R = link.principal_axes.toRotationMatrix();
    nodes_.back()->setInertia(dart::dynamics::Inertia(
        link.mass, link.center_of_mass, R * link.principal_moments.asDiagonal() * R.transpose()));
  }

  /// DART's position of a rotation is its rotation vector, in the joint's first three entries.
  static void set_rotation(dart::dynamics::Joint* joint, const double* quat_xyzw) {
    const Eigen::AngleAxisd turn(
        Eigen::Quaterniond(quat_xyzw[3], quat_xyzw[0], quat_xyzw[1], quat_xyzw[2]));
    for (int k = 0; k < 3; ++k) {
      joint->setPosition(static_cast<std::size_t>(k), turn.angle() * turn.axis()[k]);
    }
  }

  void set_joint(const Joint& joint, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    dart::dynamics::Joint* theirs = skeleton_->getJoint(joint.name);
    const double* from = q.data() + joint.position_index;
    const Eigen::Index column = joint.velocity_index;
    const auto row = [theirs](std::size_t k) {
      return static_cast<Eigen::Index>(theirs->getDof(k)->getIndexInSkeleton());
    };
    if (joint.kind == JointKind::floating) {
      set_rotation(theirs, from + 3);
      for (std::size_t k = 0; k < 3; ++k) theirs->setPosition(3 + k, from[k]);
      const Eigen::Matrix3d inverse =
          Eigen::Quaterniond(from[6], from[3], from[4], from[5]).toRotationMatrix().transpose();
      T_.block<3, 3>(row(0), column + 3) = inverse;
      T_.block<3, 3>(row(3), column) = inverse;
      const Eigen::Vector3d linear = inverse * v.segment<3>(column);
      const Eigen::Vector3d angular = inverse * v.segment<3>(column + 3);
      turning_.segment<3>(row(3)) = -angular.cross(linear);
      return;
    }
    const int size = velocity_size(joint.kind);
    if (joint.kind == JointKind::spherical) {
      set_rotation(theirs, from);
    } else {
      for (int k = 0; k < size; ++k) theirs->setPosition(static_cast<std::size_t>(k), from[k]);
    }
    for (int k = 0; k < size; ++k) T_(row(static_cast<std::size_t>(k)), column + k) = 1.0;
  }

  Model ours_;
  dart::dynamics::SkeletonPtr skeleton_;
  std::vector<dart::dynamics::BodyNode*> nodes_;
  Eigen::MatrixXd T_;
  Eigen::VectorXd turning_;
};

}  // namespace stiction::test
