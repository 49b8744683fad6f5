#include "experiments/body_world.hpp"

#ifndef STICTION_HAVE_BULLET

namespace stiction::experiments {
std::unique_ptr<BodyWorld> make_bullet_world(const BodyScene&) { return nullptr; }
}  // namespace stiction::experiments

#else

#include <algorithm>
#include <btBulletDynamicsCommon.h>

#include "BulletCollision/CollisionDispatch/btManifoldResult.h"

namespace stiction::experiments {

namespace {

btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Eigen::Vector3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btScalar larger_friction(const btCollisionObject* a, const btCollisionObject* b) {
  return std::max(a->getFriction(), b->getFriction());
}
btScalar larger_restitution(const btCollisionObject* a, const btCollisionObject* b) {
  return std::max(a->getRestitution(), b->getRestitution());
}

class BulletWorld : public BodyWorld {
 public:
  explicit BulletWorld(const BodyScene& scene)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        time_step_(scene.time_step) {
    // Bullet would multiply; both are Bullet's own hooks, the same for all of its worlds.
    gCalculateCombinedFrictionCallback = larger_friction;
    gCalculateCombinedRestitutionCallback = larger_restitution;
    world_.setGravity({0, 0, -gravity});
    bounces_ = scene.floor_restitution > 0.0;
    world_.getSolverInfo().m_erp = 0.0;
    world_.getSolverInfo().m_erp2 = 0.0;
    if (scene.iterations > 0) world_.getSolverInfo().m_numIterations = scene.iterations;
    add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0.0), 0.0, {0, 0, 0},
        scene.floor_friction, scene.floor_restitution);
    for (const BodySpec& body : scene.bodies) {
      std::unique_ptr<btCollisionShape> shape;
      if (body.kind == BodySpec::Kind::ball) {
        shape = std::make_unique<btSphereShape>(body.radius());
      } else {
        shape = std::make_unique<btBoxShape>(to_bullet(body.half_size));
      }
      add(std::move(shape), body.mass, to_bullet(body.position), body.friction, body.restitution);
    }
  }

  ~BulletWorld() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step(const Eigen::Vector3d& push) override {
    bodies_[1]->applyCentralForce(to_bullet(push));
    world_.stepSimulation(time_step_, 0);
  }

  [[nodiscard]] BodyMotion motion(int body) const override {
    const btRigidBody& b = *bodies_[static_cast<std::size_t>(body + 1)];
    const btQuaternion turn = b.getWorldTransform().getRotation();
    return {from_bullet(b.getWorldTransform().getOrigin()), from_bullet(b.getLinearVelocity()),
            Eigen::Quaterniond(turn.w(), turn.x(), turn.y(), turn.z()),
            from_bullet(b.getAngularVelocity())};
  }

 private:
  void add(std::unique_ptr<btCollisionShape> shape, double mass, const btVector3& position,
           double friction, double restitution) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(position);
    info.m_friction = friction;
    info.m_restitution = restitution;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    // Otherwise Bullet bounces before it touches and then takes the gap off the rebound.
    if (bounces_) bodies_.back()->setContactProcessingThreshold(0.0);
    world_.addRigidBody(bodies_.back().get());
    shapes_.push_back(std::move(shape));
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  double time_step_;
  bool bounces_ = false;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  ///< the floor first
};

}  // namespace

std::unique_ptr<BodyWorld> make_bullet_world(const BodyScene& scene) {
  return std::make_unique<BulletWorld>(scene);
}

}  // namespace stiction::experiments

#endif
