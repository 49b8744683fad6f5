/// \file
/// ODE's quick step with 20 iterations, contact points found by its hash space.

#include "bench/pile_engine.hpp"

#ifndef STICTION_HAVE_ODE

namespace stiction::bench {
std::vector<PileEntry> ode_piles() { return {}; }
}  // namespace stiction::bench

#else

#include <array>
#include <limits>
#include <ode/ode.h>

namespace stiction::bench {

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

class OdePile : public PileEngine {
 public:
  explicit OdePile(const PileScene& scene) {
    start_ode();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(space_, -3, 0);  // cells of 1/8 to 1 m: bodies are 0.2 m large
    contact_group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0.0, 0.0, -pile_gravity);
    dWorldSetQuickStepNumIterations(world_, 20);
    for (const PilePlane& plane : pile_planes(scene)) {
      planes_.push_back(dCreatePlane(nullptr, plane.normal.x(), plane.normal.y(), plane.normal.z(),
                                     plane.offset));
    }
    for (const Eigen::Isometry3d& pose : scene.poses) add(scene, pose);
  }

  ~OdePile() override {
    dJointGroupDestroy(contact_group_);
    for (const dGeomID plane : planes_) dGeomDestroy(plane);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step() override {
    contacts_ = 0;
    dSpaceCollide(space_, this, near_callback);
    for (const dGeomID plane : planes_) {
      dSpaceCollide2(plane, reinterpret_cast<dGeomID>(space_), this, near_callback);
    }
    dWorldQuickStep(world_, pile_time_step);
    dJointGroupEmpty(contact_group_);
  }

  [[nodiscard]] int contacts() const override { return contacts_; }

  void read(std::vector<Eigen::Isometry3d>& poses) const override {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const dReal* at = dBodyGetPosition(bodies_[i]);
      const dReal* turn = dBodyGetQuaternion(bodies_[i]);
      poses[i].translation() << at[0], at[1], at[2];
      poses[i].linear() = Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]).toRotationMatrix();
    }
  }

 private:
  void add(const PileScene& scene, const Eigen::Isometry3d& pose) {
    const double I = scene.inertia();
    const double r = scene.radius;
    dMass mass;
    dMassSetParameters(&mass, pile_mass, 0, 0, 0, I, I, I, 0, 0, 0);
    const dBodyID body = dBodyCreate(world_);
    dBodySetMass(body, &mass);
    const Eigen::Quaterniond turn(pose.rotation());
    const dQuaternion quaternion{turn.w(), turn.x(), turn.y(), turn.z()};
    dBodySetPosition(body, pose.translation().x(), pose.translation().y(), pose.translation().z());
    dBodySetQuaternion(body, quaternion);
    const dGeomID geometry = scene.kind == PileKind::spheres
                                 ? dCreateSphere(space_, r)
                                 : dCreateBox(space_, 2 * r, 2 * r, 2 * r);
    dGeomSetBody(geometry, body);
    bodies_.push_back(body);
  }

  static void near_callback(void* self, dGeomID a, dGeomID b) {
    static_cast<OdePile*>(self)->collide(a, b);
  }

  void collide(dGeomID a, dGeomID b) {
    std::array<dContact, most_contacts> contacts;
    const int count = dCollide(a, b, most_contacts, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = contacts[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = pile_friction;
      const dJointID joint = dJointCreateContact(world_, contact_group_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
    contacts_ += count;
  }

  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contact_group_ = nullptr;
  std::vector<dGeomID> planes_;
  std::vector<dBodyID> bodies_;
  int contacts_ = 0;
};

}  // namespace

std::vector<PileEntry> ode_piles() {
  constexpr std::array no_limit{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  return {{"ODE", "quick step, 20 iterations", no_limit,
           [](const PileScene& scene) { return std::make_unique<OdePile>(scene); }}};
}

}  // namespace stiction::bench

#endif
