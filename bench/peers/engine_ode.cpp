/// \file
/// ODE in the comparison: a body for each link, hinges and sliders between them; quick step with
/// different numbers of iterations, and world step.

#include "bench/peers/engines.hpp"

#ifndef STICTION_HAVE_ODE

#include <stdexcept>

namespace stiction::bench {
std::vector<PeerEntry> ode_peers() { return {}; }
std::unique_ptr<PeerEngine> make_ode_peer(const PeerModel&, int) {
  throw std::runtime_error("this build is without ODE (Debian: libode-dev)");
}
}  // namespace stiction::bench

#else

#include <array>
#include <deque>
#include <fmt/core.h>
#include <ode/ode.h>
#include <stdexcept>

#include "stiction/dynamics/kinematics.hpp"

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

dQuaternion& assign(dQuaternion& result, const Eigen::Quaterniond& q) {
  result[0] = q.w();
  result[1] = q.x();
  result[2] = q.y();
  result[3] = q.z();
  return result;
}

Eigen::Vector3d vector(const dReal* v) { return {v[0], v[1], v[2]}; }

class OdePeer : public PeerEngine {
 public:
  OdePeer(const PeerModel& scene, int iterations)
      : model_(scene.model),
        joints_(scalar_joints(model_)),
        data_(model_),
        time_step_(scene.time_step),
        friction_(scene.friction),
        iterations_(iterations) {
    start_ode();
    world_ = dWorldCreate();
    space_ = model_.shapes().size() > 64 ? dHashSpaceCreate(nullptr) : dSimpleSpaceCreate(nullptr);
    contact_group_ = dJointGroupCreate(0);
    const Eigen::Vector3d& gravity = model_.gravity();
    dWorldSetGravity(world_, gravity.x(), gravity.y(), gravity.z());
    if (iterations_ > 0) dWorldSetQuickStepNumIterations(world_, iterations_);
    for (int body = 0; body < model_.body_count(); ++body) add_body(body);
    place_at_zero();
    scalars_.resize(static_cast<std::size_t>(model_.body_count()));
    for (const ScalarJoint& joint : joints_) add_joint(joint);
    const std::vector<char> touching = touching_shapes(model_);
    for (std::size_t k = 0; k < touching.size(); ++k) {
      if (touching[k] != 0) add_shape(static_cast<int>(k));
    }
  }

