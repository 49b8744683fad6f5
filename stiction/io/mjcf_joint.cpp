#include <algorithm>
#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

JointKind read_kind(const MjcfAttributes& given) {
  return given.keyword<JointKind>("type",
                                  {{"free", JointKind::floating},
                                   {"ball", JointKind::spherical},
                                   {"slide", JointKind::prismatic},
                                   {"hinge", JointKind::continuous}},
                                  JointKind::continuous);
}

Eigen::Vector3d read_axis(const MjcfAttributes& given) {
  const Eigen::Vector3d axis =
      to_vector(given.exactly<3>("axis").value_or(std::array<double, 3>{0, 0, 1}));
  if (axis.norm() > 1e-10) return axis.normalized();
  given.error("axis", "the axis of the joint has zero length", "give a direction, such as 0 0 1");
  return Eigen::Vector3d::UnitZ();
}

/// The joint stops at this distance from both ends of its range, which must leave room for it. As
/// in MuJoCo it is never in degrees.
void read_margin(JointSpec& joint, const MjcfAttributes& given) {
  const double margin = given.number_from("margin", 0.0, 0.0);
  const bool ball = joint.kind == JointKind::spherical;
  const double room = ball ? joint.limits.upper : 0.5 * (joint.limits.upper - joint.limits.lower);
  if (margin > room) {
    given.report().warning(given.source(), "the margin is larger than half the range",
                           "give a smaller margin; half the range is used");
  }
  joint.limits.margin = std::min(margin, room);
}

void read_limits(JointSpec& joint, const MjcfAttributes& given, const MjcfScene& scene,
                 double unit) {
  const MjcfCompiler& compiler = scene.compiler_of(given);
  if (joint.kind != JointKind::floating && is_limited(given, "limited", "range", compiler) &&
      scene.option.limits) {
    const auto range = given.exactly<2>("range").value_or(std::array<double, 2>{});
    if (joint.kind == JointKind::continuous) joint.kind = JointKind::revolute;
    if (joint.kind == JointKind::spherical) {
      if (range[0] != 0.0) {
        given.error("range", "the range of a ball joint does not start at 0",
                    "give 0 and the largest angle");
      }
    } else {
      joint.limits.lower = range[0] * unit;
    }
    joint.limits.upper = range[1] * unit;
    read_margin(joint, given);
  }
  if (is_limited(given, "actuatorfrclimited", "actuatorfrcrange", compiler)) {
    const auto range = given.exactly<2>("actuatorfrcrange").value_or(std::array<double, 2>{});
    joint.limits.effort = std::max(std::abs(range[0]), std::abs(range[1]));
    if (range[0] != -range[1]) joint.limits.effort_range = range;
  }
}

void read_dynamics(JointSpec& joint, const MjcfAttributes& given, const MjcfOption& option) {
  const double damping = given.number_from("damping", 0.0, 0.0);
  const double friction = given.number_from("frictionloss", 0.0, 0.0);
  const double stiffness = given.number_from("stiffness", 0.0, 0.0);
  joint.damping = option.dampers ? damping : 0.0;
  joint.friction = option.joint_friction ? friction : 0.0;
  joint.armature = given.number_from("armature", 0.0, 0.0);
  joint.stiffness = option.springs ? stiffness : 0.0;
  joint.actuators_carry_weight = given.flag("actuatorgravcomp", false);
  joint.spring_damper = given.exactly<2>("springdamper").value_or(joint.spring_damper);
}

}  // namespace

JointSpec read_joint(MjcfScene& scene, const pugi::xml_node& node, const Eigen::Isometry3d& frame,
                     int inherited_class, const std::string& body_name) {
  const bool plain_free = std::string_view(node.name()) == "freejoint";
  const MjcfAttributes given = plain_free ? MjcfAttributes(scene.document, scene.report, node)
                                          : scene.attributes(node, inherited_class);
  JointSpec joint;
  joint.source = given.source();
  const std::string name = given.text("name");
  joint.name = name.empty() ? scene.names.make("joint", body_name + "_joint") : name;
  joint.kind = plain_free ? JointKind::floating : read_kind(given);
  if (joint.kind == JointKind::floating) {
    if (!plain_free) read_dynamics(joint, given, scene.option);
    return joint;
  }
  const bool turns = joint.kind != JointKind::prismatic;
  const double unit = turns ? scene.compiler_of(given).angle_unit : 1.0;
  const auto position = given.exactly<3>("pos").value_or(std::array<double, 3>{});
  const Eigen::Isometry3d place(Eigen::Translation3d(frame * to_vector(position)));
  joint.axis = frame.linear() * read_axis(given);
  read_limits(joint, given, scene, unit);
  read_dynamics(joint, given, scene.option);
  joint.pose_in_child = place;
  joint.pose_in_parent = place;
  if (joint.kind == JointKind::spherical) return joint;

  // The file shows the joint at q = ref: turn or slide the joint frame back by as much.
  joint.initial_position = given.number("ref", 0.0) * unit;
  joint.spring_reference = given.number("springref", 0.0) * unit;
  if (turns) {
    joint.pose_in_parent.rotate(Eigen::AngleAxisd(-joint.initial_position, joint.axis));
  } else {
    joint.pose_in_parent.translate(-joint.initial_position * joint.axis);
  }
  return joint;
}

}  // namespace stiction
