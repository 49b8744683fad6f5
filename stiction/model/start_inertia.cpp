#include "stiction/model/start_inertia.hpp"

#include "stiction/core/index.hpp"
#include "stiction/model/link_tree.hpp"

namespace stiction {

namespace {

/// From the joint frame before its motion to the frame after it, at the initial position.
Eigen::Isometry3d initial_motion(const JointSpec& joint) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::continuous) {
    motion.linear() = Eigen::AngleAxisd(joint.initial_position, joint.axis).toRotationMatrix();
  } else if (joint.kind == JointKind::prismatic) {
    motion.translation() = joint.initial_position * joint.axis;
  }
  return motion;
}

}  // namespace

StartInertia::StartInertia(const ModelBuilder& builder)
    : builder_(builder), pieces_(index(builder.link_count())) {
  std::vector<int> carrier(pieces_.size(), -1);  // the joint that a link hangs on
  std::vector<std::vector<int>> children(pieces_.size());
  for (int j = 0; j < builder.joint_count(); ++j) {
    const JointSpec& joint = builder.joint(j);
    carrier[index(joint.child)] = j;
    if (joint.parent >= 0) children[index(joint.parent)].push_back(joint.child);
  }
  std::vector<int> order;  // parents before their children
  for (int link = 0; link < builder.link_count(); ++link) {
    const int joint = carrier[index(link)];
    if (joint < 0 || builder.joint(joint).parent < 0) order.push_back(link);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<int>& next = children[index(order[i])];
    order.insert(order.end(), next.begin(), next.end());
  }
  for (auto link = order.rbegin(); link != order.rend(); ++link) {
    const LinkSpec& spec = builder.link(*link);
    BodyInertia& piece = pieces_[index(*link)];
    piece = combine(piece, {spec.mass, spec.center_of_mass, spec.inertia},
                    Eigen::Isometry3d::Identity());
    const int j = carrier[index(*link)];
    if (j < 0 || builder.joint(j).parent < 0) continue;
    const JointSpec& joint = builder.joint(j);
    BodyInertia& whole = pieces_[index(joint.parent)];
    whole = combine(whole, piece,
                    joint.pose_in_parent * initial_motion(joint) * joint.pose_in_child.inverse());
  }
}

double StartInertia::about(int joint) const {
  const JointSpec& moved = builder_.joint(joint);
  const BodyInertia moves = combine({}, pieces_[index(moved.child)], moved.pose_in_child.inverse());
  if (moved.kind == JointKind::prismatic) return moves.mass + moved.armature;
  const Eigen::Vector3d arm = moved.axis.cross(moves.center_of_mass);
  return moved.axis.dot(moves.inertia * moved.axis) + moves.mass * arm.squaredNorm() +
         moved.armature;
}

}  // namespace stiction