  ~OdePeer() override {
    dJointGroupDestroy(contact_group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) override {
    dJointGroupEmpty(contact_group_);
    solved_.clear();
    contacts_ = 0;
    place(q, v);
  }

  void read_joints(std::span<double> positions, std::span<double> rates) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const dJointID joint = scalars_[static_cast<std::size_t>(joints_[k].body)];
      positions[k] = joints_[k].turns ? dJointGetHingeAngle(joint) : dJointGetSliderPosition(joint);
      rates[k] = joints_[k].turns ? dJointGetHingeAngleRate(joint) : slider_rate(joint);
    }
  }

  void step(std::span<const double> torques) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const dJointID joint = scalars_[static_cast<std::size_t>(joints_[k].body)];
      if (joints_[k].turns) {
        dJointAddHingeTorque(joint, torques[k]);
      } else {
        dJointAddSliderForce(joint, torques[k]);
      }
    }
    dJointGroupEmpty(contact_group_);
    solved_.clear();
    contacts_ = 0;
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdePeer*>(self)->collide(a, b);
    });
    if (iterations_ > 0) {
      dWorldQuickStep(world_, time_step_);
    } else {
      dWorldStep(world_, time_step_);
    }
  }

  void read(PeerState& state) override {
    state.bodies.resize(bodies_.size());
    state.q = model_.initial_positions();
    state.v = Eigen::VectorXd::Zero(model_.velocity_count());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const dReal* q = dBodyGetQuaternion(bodies_[k]);
      const Eigen::Quaterniond turn(q[0], q[1], q[2], q[3]);
      const Eigen::Vector3d to_origin =
          -(turn * model_.body_inertia(static_cast<int>(k)).center_of_mass);
      PeerBody& body = state.bodies[k];
      body.pose.linear() = turn.toRotationMatrix();
      body.pose.translation() = vector(dBodyGetPosition(bodies_[k])) + to_origin;
      body.spin = vector(dBodyGetAngularVel(bodies_[k]));
      body.velocity = vector(dBodyGetLinearVel(bodies_[k])) + body.spin.cross(to_origin);
      const Joint& joint = model_.joint(static_cast<int>(k));
      if (joint.kind != JointKind::floating) continue;
      state.q.segment<3>(joint.position_index) = body.pose.translation();
      state.q.segment<4>(joint.position_index + 3) = turn.coeffs();
      state.v.segment<3>(joint.velocity_index) = body.velocity;
      state.v.segment<3>(joint.velocity_index + 3) = body.spin;
    }
    std::vector<double> positions(joints_.size()), rates(joints_.size());
    read_joints(positions, rates);
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      state.q[joints_[k].position] = positions[k];
      state.v[joints_[k].velocity] = rates[k];
    }
  }

  [[nodiscard]] int contacts() const override { return contacts_; }

  void watch_contacts(bool watch) override { watch_ = watch; }

  void read_contacts(std::vector<PeerContact>& contacts) override {
    contacts.clear();
    for (Solved& from : solved_) {
      from.contact.impulse = (from.on_b ? time_step_ : -time_step_) * vector(from.feedback.f1);
      contacts.push_back(from.contact);
    }
  }

 private:
  /// A contact whose force ODE writes into `feedback`.
  struct Solved {
    PeerContact contact;
    bool on_b = true;  ///< whether `f1` acts on b, else on a
    dJointFeedback feedback;
  };

  /// ODE's own rate compares the velocities of two centres of mass, and is wrong for bodies that
  /// turn.
  static double slider_rate(dJointID joint) {
    const dBodyID own = dJointGetBody(joint, 0);
    const dBodyID other = dJointGetBody(joint, 1);
    dVector3 axis;
    dJointGetSliderAxis(joint, axis);
    Eigen::Vector3d velocity = vector(dBodyGetLinearVel(own));
    if (other != nullptr) {
      const Eigen::Vector3d arm = vector(dBodyGetPosition(own)) - vector(dBodyGetPosition(other));
      velocity -= vector(dBodyGetLinearVel(other)) + vector(dBodyGetAngularVel(other)).cross(arm);
    }
    return velocity.dot(vector(axis));
  }

  void add_body(int body) {
    const BodyInertia& inertia = model_.body_inertia(body);
    const Eigen::Matrix3d& I = inertia.inertia;
    dMass mass;
    dMassSetParameters(&mass, inertia.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
                       I(1, 2));
    bodies_.push_back(dBodyCreate(world_));
    dBodySetMass(bodies_.back(), &mass);
  }

  /// Joints count from where they were made.
  void place_at_zero() {
    Eigen::VectorXd q = model_.initial_positions();
    for (const ScalarJoint& joint : joints_) q[joint.position] = 0.0;
    place(q, Eigen::VectorXd::Zero(model_.velocity_count()));
  }

  /// All bodies where the joints put them.
  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    update_kinematics(model_, data_, q, v);
    for (int k = 0; k < model_.body_count(); ++k) {
      const Eigen::Isometry3d pose = body_pose(data_, k);
      const Eigen::Matrix<double, 6, 1> twist = body_velocity(data_, k);
      const Eigen::Vector3d arm = pose.rotation() * model_.body_inertia(k).center_of_mass;
      const Eigen::Vector3d centre = pose.translation() + arm;
      const Eigen::Vector3d spin = twist.tail<3>();
      const Eigen::Vector3d velocity = twist.head<3>() + spin.cross(arm);
      const dBodyID body = bodies_[static_cast<std::size_t>(k)];
      dQuaternion turn;
      dBodySetPosition(body, centre.x(), centre.y(), centre.z());
      dBodySetQuaternion(body, assign(turn, Eigen::Quaterniond(pose.rotation())));
      dBodySetLinearVel(body, velocity.x(), velocity.y(), velocity.z());
      dBodySetAngularVel(body, spin.x(), spin.y(), spin.z());
      dBodySetForce(body, 0, 0, 0);
      dBodySetTorque(body, 0, 0, 0);
    }
  }

  void add_joint(const ScalarJoint& scalar) {
    const int parent = model_.parent(scalar.body);
    const Eigen::Isometry3d pose = body_pose(data_, scalar.body);
    const Eigen::Vector3d axis = pose.rotation() * model_.joint_axis(scalar.body);
    const dBodyID own = bodies_[static_cast<std::size_t>(scalar.body)];
    const dBodyID other = parent < 0 ? nullptr : bodies_[static_cast<std::size_t>(parent)];
    dJointID joint = nullptr;
    if (scalar.turns) {
      joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, own, other);
      dJointSetHingeAnchor(joint, pose.translation().x(), pose.translation().y(),
                           pose.translation().z());
      dJointSetHingeAxis(joint, axis.x(), axis.y(), axis.z());
    } else {
      joint = dJointCreateSlider(world_, nullptr);
      dJointAttach(joint, own, other);
      dJointSetSliderAxis(joint, axis.x(), axis.y(), axis.z());
    }
    scalars_[static_cast<std::size_t>(scalar.body)] = joint;
  }

  void add_shape(int index) {
    const Shape& shape = model_.shapes()[static_cast<std::size_t>(index)];
    const Eigen::Vector3d& size = shape.size;
    dGeomID geometry = nullptr;
    switch (shape.kind) {
      case ShapeKind::sphere:
        geometry = dCreateSphere(space_, size.x());
        break;
      case ShapeKind::box:
        geometry = dCreateBox(space_, 2 * size.x(), 2 * size.y(), 2 * size.z());
        break;
      case ShapeKind::capsule:
        geometry = dCreateCapsule(space_, size.x(), 2 * size.y());
        break;
      case ShapeKind::plane: {
        const Eigen::Vector3d normal = shape.pose.rotation().col(2);
        geometry = dCreatePlane(space_, normal.x(), normal.y(), normal.z(),
                                normal.dot(shape.pose.translation()));
        break;
      }
      default:
        throw std::runtime_error("ODE is given spheres, boxes, capsules and planes only");
    }
    shape_indices_.push_back(index);
    dGeomSetData(geometry, &shape_indices_.back());
    dGeomSetCategoryBits(geometry, static_cast<unsigned long>(shape.collision_group));
    dGeomSetCollideBits(geometry, static_cast<unsigned long>(shape.collision_mask));
    if (shape.kind == ShapeKind::plane) return;
    dQuaternion turn;
    const Eigen::Quaterniond attitude(shape.pose.rotation());
    if (shape.body == world_body) {
      dGeomSetPosition(geometry, shape.pose.translation().x(), shape.pose.translation().y(),
                       shape.pose.translation().z());
      dGeomSetQuaternion(geometry, assign(turn, attitude));
      return;
    }
    dGeomSetBody(geometry, bodies_[static_cast<std::size_t>(shape.body)]);
    const Eigen::Vector3d offset =
        shape.pose.translation() - model_.body_inertia(shape.body).center_of_mass;
    dGeomSetOffsetPosition(geometry, offset.x(), offset.y(), offset.z());
    dGeomSetOffsetQuaternion(geometry, assign(turn, attitude));
  }

  void collide(dGeomID a, dGeomID b) {
    const int shape_a = *static_cast<const int*>(dGeomGetData(a));
    const int shape_b = *static_cast<const int*>(dGeomGetData(b));
    if (!model_.may_collide(shape_a, shape_b)) return;
    std::array<dContact, most_contacts> contacts;
    const int count = dCollide(a, b, most_contacts, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = contacts[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = friction_;
      const dJointID joint = dJointCreateContact(world_, contact_group_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
      if (watch_) watch(joint, contact.geom);
    }
    contacts_ += count;
  }

  /// Their normal points into the first body. The force acts on that one, but for a first body that
  /// is the world: ODE takes the other one then.
  void watch(dJointID joint, const dContactGeom& geometry) {
    const auto body_of = [this](dGeomID geom) {
      return model_.shapes()[static_cast<std::size_t>(*static_cast<const int*>(dGeomGetData(geom)))]
          .body;
    };
    Solved& solved = solved_.emplace_back();
    solved.contact = {body_of(geometry.g2),    body_of(geometry.g1),    vector(geometry.pos),
                      vector(geometry.normal), Eigen::Vector3d::Zero(), -geometry.depth};
    solved.on_b = dGeomGetBody(geometry.g1) != nullptr;
    dJointSetFeedback(joint, &solved.feedback);
  }

  Model model_;
  std::vector<ScalarJoint> joints_;
  DynamicsData<double> data_;
  double time_step_;
  double friction_;
  int iterations_;
  int contacts_ = 0;
  bool watch_ = false;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contact_group_ = nullptr;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> scalars_;  ///< by body; nullptr for those that float
  std::deque<int> shape_indices_;  ///< the geometries point to these
  std::deque<Solved> solved_;      ///< ODE writes into these
};

PeerEntry entry(std::string name, int iterations) {
  return {"ODE", std::move(name),
          [iterations](const PeerModel& scene) { return make_ode_peer(scene, iterations); }};
}

}  // namespace

std::unique_ptr<PeerEngine> make_ode_peer(const PeerModel& scene, int iterations) {
  return std::make_unique<OdePeer>(scene, iterations);
}

std::vector<PeerEntry> ode_peers() {
  return {entry("quick step, 10 iterations", 10), entry("quick step, 20 iterations", 20),
          entry("quick step, 100 iterations", 100), entry("world step", 0)};
}

}  // namespace stiction::bench

#endif
