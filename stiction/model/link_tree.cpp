#include "stiction/model/link_tree.hpp"

namespace stiction {

std::pair<Eigen::Vector3d, Eigen::Vector3d> plane_of(const Eigen::Vector3d& axis) {
  int largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  Eigen::Vector3d first = Eigen::Vector3d::Unit((largest + 1) % 3);
  first = (first - axis.dot(first) * axis).normalized();
  return {first, axis.cross(first)};
}

BodyInertia combine(const BodyInertia& a, const BodyInertia& b, const Eigen::Isometry3d& pose) {
  const Eigen::Vector3d b_center = pose * b.center_of_mass;
  const Eigen::Matrix3d b_inertia = pose.linear() * b.inertia * pose.linear().transpose();
  const double mass = a.mass + b.mass;
  if (mass == 0.0) return {0.0, Eigen::Vector3d::Zero(), a.inertia + b_inertia};
  BodyInertia result;
  result.mass = mass;
  result.center_of_mass = (a.mass * a.center_of_mass + b.mass * b_center) / mass;
  const auto about_common_center = [&result](double m, const Eigen::Vector3d& center) {
    const Eigen::Vector3d d = center - result.center_of_mass;
    return Eigen::Matrix3d(m * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose()));
  };
  result.inertia = a.inertia + b_inertia + about_common_center(a.mass, a.center_of_mass) +
                   about_common_center(b.mass, b_center);
  return result;
}

LinkTree::LinkTree(const std::vector<LinkSpec>& links, const std::vector<JointSpec>& joints)
    : places(links.size()) {
  const int link_count = static_cast<int>(links.size());
  std::vector<std::vector<int>> children(links.size() + 1);  // the world's stand last
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointSpec& joint = joints[j];
    if (joint.child < 0 || joint.child >= link_count || joint.parent >= link_count) continue;
    const std::size_t slot =
        joint.parent < 0 ? links.size() : static_cast<std::size_t>(joint.parent);
    children[slot].push_back(static_cast<int>(j));
  }

  // An explicit stack, because a file may nest deeper than the machine's own.
  std::vector<int> pending(children.back().rbegin(), children.back().rend());
  while (!pending.empty()) {
    const JointSpec& joint = joints[static_cast<std::size_t>(pending.back())];
    const int joint_index = pending.back();
    pending.pop_back();
    const std::size_t child = static_cast<std::size_t>(joint.child);
    LinkPlace& place = places[child];
    if (place.reached) continue;
    const LinkPlace parent =
        joint.parent < 0 ? LinkPlace{} : places[static_cast<std::size_t>(joint.parent)];
    place.reached = true;
    if (joint.kind == JointKind::fixed) {
      place.body = parent.body;
      place.pose = parent.pose * joint.pose_in_parent * joint.pose_in_child.inverse();
    } else {
      place.body = static_cast<int>(body_joint.size());
      place.pose = joint.pose_in_child.inverse();
      body_joint.push_back(joint_index);
      body_parent.push_back(parent.body);
      body_inertia.emplace_back();
      body_compensation.emplace_back();
      body_links.emplace_back();
    }
    if (place.body >= 0) {
      const std::size_t body = static_cast<std::size_t>(place.body);
      const LinkSpec& link = links[child];
      body_links[body].push_back(joint.child);
      body_inertia[body] =
          combine(body_inertia[body], {link.mass, link.center_of_mass, link.inertia}, place.pose);
      body_compensation[body] = combine(
          body_compensation[body],
          {link.gravity_compensation * link.mass, link.center_of_mass, Eigen::Matrix3d::Zero()},
          place.pose);
    }
    pending.insert(pending.end(), children[child].rbegin(), children[child].rend());
  }
}

}  // namespace stiction
