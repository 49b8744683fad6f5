/// \file
/// Bullet's rigid bodies in double precision, sequential impulses with 10 iterations; nothing falls
/// asleep.

#include "bench/pile_engine.hpp"

#ifndef STICTION_HAVE_BULLET

namespace stiction::bench {
std::vector<PileEntry> bullet_piles() { return {}; }
}  // namespace stiction::bench

#else

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <limits>

namespace stiction::bench {

namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

class BulletPile : public PileEngine {
 public:
  explicit BulletPile(const PileScene& scene)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity({0.0, 0.0, -pile_gravity});
    world_.getSolverInfo().m_numIterations = 10;
    const double r = scene.radius;
    if (scene.kind == PileKind::spheres) {
      shape_ = std::make_unique<btSphereShape>(r);
    } else {
      shape_ = std::make_unique<btBoxShape>(btVector3(r, r, r));
    }
    for (const PilePlane& plane : pile_planes(scene)) {
      planes_.push_back(
          std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), plane.offset));
      add(0.0, 0.0, *planes_.back(), btTransform::getIdentity());
    }
    for (const Eigen::Isometry3d& pose : scene.poses) {
      const Eigen::Quaterniond turn(pose.rotation());
      add(pile_mass, scene.inertia(), *shape_,
          btTransform(btQuaternion(turn.x(), turn.y(), turn.z(), turn.w()),
                      to_bullet(pose.translation())));
    }
  }

  ~BulletPile() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override { world_.stepSimulation(pile_time_step, 0); }

  [[nodiscard]] int contacts() const override {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      count += const_cast<btCollisionDispatcher&>(dispatcher_)
                   .getManifoldByIndexInternal(i)
                   ->getNumContacts();
    }
    return count;
  }

  void read(std::vector<Eigen::Isometry3d>& poses) const override {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const btTransform& from = bodies_[planes_.size() + i]->getWorldTransform();
      const btQuaternion turn = from.getRotation();
      poses[i].linear() =
          Eigen::Quaterniond(turn.w(), turn.x(), turn.y(), turn.z()).toRotationMatrix();
      poses[i].translation() << from.getOrigin().x(), from.getOrigin().y(), from.getOrigin().z();
    }
  }

 private:
  void add(double mass, double inertia, btCollisionShape& shape, const btTransform& pose) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape,
                                                  btVector3(inertia, inertia, inertia));
    info.m_startWorldTransform = pose;
    info.m_friction = std::sqrt(pile_friction);  // Bullet multiplies those of both bodies
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::unique_ptr<btCollisionShape> shape_;
  std::vector<std::unique_ptr<btStaticPlaneShape>> planes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  ///< planes first
};

}  // namespace

std::vector<PileEntry> bullet_piles() {
  constexpr std::array no_limit{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  return {{"Bullet", "10 iterations", no_limit,
           [](const PileScene& scene) { return std::make_unique<BulletPile>(scene); }}};
}

}  // namespace stiction::bench

#endif
