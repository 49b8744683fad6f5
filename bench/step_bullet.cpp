/// \file
/// Bullet in the race of steps: a btMultiBody in double precision, with sequential impulses and
/// with Dantzig's exact solver.

#include "bench/step_engine.hpp"

#ifndef STICTION_HAVE_BULLET

namespace stiction::bench {
std::vector<StepEntry> bullet_entries() { return {}; }
}  // namespace stiction::bench

#else

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <btBulletDynamicsCommon.h>
#include <cmath>

namespace stiction::bench {

namespace {

constexpr int floor_group = 1;
constexpr int robot_group = 2;

btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion to_bullet(const Eigen::Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }
btTransform to_bullet(const Eigen::Isometry3d& pose) {
  return btTransform(to_bullet(Eigen::Quaterniond(pose.rotation())),
                     to_bullet(Eigen::Vector3d(pose.translation())));
}
Eigen::Vector3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/// Bullet's links have their origin in the centre of mass and principal axes.
struct PrincipalFrame {
  Eigen::Isometry3d in_body = Eigen::Isometry3d::Identity();
  Eigen::Vector3d inertia;
};

PrincipalFrame principal_frame(const BodyInertia& body) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  PrincipalFrame frame;
  frame.in_body.linear() = axes;
  frame.in_body.translation() = body.center_of_mass;
  frame.inertia = solver.eigenvalues();
  return frame;
}

class BulletEngine : public StepEngine {
 public:
  BulletEngine(const StepRobot& robot, bool dantzig)
      : model_(robot.model),
        stand_(robot.stand),
        time_step_(robot.time_step),
        dispatcher_(&configuration_) {
    if (dantzig) {
      solver_ = std::make_unique<btMultiBodyMLCPConstraintSolver>(&dantzig_);
    } else {
      solver_ = std::make_unique<btMultiBodyConstraintSolver>();
    }
    world_ = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher_, &broad_phase_, solver_.get(),
                                                        &configuration_);
    world_->setGravity(to_bullet(model_.gravity()));
    world_->getSolverInfo().m_numIterations = 10;
    add_floor();
    add_robot();
    reset(stand_.head<3>(), Eigen::Vector3d::Zero());
  }

  ~BulletEngine() override {
    for (const auto& collider : colliders_) world_->removeCollisionObject(collider.get());
    world_->removeMultiBody(body_.get());
    world_->removeCollisionObject(&floor_);
  }

