#include "experiments/body_world.hpp"

#ifndef STICTION_HAVE_ODE

namespace stiction::experiments {
std::unique_ptr<BodyWorld> make_ode_world(const BodyScene&) { return nullptr; }
}  // namespace stiction::experiments

#else

#include <algorithm>
#include <array>
#include <ode/ode.h>

namespace stiction::experiments {

namespace {

constexpr int most_contacts = 8;  ///< of one pair

/// ODE wants to be started before its first world.
void start_ode() {
  static const bool started = [] {
    dInitODE2(0);
    return true;
  }();
  static_cast<void>(started);
}

struct Surface {
  double friction = 0.0;
  double restitution = 0.0;
};

class OdeWorld : public BodyWorld {
 public:
  explicit OdeWorld(const BodyScene& scene) : time_step_(scene.time_step) {
    start_ode();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contact_group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -gravity);
    dWorldSetERP(world_, 0.0);
    dWorldSetQuickStepNumIterations(world_, scene.iterations > 0 ? scene.iterations : 20);
    surfaces_.reserve(scene.bodies.size() + 1);
    mark(dCreatePlane(space_, 0, 0, 1, 0), {scene.floor_friction, scene.floor_restitution});
    for (const BodySpec& body : scene.bodies) add(body);
  }

  ~OdeWorld() override {
    dJointGroupDestroy(contact_group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step(const Eigen::Vector3d& push) override {
    dBodyAddForce(bodies_.front(), push.x(), push.y(), push.z());
    dJointGroupEmpty(contact_group_);
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeWorld*>(self)->collide(a, b);
    });
    dWorldQuickStep(world_, time_step_);
  }

  [[nodiscard]] BodyMotion motion(int body) const override {
    const dBodyID b = bodies_[static_cast<std::size_t>(body)];
    const auto vector = [](const dReal* v) { return Eigen::Vector3d(v[0], v[1], v[2]); };
    const dReal* turn = dBodyGetQuaternion(b);
    return {vector(dBodyGetPosition(b)), vector(dBodyGetLinearVel(b)),
            Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]), vector(dBodyGetAngularVel(b))};
  }

 private:
  void add(const BodySpec& spec) {
    dMass mass;
    const Eigen::Vector3d& s = spec.half_size;
    dGeomID geometry = nullptr;
    if (spec.kind == BodySpec::Kind::ball) {
      dMassSetSphereTotal(&mass, spec.mass, s.x());
      geometry = dCreateSphere(space_, s.x());
    } else {
      dMassSetBoxTotal(&mass, spec.mass, 2 * s.x(), 2 * s.y(), 2 * s.z());
      geometry = dCreateBox(space_, 2 * s.x(), 2 * s.y(), 2 * s.z());
    }
    const dBodyID body = dBodyCreate(world_);
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    dBodySetPosition(body, spec.position.x(), spec.position.y(), spec.position.z());
    mark(geometry, {spec.friction, spec.restitution});
    bodies_.push_back(body);
  }

  void mark(dGeomID geometry, const Surface& surface) {
    surfaces_.push_back(surface);
    dGeomSetData(geometry, &surfaces_.back());
  }

  void collide(dGeomID a, dGeomID b) {
    const auto& one = *static_cast<const Surface*>(dGeomGetData(a));
    const auto& other = *static_cast<const Surface*>(dGeomGetData(b));
    std::array<dContact, most_contacts> contacts;
    const int count = dCollide(a, b, most_contacts, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = contacts[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1 | dContactBounce;
      contact.surface.mu = std::max(one.friction, other.friction);
      contact.surface.bounce = std::max(one.restitution, other.restitution);
      contact.surface.bounce_vel = 0.0;
      const dJointID joint = dJointCreateContact(world_, contact_group_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  double time_step_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contact_group_ = nullptr;
  std::vector<Surface> surfaces_;  ///< the geometries point into it
  std::vector<dBodyID> bodies_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_ode_world(const BodyScene& scene) {
  return std::make_unique<OdeWorld>(scene);
}

}  // namespace stiction::experiments

#endif
