#include "stiction/dynamics/transmission.hpp"

#include <cmath>
#include <numbers>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

using Eigen::Vector3d;

/// The rotation vector of a quaternion, at most π long.
Vector3d rotation_vector(const Eigen::Quaterniond& quaternion) {
  const double sine = quaternion.vec().norm();
  if (sine == 0.0) return Vector3d::Zero();
  double angle = 2.0 * std::atan2(sine, quaternion.w());
  if (angle > std::numbers::pi) angle -= 2.0 * std::numbers::pi;
  return angle / sine * quaternion.vec();
}

/// A force at a point of a body, and a torque, in world axes.
struct Wrench {
  int body = -1;
  Vector3d point;
  Vector3d force;
  Vector3d torque;
};

/// Appends what the wrench does along each velocity that moves its body; bodies from `end` on the
/// way to the root are left out.
void append(const Model& model, const DynamicsData<double>& data, const Wrench& wrench, int end,
            std::vector<MomentTerm>& moment) {
  for (int at = wrench.body; at >= 0 && at != end; at = model.parent(at)) {
    const BodyConstants& constants = model.constants()[index(at)];
    const Vector3d arm = wrench.point - to_eigen(data.bodies[index(at)].position);
    const Vector3d torque = arm.cross(wrench.force) + wrench.torque;
    for (int k = 0; k < constants.velocity_count; ++k) {
      const int velocity = constants.velocity_index + k;
      const Vector3d axis = to_eigen(data.dofs[index(velocity)].axis);
      const bool turns = model.degrees_of_freedom()[index(velocity)].angular;
      moment.push_back({velocity, axis.dot(turns ? torque : wrench.force)});
    }
  }
}

/// The last body on both ways to the root, -1 for none.
int common_ancestor(const Model& model, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = model.parent(a);
    } else {
      b = model.parent(b);
    }
  }
  return a;
}

double joint_transmission(const Model& model, std::span<const double> q, const Actuator& actuator,
                          std::vector<MomentTerm>& moment) {
  const Joint& joint = model.joint(actuator.joint);
  const double* position = q.data() + joint.position_index;
  const std::array<double, 6>& gear = actuator.gear;
  const auto add = [&](int first, const Vector3d& values) {
    for (int k = 0; k < 3; ++k) moment.push_back({joint.velocity_index + first + k, values[k]});
  };
  switch (joint.kind) {
    case JointKind::spherical: {
      const Eigen::Quaterniond turn(position[3], position[0], position[1], position[2]);
      const Vector3d given(gear[0], gear[1], gear[2]);
      const Vector3d axis = actuator.in_parent ? Vector3d(turn.conjugate() * given) : given;
      add(0, axis);
      return axis.dot(rotation_vector(turn));
    }
    case JointKind::floating: {
      const Eigen::Quaterniond turn(position[6], position[3], position[4], position[5]);
      const Vector3d torque(gear[3], gear[4], gear[5]);
      add(0, {gear[0], gear[1], gear[2]});
      add(3, actuator.in_parent ? torque : Vector3d(turn * torque));
      return 0.0;
    }
    case JointKind::planar: {
      const Vector3d values(gear[0], gear[1], gear[2]);
      add(0, values);
      return values.dot(Vector3d(position[0], position[1], position[2]));
    }
    default:
      moment.push_back({joint.velocity_index, gear[0]});
      return gear[0] * position[0];
  }
}

double site_transmission(const Model& model, const DynamicsData<double>& data,
                         const Actuator& actuator, std::vector<MomentTerm>& moment) {
  const Eigen::Isometry3d site = frame_pose(model, data, actuator.frame);
  const int body = model.frames()[index(actuator.frame)].body;
  const Vector3d force(actuator.gear[0], actuator.gear[1], actuator.gear[2]);
  const Vector3d torque(actuator.gear[3], actuator.gear[4], actuator.gear[5]);
  if (actuator.reference < 0) {
    append(model, data, {body, site.translation(), site.linear() * force, site.linear() * torque},
           -1, moment);
    return 0.0;
  }
  const Eigen::Isometry3d reference = frame_pose(model, data, actuator.reference);
  const int other = model.frames()[index(actuator.reference)].body;
  const int common = common_ancestor(model, body, other);
  const Vector3d push = reference.linear() * force;
  const Vector3d turn = reference.linear() * torque;
  append(model, data, {body, site.translation(), push, turn}, common, moment);
  append(model, data, {other, reference.translation(), -push, -turn}, common, moment);
  const Eigen::Isometry3d seen = reference.inverse() * site;
  return force.dot(seen.translation()) +
         torque.dot(rotation_vector(Eigen::Quaterniond(seen.linear())));
}

/// With c from the slider to the pin of the crank and z the slider's axis: the slider is out by
/// l = z·c − √((z·c)² + rod² − c·c).
double crank_transmission(const Model& model, const DynamicsData<double>& data,
                          const Actuator& actuator, std::vector<MomentTerm>& moment) {
  const Eigen::Isometry3d crank = frame_pose(model, data, actuator.frame);
  const Eigen::Isometry3d slider = frame_pose(model, data, actuator.reference);
  const double gear = actuator.gear[0];
  const Vector3d axis = slider.linear().col(2);
  const Vector3d pin = crank.translation() - slider.translation();
  const double along = axis.dot(pin);
  const double square = along * along + actuator.rod * actuator.rod - pin.squaredNorm();
  // Out of reach of the rod: the pin's own place along the axis.
  const double root = square > 0.0 ? std::sqrt(square) : 0.0;
  const double share = root > 0.0 ? 1.0 - along / root : 1.0;
  Vector3d push = share * axis;
  if (root > 0.0) push += pin / root;
  // The slider turns its axis: δl = share pin · (δθ × axis).
  const Vector3d turn = share * axis.cross(pin);
  append(model, data,
         {model.frames()[index(actuator.frame)].body, crank.translation(), gear * push,
          Vector3d::Zero()},
         -1, moment);
  append(model, data,
         {model.frames()[index(actuator.reference)].body, slider.translation(), -gear * push,
          gear * turn},
         -1, moment);
  return gear * (along - root);
}

}  // namespace

double tendon_transmission(const TendonSet& tendons, int tendon, double gear,
                           std::vector<MomentTerm>& moment) {
  for (const MomentTerm& term : tendons.moment(tendon)) {
    moment.push_back({term.index, gear * term.coefficient});
  }
  return gear * tendons.length(tendon);
}

double transmission(const Model& model, const DynamicsData<double>& data, const TendonSet& tendons,
                    std::span<const double> q, const Actuator& actuator,
                    std::vector<MomentTerm>& moment) {
  if (actuator.tendon >= 0) {
    return tendon_transmission(tendons, actuator.tendon, actuator.gear[0], moment);
  }
  if (actuator.adheres) return 0.0;
  if (actuator.joint >= 0) return joint_transmission(model, q, actuator, moment);
  if (actuator.rod > 0.0) return crank_transmission(model, data, actuator, moment);
  return site_transmission(model, data, actuator, moment);
}

ActuatorMotion actuator_motion(const Model& model, const DynamicsData<double>& data,
                               std::span<const double> q, std::span<const double> v,
                               const Actuator& actuator) {
  std::vector<MomentTerm> moment;
  ActuatorMotion result;
  TendonSet tendons(model);
  tendons.update(model, data, q);
  result.length = transmission(model, data, tendons, q, actuator, moment);
  result.velocity = velocity_along(moment, v);
  return result;
}

}  // namespace stiction