  void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = position;
    body_->setBaseWorldTransform(to_bullet(pose * frames_[0].in_body));
    body_->setBaseVel(to_bullet(velocity));
    body_->setBaseOmega(btVector3(0, 0, 0));
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      body_->setJointPos(static_cast<int>(k), stand_[static_cast<Eigen::Index>(7 + k)]);
      body_->setJointVel(static_cast<int>(k), 0.0);
    }
    body_->clearForcesAndTorques();
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> origins;
    body_->forwardKinematics(rotations, origins);
    body_->updateCollisionObjectWorldTransforms(rotations, origins);
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      dispatcher_.getManifoldByIndexInternal(k)->clearManifold();
    }
  }

  void read_legs(LegState& legs) override {
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      legs.angle[k] = body_->getJointPos(static_cast<int>(k));
      legs.rate[k] = body_->getJointVel(static_cast<int>(k));
    }
  }

  double fastest() override {
    double most = std::max(from_bullet(body_->getBaseVel()).cwiseAbs().maxCoeff(),
                           from_bullet(body_->getBaseOmega()).cwiseAbs().maxCoeff());
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      most = std::max(most, std::abs(body_->getJointVel(static_cast<int>(k))));
    }
    return most;
  }

  void step(const LegTorques& torques) override {
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      body_->addJointTorque(static_cast<int>(k), torques[k]);
    }
    world_->stepSimulation(time_step_, 0);
  }

  void read_state(FullState& state) override {
    state.q = stand_;
    state.v = Eigen::VectorXd::Zero(model_.velocity_count());
    const btTransform centre = body_->getBaseWorldTransform();
    const btQuaternion turn = centre.getRotation();
    const Eigen::Quaterniond attitude =
        Eigen::Quaterniond(turn.w(), turn.x(), turn.y(), turn.z()) *
        Eigen::Quaterniond(frames_[0].in_body.rotation()).conjugate();
    const Eigen::Vector3d from_origin =
        attitude * Eigen::Vector3d(frames_[0].in_body.translation());
    const Eigen::Vector3d spin = from_bullet(body_->getBaseOmega());
    state.q.head<3>() = from_bullet(centre.getOrigin()) - from_origin;
    state.q.segment<4>(3) = attitude.coeffs();
    state.v.head<3>() = from_bullet(body_->getBaseVel()) - spin.cross(from_origin);
    state.v.segment<3>(3) = spin;
    LegState legs;
    read_legs(legs);
    std::copy(legs.angle.begin(), legs.angle.end(), state.q.data() + 7);
    std::copy(legs.rate.begin(), legs.rate.end(), state.v.data() + 6);
  }

  [[nodiscard]] int contacts() const override {
    int count = 0;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      count += const_cast<btCollisionDispatcher&>(dispatcher_)
                   .getManifoldByIndexInternal(k)
                   ->getNumContacts();
    }
    return count;
  }

 private:
  void add_floor() {
    floor_shape_ = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0.0);
    floor_.setCollisionShape(floor_shape_.get());
    floor_.setFriction(1.0);  // Bullet multiplies the coefficients of both
    world_->addCollisionObject(&floor_, floor_group, robot_group);
  }

  void add_robot() {
    const int bodies = model_.body_count();
    for (int k = 0; k < bodies; ++k) frames_.push_back(principal_frame(model_.body_inertia(k)));
    body_ = std::make_unique<btMultiBody>(bodies - 1, model_.body_inertia(0).mass,
                                          to_bullet(frames_[0].inertia), false, false);
    for (int k = 1; k < bodies; ++k) add_link(k);
    body_->finalizeMultiDof();
    body_->setHasSelfCollision(false);
    body_->setLinearDamping(0.0);
    body_->setAngularDamping(0.0);
    world_->addMultiBody(body_.get());
    for (int k = 0; k < bodies; ++k) add_collider(k);
  }

  void add_link(int k) {
    const int parent = model_.parent(k);
    const Eigen::Isometry3d& own = frames_[static_cast<std::size_t>(k)].in_body;
    const Eigen::Isometry3d& above = frames_[static_cast<std::size_t>(parent)].in_body;
    const Eigen::Isometry3d joint = model_.joint_pose(k);
    const Eigen::Matrix3d turn =
        own.rotation().transpose() * joint.rotation().transpose() * above.rotation();
    body_->setupRevolute(
        k - 1, model_.body_inertia(k).mass, to_bullet(frames_[static_cast<std::size_t>(k)].inertia),
        parent - 1, to_bullet(Eigen::Quaterniond(turn)),
        to_bullet(Eigen::Vector3d(own.rotation().transpose() * model_.joint_axis(k))),
        to_bullet(Eigen::Vector3d(above.inverse() * Eigen::Vector3d(joint.translation()))),
        to_bullet(Eigen::Vector3d(own.rotation().transpose() * own.translation())), true);
  }

  void add_collider(int k) {
    for (const Shape& shape : model_.shapes()) {
      if (shape.body != k || !shape.collides) continue;
      std::unique_ptr<btCollisionShape> geometry;
      if (shape.kind == ShapeKind::box) {
        geometry = std::make_unique<btBoxShape>(to_bullet(shape.size));
      } else {
        geometry = std::make_unique<btSphereShape>(shape.size.x());
      }
      auto compound = std::make_unique<btCompoundShape>(false);
      const Eigen::Isometry3d pose =
          frames_[static_cast<std::size_t>(k)].in_body.inverse() * shape.pose;
      compound->addChildShape(to_bullet(pose), geometry.get());
      auto collider = std::make_unique<btMultiBodyLinkCollider>(body_.get(), k - 1);
      collider->setCollisionShape(compound.get());
      collider->setFriction(model_.materials()[static_cast<std::size_t>(shape.material)].friction);
      world_->addCollisionObject(collider.get(), robot_group, floor_group);
      if (k == 0) {
        body_->setBaseCollider(collider.get());
      } else {
        body_->getLink(k - 1).m_collider = collider.get();
      }
      shapes_.push_back(std::move(geometry));
      shapes_.push_back(std::move(compound));
      colliders_.push_back(std::move(collider));
    }
  }

  Model model_;
  Eigen::VectorXd stand_;
  double time_step_;
  std::vector<PrincipalFrame> frames_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btMultiBodyConstraintSolver> solver_;
  std::unique_ptr<btMultiBodyDynamicsWorld> world_;
  std::unique_ptr<btStaticPlaneShape> floor_shape_;
  btCollisionObject floor_;
  std::unique_ptr<btMultiBody> body_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
};

std::unique_ptr<StepEngine> make(const StepRobot& robot, int setting) {
  return std::make_unique<BulletEngine>(robot, setting == 1);
}

}  // namespace

std::vector<StepEntry> bullet_entries() {
  return {{"Bullet", "10 iterations", make, 0}, {"Bullet", "Dantzig", make, 1}};
}

}  // namespace stiction::bench

#endif
