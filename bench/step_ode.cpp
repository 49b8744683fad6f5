/// \file
/// ODE in the race of steps: 13 bodies and 12 hinges, with quick step and with world step.

#include "bench/step_engine.hpp"

#ifndef STICTION_HAVE_ODE

namespace stiction::bench {
std::vector<StepEntry> ode_entries() { return {}; }
}  // namespace stiction::bench

#else

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <ode/ode.h>

#include "stiction/dynamics/kinematics.hpp"

namespace stiction::bench {

namespace {

constexpr unsigned long floor_bits = 1;
constexpr unsigned long robot_bits = 2;
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

class OdeEngine : public StepEngine {
 public:
  OdeEngine(const StepRobot& robot, bool quick)
      : model_(robot.model),
        stand_(robot.stand),
        data_(model_),
        time_step_(robot.time_step),
        quick_(quick) {
    start_ode();
    world_ = dWorldCreate();
    space_ = dSimpleSpaceCreate(nullptr);
    contact_group_ = dJointGroupCreate(0);
    const Eigen::Vector3d& gravity = model_.gravity();
    dWorldSetGravity(world_, gravity.x(), gravity.y(), gravity.z());
    dWorldSetQuickStepNumIterations(world_, 20);
    const dGeomID floor = dCreatePlane(space_, 0, 0, 1, 0);
    dGeomSetCategoryBits(floor, floor_bits);
    dGeomSetCollideBits(floor, robot_bits);
    add_robot();
    reset(stand_.head<3>(), Eigen::Vector3d::Zero());
  }

  ~OdeEngine() override {
    dJointGroupDestroy(contact_group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    dJointGroupEmpty(contact_group_);
    contacts_ = 0;
    Eigen::VectorXd q = stand_;
    q.head<3>() = position;
    place(q);
    for (const dBodyID body : bodies_) {
      dBodySetLinearVel(body, velocity.x(), velocity.y(), velocity.z());
      dBodySetAngularVel(body, 0, 0, 0);
      dBodySetForce(body, 0, 0, 0);
      dBodySetTorque(body, 0, 0, 0);
    }
  }

  void read_legs(LegState& legs) override {
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      legs.angle[k] = dJointGetHingeAngle(hinges_[k]);
      legs.rate[k] = dJointGetHingeAngleRate(hinges_[k]);
    }
  }

  double fastest() override {
    double most = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      most = std::max({most, std::abs(dBodyGetLinearVel(bodies_[0])[axis]),
                       std::abs(dBodyGetAngularVel(bodies_[0])[axis])});
    }
    for (const dJointID hinge : hinges_) {
      most = std::max(most, std::abs(dJointGetHingeAngleRate(hinge)));
    }
    return most;
  }

