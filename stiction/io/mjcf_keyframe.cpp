#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// Entries of MuJoCo's qpos and qvel are counted off joint by joint.
class KeyframeReader {
 public:
  KeyframeReader(MjcfScene& scene, const pugi::xml_node& node)
      : scene_(scene), given_(scene.document, scene.report, node) {}

  void run() {
    key_.source = given_.source();
    const std::string name = given_.text("name");
    key_.name = scene_.full(name.empty() ? scene_.names.make("keyframe", "key") : name);
    key_.time = given_.number("time", 0.0);
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) {
      if (!covers(scene_.joint_parts[i])) continue;
      key_.joints.push_back({scene_.joints[i], {}, {}});
      const JointKind kind = scene_.builder.joint(scene_.joints[i]).kind;
      positions_ += static_cast<std::size_t>(position_size(kind));
      velocities_ += static_cast<std::size_t>(velocity_size(kind));
    }
    read_positions();
    read_velocities();
    read_control();
    read_activation();
    read_mocap();
    scene_.builder.add_keyframe(std::move(key_));
  }

 private:
  /// A keyframe of an attached model lists what came with that model; the others keep their start.
  [[nodiscard]] bool covers(int part) const {
    return scene_.document.is_within(part, scene_.document.part_of(given_.element()));
  }

  /// The numbers of an attribute; empty if it is not there or has the wrong count (which is said).
  std::vector<double> numbers(const char* name, std::size_t count) {
    std::vector<double> values = given_.list(name);
    if (values.empty() || values.size() == count) return values;
    given_.error(name, fmt::format("attribute '{}' has {} numbers", name, values.size()),
                 fmt::format("give {}, in the order of the joints in the file", count));
    return {};
  }

  /// Four numbers from `at`, w first, as x y z w of unit length. Zeros mean no rotation.
  static Eigen::Quaterniond quaternion(const std::vector<double>& values, std::size_t at) {
    const Eigen::Quaterniond given(values[at], values[at + 1], values[at + 2], values[at + 3]);
    return given.norm() > 1e-10 ? given.normalized() : Eigen::Quaterniond::Identity();
  }

  static void append(std::vector<double>& list, const Eigen::Quaterniond& q) {
    list.insert(list.end(), {q.x(), q.y(), q.z(), q.w()});
  }

  void read_positions() {
    const std::vector<double> qpos = numbers("qpos", positions_);
    if (qpos.empty()) return;
    std::size_t at = 0;
    for (KeyframeSpec::JointValue& value : key_.joints) {
      const JointKind kind = scene_.builder.joint(value.joint).kind;
      const std::size_t size = static_cast<std::size_t>(position_size(kind));
      const std::size_t plain = size >= 4 ? size - 4 : size;
      value.q.assign(qpos.begin() + static_cast<std::ptrdiff_t>(at),
                     qpos.begin() + static_cast<std::ptrdiff_t>(at + plain));
      if (size >= 4) append(value.q, quaternion(qpos, at + plain));
      at += size;
    }
  }

  void read_velocities() {
    const std::vector<double> qvel = numbers("qvel", velocities_);
    if (qvel.empty()) return;
    std::size_t at = 0;
    for (KeyframeSpec::JointValue& value : key_.joints) {
      const JointSpec& joint = scene_.builder.joint(value.joint);
      const std::size_t size = static_cast<std::size_t>(velocity_size(joint.kind));
      value.v.assign(qvel.begin() + static_cast<std::ptrdiff_t>(at),
                     qvel.begin() + static_cast<std::ptrdiff_t>(at + size));
      if (joint.kind == JointKind::floating) turn_to_world(joint, value);
      at += size;
    }
  }

  /// MuJoCo has the angular velocity of a free body in its own axes, Stiction in the world's.
  static void turn_to_world(const JointSpec& joint, KeyframeSpec::JointValue& value) {
    Eigen::Matrix3d rotation = joint.pose_in_parent.linear();
    if (!value.q.empty()) {
      rotation =
          Eigen::Quaterniond(value.q[6], value.q[3], value.q[4], value.q[5]).toRotationMatrix();
    }
    const Eigen::Vector3d world = rotation * Eigen::Vector3d(value.v[3], value.v[4], value.v[5]);
    for (std::size_t i = 0; i < 3; ++i) value.v[3 + i] = world[static_cast<Eigen::Index>(i)];
  }

  void read_control() {
    std::vector<int> actuators;
    std::size_t position = 0;
    for (const pugi::xml_node section : scene_.document.root().children("actuator")) {
      for (const pugi::xml_node node : section.children()) {
        if (covers(scene_.document.part_of(node))) {
          actuators.push_back(scene_.actuators.at(position));
        }
        ++position;
      }
    }
    const std::vector<double> ctrl = numbers("ctrl", actuators.size());
    for (std::size_t i = 0; i < ctrl.size(); ++i) {
      const int actuator = actuators[i];
      if (actuator < 0) continue;
      const std::size_t slot = static_cast<std::size_t>(actuator);
      if (key_.control.size() <= slot) key_.control.resize(slot + 1, 0.0);
      key_.control[slot] = ctrl[i];
    }
  }

  /// One number per actuator with dynamics, in the order of the file.
  void read_activation() {
    std::vector<int> with_dynamics;
    for (const int actuator : scene_.actuators) {
      if (actuator >= 0 && scene_.builder.actuator(actuator).dynamics != ActuatorDynamics::none) {
        with_dynamics.push_back(actuator);
      }
    }
    key_.activation = numbers("act", with_dynamics.size());
  }

  void read_mocap() {
    const std::size_t count = scene_.mocap_joints.size();
    const std::vector<double> positions = numbers("mpos", 3 * count);
    const std::vector<double> quaternions = numbers("mquat", 4 * count);
    for (std::size_t i = 0; i < count; ++i) {
      const int joint = scene_.mocap_joints[i];
      const Eigen::Isometry3d& shown = scene_.builder.joint(joint).pose_in_parent;
      Eigen::Vector3d position = shown.translation();
      if (!positions.empty()) {
        position = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
      }
      KeyframeSpec::JointValue value{
          joint, {position.x(), position.y(), position.z()}, prescribed_velocity(joint)};
      append(value.q, quaternions.empty() ? Eigen::Quaterniond(shown.linear())
                                          : quaternion(quaternions, 4 * i));
      key_.joints.push_back(std::move(value));
    }
  }

  /// MuJoCo has no velocities of mocap bodies: they stand in the custom section, for all keyframes.
  [[nodiscard]] std::vector<double> prescribed_velocity(int joint) const {
    const int link = scene_.builder.joint(joint).child;
    for (const auto& [body, entry] : scene_.custom.velocities) {
      const auto found = scene_.body_by_name.find(body);
      if (found != scene_.body_by_name.end() && scene_.body(found->second).link == link) {
        return entry.value;
      }
    }
    return {};
  }

  MjcfScene& scene_;
  MjcfAttributes given_;
  KeyframeSpec key_;
  std::size_t positions_ = 0;
  std::size_t velocities_ = 0;
};

}  // namespace

void read_keyframes(MjcfScene& scene) {
  for (const pugi::xml_node section : scene.document.root().children("keyframe")) {
    for (const pugi::xml_node node : section.children("key")) KeyframeReader(scene, node).run();
  }
}

}  // namespace stiction
