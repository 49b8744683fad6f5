#include "stiction/model/start_lengths.hpp"

#include <vector>

#include "stiction/core/index.hpp"
#include "stiction/model/tendon_path.hpp"

namespace stiction {

namespace {

/// From the joint frame in the parent to the body.
Eigen::Isometry3d joint_motion(const BodyConstants& body, const double* q) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  const Eigen::Vector3d axis = to_eigen(body.axis);
  switch (body.joint) {
    case JointKind::revolute:
    case JointKind::continuous:
      motion.linear() = Eigen::AngleAxisd(q[0], axis).toRotationMatrix();
      break;
    case JointKind::prismatic:
      motion.translation() = q[0] * axis;
      break;
    case JointKind::spherical:
      motion.linear() = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix();
      break;
    case JointKind::planar:
      motion.translation() = q[0] * to_eigen(body.plane_x) + q[1] * to_eigen(body.plane_y);
      motion.linear() = Eigen::AngleAxisd(q[2], axis).toRotationMatrix();
      break;
    case JointKind::floating:
      motion.translation() = Eigen::Vector3d(q[0], q[1], q[2]);
      motion.linear() = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
      break;
    case JointKind::fixed:
      break;
  }
  return motion;
}

std::vector<BodyPlace> places_at(std::span<const BodyConstants> bodies, const Eigen::VectorXd& q) {
  std::vector<Eigen::Isometry3d> poses;
  std::vector<BodyPlace> places;
  for (const BodyConstants& body : bodies) {
    Eigen::Isometry3d joint = Eigen::Isometry3d::Identity();
    joint.linear() = to_eigen(body.joint_rotation);
    joint.translation() = to_eigen(body.joint_translation);
    const Eigen::Isometry3d parent =
        body.parent < 0 ? Eigen::Isometry3d::Identity() : poses[index(body.parent)];
    const Eigen::Isometry3d pose =
        parent * joint * joint_motion(body, q.data() + body.position_index);
    poses.push_back(pose);
    places.push_back({from_eigen(Eigen::Matrix3d(pose.linear())),
                      from_eigen(Eigen::Vector3d(pose.translation()))});
  }
  return places;
}

double length_at(std::span<const Joint> joints, const Tendon& tendon, const Eigen::VectorXd& q,
                 const std::vector<BodyPlace>& places) {
  if (tendon.kind == Tendon::Kind::fixed) {
    double length = 0.0;
    for (const Tendon::Term& term : tendon.terms) {
      length += term.coefficient * q[joints[index(term.joint)].position_index];
    }
    return length;
  }
  const auto place_of = [&](int body) { return body < 0 ? BodyPlace{} : places[index(body)]; };
  return walk_tendon(tendon, place_of, [](const TendonSegment&) {});
}

}  // namespace

void set_tendon_lengths(std::span<const BodyConstants> bodies, std::span<const Joint> joints,
                        const Eigen::VectorXd& initial_positions, std::span<Tendon> tendons) {
  if (tendons.empty()) return;
  Eigen::VectorXd rest = initial_positions;
  for (const Joint& joint : joints) {
    if (position_size(joint.kind) == 1) rest[joint.position_index] = joint.spring_reference;
  }
  const std::vector<BodyPlace> at_start = places_at(bodies, initial_positions);
  const std::vector<BodyPlace> at_rest = places_at(bodies, rest);
  for (Tendon& tendon : tendons) {
    tendon.initial_length = length_at(joints, tendon, initial_positions, at_start);
    if (!tendon.spring_at_rest) continue;
    const double length = length_at(joints, tendon, rest, at_rest);
    tendon.spring_range = {length, length};
  }
}

}  // namespace stiction
