/// \file
/// Bullet in the comparison, in double precision: btMultiBody for robots, btRigidBody for single
/// bodies; sequential impulses and Dantzig's exact solver.

#include "bench/peers/engines.hpp"

#ifndef STICTION_HAVE_BULLET

#include <stdexcept>

namespace stiction::bench {
std::vector<PeerEntry> bullet_peers() { return {}; }
std::unique_ptr<PeerEngine> make_bullet_peer(const PeerModel&, const BulletSetting&) {
  throw std::runtime_error("this build is without Bullet (Debian: libbullet-dev)");
}
}  // namespace stiction::bench

#else

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <algorithm>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "bench/peers/bullet_parts.hpp"
#include "bench/peers/mjcf_text.hpp"

namespace stiction::bench {

namespace {

/// Where a body of the Model is in Bullet.
struct BulletPlace {
  btRigidBody* single = nullptr;  ///< a body that floats alone
  btMultiBody* robot = nullptr;
  int link = -1;  ///< of the robot; -1: its base
};

class BulletPeer : public PeerEngine {
 public:
  BulletPeer(const PeerModel& scene, const BulletSetting& setting)
      : model_(scene.model),
        joints_(scalar_joints(model_)),
        time_step_(scene.time_step),
        friction_(std::sqrt(scene.friction)),  // Bullet multiplies those of both bodies
        touching_(touching_shapes(model_)),
        filter_(model_),
        dispatcher_(&configuration_) {
    if (setting.dantzig) {
      solver_ = std::make_unique<btMultiBodyMLCPConstraintSolver>(&dantzig_);
    } else {
      solver_ = std::make_unique<btMultiBodyConstraintSolver>();
    }
    world_ = std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher_, &broad_phase_, solver_.get(),
                                                        &configuration_);
    world_->getPairCache()->setOverlapFilterCallback(&filter_);
    world_->setGravity(to_bullet(model_.gravity()));
    world_->getSolverInfo().m_numIterations = setting.iterations;
    if (setting.two_directions) {
      world_->getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    }
    add_world();
    places_.resize(static_cast<std::size_t>(model_.body_count()));
    for (int k = 0; k < model_.body_count(); ++k)
      frames_.push_back(principal_frame(model_.body_inertia(k)));
    for (int root = 0; root < model_.body_count(); ++root) {
      if (model_.parent(root) == world_body) add_tree(root);
    }
  }

