#pragma once

/// \file
/// A RobotRecipe as MJCF. Inertias go out as principal moments with a quaternion, because MuJoCo
/// 2.2.2 diagonalises `fullinertia` only to about 1e-8.

#include <fmt/format.h>
#include <string>

#include "support/random_tree.hpp"

namespace stiction::test {

namespace mjcf_detail {

inline std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

/// MJCF's order: w first.
inline std::string numbers(const Eigen::Quaterniond& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

inline std::string joint_text(const LinkRecipe& link, const std::string& name, const char* type,
                              const Eigen::Vector3d& axis) {
  return fmt::format(
      "<joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\" armature=\"{:.17g}\"/>\n", name, type,
      numbers(link.joint_point), numbers(axis), link.armature);
}

/// MJCF has no planar joint: two slides and a hinge make one. `plane_x` and `plane_y` are the
/// directions that our Model has chosen.
inline std::string joints_text(const LinkRecipe& link, const Model& model) {
  const std::string name = joint_name(link);
  switch (link.joint) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
    case JointKind::continuous:
      return joint_text(link, name, "hinge", link.axis);
    case JointKind::prismatic:
      return joint_text(link, name, "slide", link.axis);
    case JointKind::spherical:
      return joint_text(link, name, "ball", link.axis);
    case JointKind::floating:
      return fmt::format("<joint name=\"{}\" type=\"free\" armature=\"{:.17g}\"/>\n", name,
                         link.armature);
    case JointKind::planar: {
      const BodyConstants& body =
          model.constants()[static_cast<std::size_t>(model.find_joint(name).value())];
      return joint_text(link, name + "_x", "slide", to_eigen(body.plane_x)) +
             joint_text(link, name + "_y", "slide", to_eigen(body.plane_y)) +
             joint_text(link, name, "hinge", link.axis);
    }
  }
  return {};
}

inline std::string body_text(const RobotRecipe& robot, int index, const Model& model) {
  const LinkRecipe& link = robot.links[static_cast<std::size_t>(index)];
  std::string text = fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">\n", link.name,
                                 numbers(link.position), numbers(link.rotation));
  text += joints_text(link, model);
  text += fmt::format("<inertial mass=\"{:.17g}\" pos=\"{}\" quat=\"{}\" diaginertia=\"{}\"/>\n",
                      link.mass, numbers(link.center_of_mass), numbers(link.principal_axes),
                      numbers(link.principal_moments));
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.links[i].parent == index) text += body_text(robot, static_cast<int>(i), model);
  }
  return text + "</body>\n";
}

}  // namespace mjcf_detail

/// `model` is our own model of the same recipe.
inline std::string mjcf_text(const RobotRecipe& robot, const Model& model) {
  std::string text = fmt::format(
      "<mujoco model=\"{}\">\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n"
      "<option gravity=\"{}\"/>\n<worldbody>\n",
      robot.name, mjcf_detail::numbers(robot.gravity));
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.links[i].parent < 0) {
      text += mjcf_detail::body_text(robot, static_cast<int>(i), model);
    }
  }
  return text + "</worldbody>\n</mujoco>\n";
}

}  // namespace stiction::test
