#include <array>
#include <fmt/format.h>
#include <stdexcept>

#include "stiction/record/page.hpp"
#include "stiction/record/page_encoding.hpp"

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

/// A body and the joint that carries it.
struct ScenePart {
  int parent = world_body;
  JointKind kind = JointKind::revolute;
  Eigen::Isometry3d joint_pose = Eigen::Isometry3d::Identity();  ///< in the parent
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();               ///< in the joint frame
  Eigen::Vector3d plane_x = Eigen::Vector3d::UnitX();            ///< the same, of planar joints
  Eigen::Vector3d plane_y = Eigen::Vector3d::UnitY();
  int index = 0;  ///< first entry in q
};

template <int size>
Eigen::Matrix<double, size, 1> vector_of(const Json& list) {
  Eigen::Matrix<double, size, 1> vector;
  for (int i = 0; i < size; ++i) vector[i] = list[static_cast<std::size_t>(i)].get<double>();
  return vector;
}

ScenePart read_part(const Json& body) {
  const Json& joint = body["joint"];
  ScenePart part;
  part.parent = body["parent"].get<int>();
  part.kind = *parse_joint_kind(joint["kind"].get<std::string>());
  part.joint_pose.translation() = vector_of<3>(joint["position"]);
  part.joint_pose.linear() =
      Eigen::Quaterniond(vector_of<4>(joint["quaternion"])).normalized().toRotationMatrix();
  part.axis = vector_of<3>(joint["axis"]).normalized();
  if (part.kind == JointKind::planar) {
    part.plane_x = vector_of<3>(joint["plane_x"]).normalized();
    part.plane_y = part.axis.cross(part.plane_x);
  }
  part.index = joint["index"].get<int>();
  return part;
}

Eigen::Matrix3d rotation_of(const Eigen::VectorXd& q, int first) {
  return Eigen::Quaterniond(Eigen::Vector4d(q.segment<4>(first))).normalized().toRotationMatrix();
}

/// Where a joint at `q` puts its body, in the joint frame; of a floating body in the world.
Eigen::Isometry3d joint_motion(const ScenePart& part, const Eigen::VectorXd& q) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  const int i = part.index;
  switch (part.kind) {
    case JointKind::revolute:
    case JointKind::continuous:
      motion.linear() = Eigen::AngleAxisd(q[i], part.axis).toRotationMatrix();
      break;
    case JointKind::prismatic:
      motion.translation() = q[i] * part.axis;
      break;
    case JointKind::spherical:
      motion.linear() = rotation_of(q, i);
      break;
    case JointKind::planar:
      motion.translation() = q[i] * part.plane_x + q[i + 1] * part.plane_y;
      motion.linear() = Eigen::AngleAxisd(q[i + 2], part.axis).toRotationMatrix();
      break;
    case JointKind::floating:
      motion.translation() = q.segment<3>(i);
      motion.linear() = rotation_of(q, i + 3);
      break;
    case JointKind::fixed:
      break;
  }
  return motion;
}

}  // namespace

struct ScenePoses::Implementation {
  std::vector<ScenePart> parts;
  int position_count = 0;
};

ScenePoses::ScenePoses(const std::string& scene)
    : implementation_(std::make_unique<Implementation>()) {
  const Json document = parse_scene(scene);
  for (const Json& body : document["bodies"]) implementation_->parts.push_back(read_part(body));
  implementation_->position_count = document["position_count"].get<int>();
}

ScenePoses::~ScenePoses() = default;
ScenePoses::ScenePoses(ScenePoses&&) noexcept = default;
ScenePoses& ScenePoses::operator=(ScenePoses&&) noexcept = default;

int ScenePoses::body_count() const { return static_cast<int>(implementation_->parts.size()); }
int ScenePoses::position_count() const { return implementation_->position_count; }

std::vector<Eigen::Isometry3d> ScenePoses::poses(const Eigen::VectorXd& q) const {
  if (q.size() != position_count()) {
    throw std::invalid_argument(
        fmt::format("q has {} entries, but the scene has {}", q.size(), position_count()));
  }
  std::vector<Eigen::Isometry3d> poses;
  poses.reserve(implementation_->parts.size());
  for (const ScenePart& part : implementation_->parts) {
    const Eigen::Isometry3d motion = joint_motion(part, q);
    if (part.kind == JointKind::floating) {
      poses.push_back(motion);
    } else if (part.parent == world_body) {
      poses.push_back(part.joint_pose * motion);
    } else {
      poses.push_back(poses[static_cast<std::size_t>(part.parent)] * part.joint_pose * motion);
    }
  }
  return poses;
}

}  // namespace stiction