  ~BulletPeer() override {
    for (const auto& object : colliders_) world_->removeCollisionObject(object.get());
    for (const auto& robot : robots_) world_->removeMultiBody(robot.get());
    for (const auto& body : singles_) world_->removeRigidBody(body.get());
  }

  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) override {
    for (const Joint& joint : model_.joints()) place(joint, q, v);
    for (const auto& robot : robots_) {
      robot->clearForcesAndTorques();
      btAlignedObjectArray<btQuaternion> rotations;
      btAlignedObjectArray<btVector3> origins;
      robot->forwardKinematics(rotations, origins);
      robot->updateCollisionObjectWorldTransforms(rotations, origins);
    }
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      dispatcher_.getManifoldByIndexInternal(k)->clearManifold();
    }
  }

  void read_joints(std::span<double> positions, std::span<double> rates) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const BulletPlace& at = place_of(joints_[k].body);
      positions[k] = at.robot->getJointPos(at.link);
      rates[k] = at.robot->getJointVel(at.link);
    }
  }

  void step(std::span<const double> torques) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const BulletPlace& at = place_of(joints_[k].body);
      at.robot->addJointTorque(at.link, torques[k]);
    }
    world_->stepSimulation(time_step_, 0);
  }

  void read(PeerState& state) override {
    state.q.resize(model_.position_count());
    state.v.resize(model_.velocity_count());
    state.bodies.clear();
    for (const Joint& joint : model_.joints()) {
      const BulletPlace& at = place_of(joint.body);
      if (joint.kind != JointKind::floating) {
        state.q[joint.position_index] = at.robot->getJointPos(at.link);
        state.v[joint.velocity_index] = at.robot->getJointVel(at.link);
        continue;
      }
      const Eigen::Isometry3d centre =
          from_bullet(at.single != nullptr ? at.single->getWorldTransform()
                                           : at.robot->getBaseWorldTransform());
      const Eigen::Vector3d velocity = from_bullet(
          at.single != nullptr ? at.single->getLinearVelocity() : at.robot->getBaseVel());
      const Eigen::Vector3d spin = from_bullet(
          at.single != nullptr ? at.single->getAngularVelocity() : at.robot->getBaseOmega());
      const Eigen::Isometry3d pose =
          centre * frames_[static_cast<std::size_t>(joint.body)].in_body.inverse();
      state.q.segment<3>(joint.position_index) = pose.translation();
      state.q.segment<4>(joint.position_index + 3) =
          Eigen::Quaterniond(pose.rotation()).normalized().coeffs();
      state.v.segment<3>(joint.velocity_index) =
          velocity + spin.cross(pose.translation() - centre.translation());
      state.v.segment<3>(joint.velocity_index + 3) = spin;
    }
  }

  [[nodiscard]] int contacts() const override {
    int count = 0;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) count += manifold(k).getNumContacts();
    return count;
  }

  void read_contacts(std::vector<PeerContact>& contacts) override {
    contacts.clear();
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      const btPersistentManifold& points = manifold(k);
      for (int i = 0; i < points.getNumContacts(); ++i) {
        const btManifoldPoint& from = points.getContactPoint(i);
        // The normal points from their second body to their first, which the impulse acts on.
        const btVector3 impulse = from.m_appliedImpulse * from.m_normalWorldOnB +
                                  from.m_appliedImpulseLateral1 * from.m_lateralFrictionDir1 +
                                  from.m_appliedImpulseLateral2 * from.m_lateralFrictionDir2;
        contacts.push_back({points.getBody1()->getUserIndex(), points.getBody0()->getUserIndex(),
                            from_bullet(from.getPositionWorldOnB()),
                            from_bullet(from.m_normalWorldOnB), from_bullet(impulse),
                            from.getDistance()});
      }
    }
  }

 private:
  [[nodiscard]] const btPersistentManifold& manifold(int k) const {
    return *const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(k);
  }
  [[nodiscard]] const BulletPlace& place_of(int body) const {
    return places_[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] const PrincipalFrame& frame(int body) const {
    return frames_[static_cast<std::size_t>(body)];
  }

  void place(const Joint& joint, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const BulletPlace& at = place_of(joint.body);
    if (joint.kind != JointKind::floating) {
      at.robot->setJointPos(at.link, q[joint.position_index]);
      at.robot->setJointVel(at.link, v[joint.velocity_index]);
      return;
    }
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = q.segment<3>(joint.position_index);
    pose.linear() = Eigen::Quaterniond(q.data() + joint.position_index + 3).toRotationMatrix();
    const Eigen::Isometry3d centre = pose * frame(joint.body).in_body;
    const Eigen::Vector3d spin = v.segment<3>(joint.velocity_index + 3);
    const Eigen::Vector3d velocity =
        v.segment<3>(joint.velocity_index) +
        spin.cross(Eigen::Vector3d(centre.translation() - pose.translation()));
    if (at.single != nullptr) {
      at.single->setWorldTransform(to_bullet(centre));
      at.single->setInterpolationWorldTransform(to_bullet(centre));
      at.single->setLinearVelocity(to_bullet(velocity));
      at.single->setAngularVelocity(to_bullet(spin));
      at.single->clearForces();
      at.single->updateInertiaTensor();
    } else {
      at.robot->setBaseWorldTransform(to_bullet(centre));
      at.robot->setBaseVel(to_bullet(velocity));
      at.robot->setBaseOmega(to_bullet(spin));
    }
  }

  btCollisionShape* make_shape(const Shape& shape) {
    std::unique_ptr<btCollisionShape> made;
    switch (shape.kind) {
      case ShapeKind::sphere:
        made = std::make_unique<btSphereShape>(shape.size.x());
        break;
      case ShapeKind::box:
        made = std::make_unique<btBoxShape>(to_bullet(shape.size));
        break;
      case ShapeKind::capsule:
        made = std::make_unique<btCapsuleShapeZ>(shape.size.x(), 2.0 * shape.size.y());
        break;
      case ShapeKind::plane:
        made = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0.0);
        break;
      default:
        throw std::runtime_error("Bullet is given spheres, boxes, capsules and planes only");
    }
    shapes_.push_back(std::move(made));
    return shapes_.back().get();
  }

  /// All shapes of a body that may touch, in the frame of its mass; nullptr if there are none.
  btCollisionShape* shapes_of(int body) {
    auto compound = std::make_unique<btCompoundShape>(false);
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      const Shape& shape = model_.shapes()[k];
      if (shape.body != body || touching_[k] == 0) continue;
      const Eigen::Isometry3d pose = frame(body).in_body.inverse() * shape.pose;
      compound->addChildShape(to_bullet(pose), make_shape(shape));
    }
    if (compound->getNumChildShapes() == 0) return nullptr;
    // A single shape in the middle needs no compound.
    if (compound->getNumChildShapes() == 1 && from_bullet(compound->getChildTransform(0))
                                                  .isApprox(Eigen::Isometry3d::Identity(), 1e-12)) {
      return compound->getChildShape(0);
    }
    shapes_.push_back(std::move(compound));
    return shapes_.back().get();
  }

  void add_world() {
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      const Shape& shape = model_.shapes()[k];
      if (shape.body != world_body || touching_[k] == 0) continue;
      auto object = std::make_unique<btCollisionObject>();
      object->setCollisionShape(make_shape(shape));
      object->setWorldTransform(to_bullet(shape.pose));
      object->setFriction(friction_);
      object->setUserIndex(world_body);
      world_->addCollisionObject(object.get(), 1, 1);
      colliders_.push_back(std::move(object));
    }
  }

  void add_tree(int root) {
    int end = root + 1;
    while (end < model_.body_count() && model_.parent(end) >= root) ++end;
    const bool floats = model_.joint(root).kind == JointKind::floating;
    if (floats && end == root + 1) {
      add_single(root);
    } else {
      add_robot(root, end, floats);
    }
  }

  void add_single(int body) {
    btCollisionShape* shape = shapes_of(body);
    if (shape == nullptr) shape = shapes_.emplace_back(std::make_unique<btEmptyShape>()).get();
    btRigidBody::btRigidBodyConstructionInfo info(model_.body_inertia(body).mass, nullptr, shape,
                                                  to_bullet(frame(body).inertia));
    info.m_friction = friction_;
    singles_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody* single = singles_.back().get();
    single->setActivationState(DISABLE_DEACTIVATION);
    single->setUserIndex(body);
    places_[static_cast<std::size_t>(body)].single = single;
    world_->addRigidBody(single);
  }

  void add_robot(int root, int end, bool floats) {
    // A robot fixed to the world hangs on a base of its own, without mass, at the origin.
    const int links = end - root - (floats ? 1 : 0);
    robots_.push_back(std::make_unique<btMultiBody>(
        links, floats ? model_.body_inertia(root).mass : 0.0,
        floats ? to_bullet(frame(root).inertia) : btVector3(0, 0, 0), !floats, false));
    btMultiBody* robot = robots_.back().get();
    const int first = floats ? root + 1 : root;
    for (int body = root; body < end; ++body) {
      BulletPlace& at = places_[static_cast<std::size_t>(body)];
      at.robot = robot;
      at.link = body - first;
      if (body >= first) add_link(*robot, body, first);
    }
    robot->finalizeMultiDof();
    robot->setHasSelfCollision(true);  // the filter decides
    robot->setLinearDamping(0.0);
    robot->setAngularDamping(0.0);
    world_->addMultiBody(robot);
    for (int body = root; body < end; ++body) add_collider(body);
  }

  void add_link(btMultiBody& robot, int body, int first) {
    const int parent = model_.parent(body);
    const Eigen::Isometry3d own = frame(body).in_body;
    const Eigen::Isometry3d above =
        parent < 0 ? Eigen::Isometry3d::Identity() : frame(parent).in_body;
    const Eigen::Isometry3d joint = model_.joint_pose(body);
    const Eigen::Quaterniond turn(own.rotation().transpose() * joint.rotation().transpose() *
                                  above.rotation());
    const btQuaternion rotation(turn.x(), turn.y(), turn.z(), turn.w());
    const btVector3 axis =
        to_bullet(Eigen::Vector3d(own.rotation().transpose() * model_.joint_axis(body)));
    const btVector3 to_pivot =
        to_bullet(Eigen::Vector3d(above.inverse() * Eigen::Vector3d(joint.translation())));
    const btVector3 to_centre =
        to_bullet(Eigen::Vector3d(own.rotation().transpose() * own.translation()));
    const double mass = model_.body_inertia(body).mass;
    const btVector3 inertia = to_bullet(frame(body).inertia);
    const int link = body - first;
    const int above_link = parent < 0 ? -1 : parent - first;
    if (model_.joint(body).kind == JointKind::prismatic) {
      robot.setupPrismatic(link, mass, inertia, above_link, rotation, axis, to_pivot, to_centre,
                           true);
    } else {
      robot.setupRevolute(link, mass, inertia, above_link, rotation, axis, to_pivot, to_centre,
                          true);
    }
  }

  void add_collider(int body) {
    btCollisionShape* shape = shapes_of(body);
    if (shape == nullptr) return;
    const BulletPlace& at = place_of(body);
    auto collider = std::make_unique<btMultiBodyLinkCollider>(at.robot, at.link);
    collider->setCollisionShape(shape);
    collider->setFriction(friction_);
    collider->setUserIndex(body);
    world_->addCollisionObject(collider.get(), 1, 1);
    if (at.link < 0) {
      at.robot->setBaseCollider(collider.get());
    } else {
      at.robot->getLink(at.link).m_collider = collider.get();
    }
    colliders_.push_back(std::move(collider));
  }

  Model model_;
  std::vector<ScalarJoint> joints_;
  double time_step_;
  double friction_;
  std::vector<char> touching_;
  std::vector<PrincipalFrame> frames_;
  BulletPairFilter filter_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btMultiBodyConstraintSolver> solver_;
  std::unique_ptr<btMultiBodyDynamicsWorld> world_;
  std::vector<BulletPlace> places_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBody>> robots_;
  std::vector<std::unique_ptr<btRigidBody>> singles_;
  std::vector<std::unique_ptr<btCollisionObject>> colliders_;
};

PeerEntry entry(std::string name, const BulletSetting& setting) {
  return {"Bullet", std::move(name),
          [setting](const PeerModel& scene) { return make_bullet_peer(scene, setting); }};
}

}  // namespace

std::unique_ptr<PeerEngine> make_bullet_peer(const PeerModel& scene, const BulletSetting& setting) {
  return std::make_unique<BulletPeer>(scene, setting);
}

std::vector<PeerEntry> bullet_peers() {
  return {entry("10 iterations, one direction", {}),
          entry("10 iterations", {.iterations = 10, .two_directions = true}),
          entry("50 iterations", {.iterations = 50, .two_directions = true}),
          entry("200 iterations", {.iterations = 200, .two_directions = true}),
          entry("Dantzig", {.dantzig = true, .two_directions = true})};
}

}  // namespace stiction::bench

#endif