  void step(const LegTorques& torques) override {
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      dJointAddHingeTorque(hinges_[k], torques[k]);
    }
    dJointGroupEmpty(contact_group_);
    contacts_ = 0;
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeEngine*>(self)->collide(a, b);
    });
    if (quick_) {
      dWorldQuickStep(world_, time_step_);
    } else {
      dWorldStep(world_, time_step_);
    }
  }

  void read_state(FullState& state) override {
    state.q = stand_;
    state.v = Eigen::VectorXd::Zero(model_.velocity_count());
    const dReal* turn = dBodyGetQuaternion(bodies_[0]);
    const Eigen::Quaterniond attitude(turn[0], turn[1], turn[2], turn[3]);
    const Eigen::Vector3d from_origin = attitude * model_.body_inertia(0).center_of_mass;
    const Eigen::Map<const Eigen::Vector3d> centre(dBodyGetPosition(bodies_[0]));
    const Eigen::Map<const Eigen::Vector3d> velocity(dBodyGetLinearVel(bodies_[0]));
    const Eigen::Vector3d spin = Eigen::Map<const Eigen::Vector3d>(dBodyGetAngularVel(bodies_[0]));
    state.q.head<3>() = centre - from_origin;
    state.q.segment<4>(3) = attitude.coeffs();
    state.v.head<3>() = velocity - spin.cross(from_origin);
    state.v.segment<3>(3) = spin;
    LegState legs;
    read_legs(legs);
    std::copy(legs.angle.begin(), legs.angle.end(), state.q.data() + 7);
    std::copy(legs.rate.begin(), legs.rate.end(), state.v.data() + 6);
  }

  [[nodiscard]] int contacts() const override { return contacts_; }

 private:
  /// All bodies where the joints put them.
  void place(const Eigen::VectorXd& q) {
    update_kinematics(model_, data_, q, Eigen::VectorXd::Zero(model_.velocity_count()));
    for (int k = 0; k < model_.body_count(); ++k) {
      const Eigen::Isometry3d pose = body_pose(data_, k);
      const Eigen::Vector3d centre = pose * model_.body_inertia(k).center_of_mass;
      dQuaternion turn;
      const dBodyID body = bodies_[static_cast<std::size_t>(k)];
      dBodySetPosition(body, centre.x(), centre.y(), centre.z());
      dBodySetQuaternion(body, assign(turn, Eigen::Quaterniond(pose.rotation())));
    }
  }

  void add_robot() {
    for (int k = 0; k < model_.body_count(); ++k) {
      const BodyInertia& inertia = model_.body_inertia(k);
      const Eigen::Matrix3d& I = inertia.inertia;
      dMass mass;
      dMassSetParameters(&mass, inertia.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
                         I(1, 2));
      bodies_.push_back(dBodyCreate(world_));
      dBodySetMass(bodies_.back(), &mass);
    }
    place_at_zero();
    for (int k = 1; k < model_.body_count(); ++k) add_hinge(k);
    for (const Shape& shape : model_.shapes()) {
      if (shape.body != world_body && shape.collides) add_shape(shape);
    }
  }

  /// Hinges count their angle from where they were made.
  void place_at_zero() {
    Eigen::VectorXd q = stand_;
    q.tail(static_cast<Eigen::Index>(leg_joint_count)).setZero();
    place(q);
  }

  void add_hinge(int k) {
    const Eigen::Isometry3d pose = body_pose(data_, k);
    const Eigen::Vector3d axis = pose.rotation() * model_.joint_axis(k);
    const dJointID hinge = dJointCreateHinge(world_, nullptr);
    dJointAttach(hinge, bodies_[static_cast<std::size_t>(k)],
                 bodies_[static_cast<std::size_t>(model_.parent(k))]);
    dJointSetHingeAnchor(hinge, pose.translation().x(), pose.translation().y(),
                         pose.translation().z());
    dJointSetHingeAxis(hinge, axis.x(), axis.y(), axis.z());
    hinges_.push_back(hinge);
  }

  void add_shape(const Shape& shape) {
    const dGeomID geometry =
        shape.kind == ShapeKind::box
            ? dCreateBox(space_, 2 * shape.size.x(), 2 * shape.size.y(), 2 * shape.size.z())
            : dCreateSphere(space_, shape.size.x());
    dGeomSetBody(geometry, bodies_[static_cast<std::size_t>(shape.body)]);
    const Eigen::Vector3d offset =
        shape.pose.translation() - model_.body_inertia(shape.body).center_of_mass;
    dQuaternion turn;
    dGeomSetOffsetPosition(geometry, offset.x(), offset.y(), offset.z());
    dGeomSetOffsetQuaternion(geometry, assign(turn, Eigen::Quaterniond(shape.pose.rotation())));
    dGeomSetCategoryBits(geometry, robot_bits);
    dGeomSetCollideBits(geometry, floor_bits);
    friction_ = model_.materials()[static_cast<std::size_t>(shape.material)].friction;
  }

  void collide(dGeomID a, dGeomID b) {
    std::array<dContact, most_contacts> contacts;
    const int count = dCollide(a, b, most_contacts, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = contacts[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = friction_;
      const dJointID joint = dJointCreateContact(world_, contact_group_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
    contacts_ += count;
  }

  Model model_;
  Eigen::VectorXd stand_;
  DynamicsData<double> data_;
  double time_step_;
  bool quick_;
  double friction_ = 0.0;
  int contacts_ = 0;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contact_group_ = nullptr;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> hinges_;
};

std::unique_ptr<StepEngine> make(const StepRobot& robot, int setting) {
  return std::make_unique<OdeEngine>(robot, setting == 0);
}

}  // namespace

std::vector<StepEntry> ode_entries() {
  return {{"ODE", "quick step, 20 iterations", make, 0}, {"ODE", "world step", make, 1}};
}

}  // namespace stiction::bench

#endif
