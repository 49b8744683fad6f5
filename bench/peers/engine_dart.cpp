/// \file
/// DART in the comparison: a skeleton for each robot or body, DART's own collider, Dantzig's method
/// and projected Gauss-Seidel.

#include "bench/peers/peer.hpp"

#ifndef STICTION_HAVE_DART

namespace stiction::bench {
std::vector<PeerEntry> dart_peers() { return {}; }
}  // namespace stiction::bench

#else

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/simulation/World.hpp>
#include <fmt/core.h>
#include <map>
#include <stdexcept>

#include "bench/dart_skeleton.hpp"

namespace stiction::bench {

namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::ShapeNode;

/// Shapes of the Model by DART's nodes.
using ShapeIndex = std::map<const ShapeNode*, int>;

int shape_of(const ShapeIndex& shapes, const dart::collision::CollisionObject& object) {
  const auto found = shapes.find(object.getShapeFrame()->asShapeNode());
  return found == shapes.end() ? -1 : found->second;
}

class PairFilter : public dart::collision::CollisionFilter {
 public:
  PairFilter(Model model, const ShapeIndex& shapes) : model_(std::move(model)), shapes_(shapes) {}
  bool ignoresCollision(const dart::collision::CollisionObject* a,
                        const dart::collision::CollisionObject* b) const override {
    const int shape_a = shape_of(shapes_, *a);
    const int shape_b = shape_of(shapes_, *b);
    return shape_a < 0 || shape_b < 0 || !model_.may_collide(shape_a, shape_b);
  }

 private:
  Model model_;
  const ShapeIndex& shapes_;
};

/// `iterations` of projected Gauss-Seidel; 0: Dantzig's method.
std::unique_ptr<dart::constraint::ConstraintSolver> make_solver(int iterations) {
  if (iterations == 0) {
    return std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(
        std::make_shared<dart::constraint::DantzigBoxedLcpSolver>(), nullptr);
  }
  auto solver = std::make_shared<dart::constraint::PgsBoxedLcpSolver>();
  solver->setOption(dart::constraint::PgsBoxedLcpSolver::Option(iterations));
  return std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(solver, nullptr);
}

class DartPeer : public PeerEngine {
 public:
  DartPeer(const PeerModel& scene, int iterations)
      : model_(scene.model),
        joints_(scalar_joints(model_)),
        time_step_(scene.time_step),
        friction_(scene.friction) {
    world_->setTimeStep(time_step_);
    world_->setGravity(model_.gravity());
    world_->setConstraintSolver(make_solver(iterations));
    auto* solver = world_->getConstraintSolver();
    solver->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    solver->getCollisionOption().collisionFilter = std::make_shared<PairFilter>(model_, shapes_);
    solver->getCollisionOption().maxNumContacts = 10'000;
    nodes_.resize(static_cast<std::size_t>(model_.body_count()));
    for (int body = 0; body < model_.body_count(); ++body) add_body(body);
    const std::vector<char> touching = touching_shapes(model_);
    for (std::size_t k = 0; k < touching.size(); ++k) {
      if (touching[k] != 0) add_shape(static_cast<int>(k));
    }
    for (const auto& skeleton : skeletons_) world_->addSkeleton(skeleton);
  }

  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) override {
    for (const Joint& joint : model_.joints()) {
      auto* theirs = node(joint.body)->getParentJoint();
      if (joint.kind != JointKind::floating) {
        theirs->setPosition(0, q[joint.position_index]);
        theirs->setVelocity(0, v[joint.velocity_index]);
        continue;
      }
      // Their velocities have the body's axes, the angular part first.
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.translation() = q.segment<3>(joint.position_index);
      const Eigen::Quaterniond turn(q.data() + joint.position_index + 3);
      pose.linear() = turn.toRotationMatrix();
      theirs->setPositions(dart::dynamics::FreeJoint::convertToPositions(pose));
      Eigen::VectorXd velocities(6);
      velocities.head<3>() =
          turn.conjugate() * Eigen::Vector3d(v.segment<3>(joint.velocity_index + 3));
      velocities.tail<3>() = turn.conjugate() * Eigen::Vector3d(v.segment<3>(joint.velocity_index));
      theirs->setVelocities(velocities);
    }
    world_->getConstraintSolver()->clearLastCollisionResult();
  }

