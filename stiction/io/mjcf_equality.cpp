#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// Two bodies, and a pose in each: of sites, or the identity.
struct Ends {
  int body_a = 0;
  int body_b = 0;
  Eigen::Isometry3d pose_a = Eigen::Isometry3d::Identity();
  Eigen::Isometry3d pose_b = Eigen::Isometry3d::Identity();
  bool sites = false;
};

std::optional<Ends> read_ends(MjcfScene& scene, const MjcfAttributes& given) {
  Ends ends;
  if (given.has("site1") || given.has("site2")) {
    const auto first = scene.find(scene.site_place, given, "site1", "site");
    const auto second = scene.find(scene.site_place, given, "site2", "site");
    if (!first || !second) return std::nullopt;
    return Ends{first->first, second->first, first->second, second->second, true};
  }
  const auto first = scene.find(scene.body_by_name, given, "body1", "body");
  if (!first) return std::nullopt;
  ends.body_a = *first;
  if (given.has("body2")) {
    const auto second = scene.find(scene.body_by_name, given, "body2", "body");
    if (!second) return std::nullopt;
    ends.body_b = *second;
  }
  return ends;
}

/// The second body as seen from the first one where the file shows them.
Eigen::Isometry3d pose_of_second(MjcfScene& scene, const Ends& ends) {
  return scene.body(ends.body_a).pose_in_world.inverse() * scene.body(ends.body_b).pose_in_world;
}

void set_connect(MjcfScene& scene, const MjcfAttributes& given, Ends& ends) {
  if (ends.sites) return;
  const auto anchor = given.exactly<3>("anchor");
  if (!anchor) {
    if (!given.has("anchor"))
      given.error("<connect> has no anchor", "give a point in the frame of body1");
    return;
  }
  ends.pose_a.translation() = to_vector(*anchor);
  ends.pose_b.translation() = pose_of_second(scene, ends).inverse() * to_vector(*anchor);
}

void set_weld(MjcfScene& scene, const MjcfAttributes& given, Ends& ends) {
  if (ends.sites) return;
  Eigen::Isometry3d second_in_first = pose_of_second(scene, ends);
  if (const auto pose = given.exactly<7>("relpose")) {
    const auto& p = *pose;
    // A zero quaternion is MJCF's word for: as the file shows it.
    if (p[3] != 0.0 || p[4] != 0.0 || p[5] != 0.0 || p[6] != 0.0) {
      second_in_first =
          make_pose({p[0], p[1], p[2]}, from_quat_wxyz({p[3], p[4], p[5], p[6]}, "relpose", given));
    }
  }
  const Eigen::Isometry3d anchor(Eigen::Translation3d(
      to_vector(given.exactly<3>("anchor").value_or(std::array<double, 3>{}))));
  ends.pose_a = second_in_first * anchor;
  ends.pose_b = anchor;
}

bool set_joints(MjcfScene& scene, const MjcfAttributes& given, Coupling& coupling) {
  const auto scalar_joint = [&](const char* attribute) -> std::optional<int> {
    const auto found = scene.find(scene.joint_by_name, given, attribute, "joint");
    if (found && position_size(scene.builder.joint(*found).kind) != 1) {
      given.error(attribute, fmt::format("'{}' is not a hinge or slide joint", attribute),
                  "couple joints with one coordinate");
      return std::nullopt;
    }
    return found;
  };
  const auto first = scalar_joint("joint1");
  if (!first) return false;
  coupling.joint_a = *first;
  if (given.has("joint2")) {
    const auto second = scalar_joint("joint2");
    if (!second) return false;
    coupling.joint_b = *second;
  }
  coupling.coefficients = given.overlay<5>("polycoef", {0, 1, 0, 0, 0});
  return true;
}

/// False if a tendon is missing or could not be read, which was said.
bool set_tendons(MjcfScene& scene, const MjcfAttributes& given, Coupling& coupling) {
  const auto first = scene.find(scene.tendon_by_name, given, "tendon1", "tendon");
  if (!first || *first < 0) return false;
  coupling.tendon_a = *first;
  if (given.has("tendon2")) {
    const auto second = scene.find(scene.tendon_by_name, given, "tendon2", "tendon");
    if (!second || *second < 0) return false;
    coupling.tendon_b = *second;
  }
  coupling.coefficients = given.overlay<5>("polycoef", {0, 1, 0, 0, 0});
  return true;
}

void read_equality(MjcfScene& scene, const pugi::xml_node& node) {
  const std::string_view tag = node.name();
  if (tag != "connect" && tag != "weld" && tag != "joint" && tag != "tendon") {
    return;  // the schema lists the others
  }
  const MjcfAttributes given = scene.attributes(node, MjcfDefaults::main_class, "equality");
  Coupling coupling;
  coupling.source = given.source();
  if (given.has("name")) coupling.name = scene.full(given.text("name"));
  coupling.active = given.flag("active", true);
  if (tag == "joint") {
    coupling.kind = Coupling::Kind::joint;
    if (set_joints(scene, given, coupling)) scene.builder.add_coupling(std::move(coupling));
    return;
  }
  if (tag == "tendon") {
    coupling.kind = Coupling::Kind::tendon;
    if (set_tendons(scene, given, coupling)) scene.builder.add_coupling(std::move(coupling));
    return;
  }
  auto ends = read_ends(scene, given);
  if (!ends) return;
  // A weld that takes no moments is a connection. Otherwise it is hard, whatever it takes.
  const bool turns = tag == "weld" && given.number_from("torquescale", 1.0, 0.0) == 0.0;
  coupling.kind = tag == "weld" && !turns ? Coupling::Kind::weld : Coupling::Kind::connect;
  tag == "weld" ? set_weld(scene, given, *ends) : set_connect(scene, given, *ends);
  coupling.body_a = scene.body(ends->body_a).link;
  coupling.body_b = scene.body(ends->body_b).link;
  coupling.pose_a = ends->pose_a;
  coupling.pose_b = ends->pose_b;
  scene.builder.add_coupling(std::move(coupling));
}

}  // namespace

void read_equalities(MjcfScene& scene) {
  for (const pugi::xml_node section : scene.document.root().children("equality")) {
    for (const pugi::xml_node node : section.children()) read_equality(scene, node);
  }
}

}  // namespace stiction