  void read_joints(std::span<double> positions, std::span<double> rates) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto* joint = node(joints_[k].body)->getParentJoint();
      positions[k] = joint->getPosition(0);
      rates[k] = joint->getVelocity(0);
    }
  }

  void step(std::span<const double> torques) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      node(joints_[k].body)->getParentJoint()->setForce(0, torques[k]);
    }
    world_->step();
  }

  void read(PeerState& state) override {
    state.q.resize(model_.position_count());
    state.v.resize(model_.velocity_count());
    state.bodies.clear();
    for (const Joint& joint : model_.joints()) {
      const BodyNode* body = node(joint.body);
      if (joint.kind != JointKind::floating) {
        state.q[joint.position_index] = body->getParentJoint()->getPosition(0);
        state.v[joint.velocity_index] = body->getParentJoint()->getVelocity(0);
        continue;
      }
      const Eigen::Isometry3d& pose = body->getWorldTransform();
      state.q.segment<3>(joint.position_index) = pose.translation();
      state.q.segment<4>(joint.position_index + 3) = Eigen::Quaterniond(pose.rotation()).coeffs();
      state.v.segment<3>(joint.velocity_index) = body->getLinearVelocity();
      state.v.segment<3>(joint.velocity_index + 3) = body->getAngularVelocity();
    }
  }

  [[nodiscard]] int contacts() const override {
    return static_cast<int>(last_result().getNumContacts());
  }

  void read_contacts(std::vector<PeerContact>& contacts) override {
    contacts.clear();
    for (const dart::collision::Contact& from : last_result().getContacts()) {
      // Their normal points from their second body to their first, which the force acts on.
      contacts.push_back({body_of(*from.collisionObject2), body_of(*from.collisionObject1),
                          from.point, from.normal, time_step_ * from.force,
                          -from.penetrationDepth});
    }
  }

 private:
  [[nodiscard]] const dart::collision::CollisionResult& last_result() const {
    return world_->getLastCollisionResult();
  }
  [[nodiscard]] BodyNode* node(int body) const { return nodes_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] int body_of(const dart::collision::CollisionObject& object) const {
    return model_.shapes()[static_cast<std::size_t>(shape_of(shapes_, object))].body;
  }

  void add_body(int body) {
    const int parent = model_.parent(body);
    if (parent == world_body) {
      skeletons_.push_back(dart::dynamics::Skeleton::create(fmt::format("tree{}", body)));
      skeletons_.back()->enableSelfCollisionCheck();  // the filter decides
    }
    nodes_[static_cast<std::size_t>(body)] =
        add_dart_body(model_, body, *skeletons_.back(), parent < 0 ? nullptr : node(parent));
  }

  /// The world is a body that hangs on a joint that does not move.
  BodyNode* world_node() {
    if (fixed_ == nullptr) {
      skeletons_.push_back(dart::dynamics::Skeleton::create("world"));
      fixed_ =
          skeletons_.back()->createJointAndBodyNodePair<dart::dynamics::WeldJoint>(nullptr).second;
      skeletons_.back()->setMobile(false);
    }
    return fixed_;
  }

  void add_shape(int index) {
    const Shape& shape = model_.shapes()[static_cast<std::size_t>(index)];
    std::shared_ptr<dart::dynamics::Shape> made;
    Eigen::Isometry3d pose = shape.pose;
    switch (shape.kind) {
      case ShapeKind::sphere:
        made = std::make_shared<dart::dynamics::SphereShape>(shape.size.x());
        break;
      case ShapeKind::box:
        made = std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(2.0 * shape.size));
        break;
      case ShapeKind::plane:  // DART's collider has none: the upper face of a large box
        made = std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(100.0, 100.0, 2.0));
        pose.translation() -= pose.rotation().col(2);
        break;
      default:
        throw std::runtime_error("DART's own collider has spheres and boxes only");
    }
    BodyNode* body = shape.body == world_body ? world_node() : node(shape.body);
    ShapeNode* placed =
        body->createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(
            made);
    placed->setRelativeTransform(pose);
    placed->getDynamicsAspect()->setFrictionCoeff(friction_);
    placed->getDynamicsAspect()->setRestitutionCoeff(0.0);
    shapes_[placed] = index;
  }

  Model model_;
  std::vector<ScalarJoint> joints_;
  double time_step_;
  double friction_;
  ShapeIndex shapes_;
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<BodyNode*> nodes_;
  BodyNode* fixed_ = nullptr;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
};

PeerEntry entry(std::string name, int iterations) {
  return {"DART", std::move(name), [iterations](const PeerModel& scene) {
            return std::make_unique<DartPeer>(scene, iterations);
          }};
}

}  // namespace

std::vector<PeerEntry> dart_peers() {
  return {entry("Dantzig", 0), entry("PGS, 30 iterations", 30), entry("PGS, 200 iterations", 200)};
}

}  // namespace stiction::bench

#endif
