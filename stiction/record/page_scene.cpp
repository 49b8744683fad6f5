#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "stiction/record/page.hpp"
#include "stiction/record/page_encoding.hpp"
#include "stiction/record/page_looks.hpp"

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  Json list = Json::array();
  for (const double x : vector) list.push_back(x);
  return list;
}

void add_pose(Json& entry, const Eigen::Isometry3d& pose) {
  entry["position"] = numbers(pose.translation());
  entry["quaternion"] = numbers(Eigen::Quaterniond(pose.linear()).normalized().coeffs());
}

/// As the page names kinds: one word each.
std::string word(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, ' ', '_');
  return text;
}

Json body_json(const Model& model, int body) {
  const Joint& joint = model.joint(body);
  Json carrier;
  carrier["name"] = joint.name;
  carrier["kind"] = word(to_string(joint.kind));
  carrier["axis"] = numbers(model.joint_axis(body));
  if (joint.kind == JointKind::planar) {
    const BodyConstants& constants = model.constants()[static_cast<std::size_t>(body)];
    carrier["plane_x"] = numbers(to_eigen(constants.plane_x));
  }
  add_pose(carrier, model.joint_pose(body));
  carrier["index"] = joint.position_index;
  carrier["velocity_index"] = joint.velocity_index;
  if (std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper)) {
    carrier["range"] = {joint.limits.lower, joint.limits.upper};
  }
  Json entry;
  entry["name"] = model.body_name(body);
  entry["parent"] = model.parent(body);
  entry["mass"] = model.body_inertia(body).mass;
  entry["center"] = numbers(model.body_inertia(body).center_of_mass);
  entry["joint"] = std::move(carrier);
  return entry;
}

/// Of what drives a joint with one coordinate; others have none here.
std::string_view unit_of(const Model& model, const Actuator& actuator) {
  if (actuator.adheres || actuator.tendon >= 0) return "N";
  if (actuator.joint < 0) return "";
  const JointKind kind = model.joint(actuator.joint).kind;
  if (kind == JointKind::prismatic) return "N";
  return velocity_size(kind) == 1 ? "N m" : "";
}

Json actuator_json(const Model& model, const Actuator& actuator) {
  Json entry;
  entry["name"] = actuator.name;
  entry["kind"] = to_string(actuator.kind);
  entry["body"] = actuator.joint;  // joint i carries body i
  entry["unit"] = unit_of(model, actuator);
  if (actuator.control_limited) entry["control_range"] = actuator.control_range;
  return entry;
}

Json shape_json(const Model& model, const Shape& shape) {
  Json entry;
  entry["name"] = shape.name;
  entry["body"] = shape.body;
  entry["kind"] = word(to_string(shape.kind));
  entry["size"] = numbers(shape.size);
  add_pose(entry, shape.pose);
  entry["color"] = shape.color;
  entry["visible"] = shape.visible;
  entry["collides"] = shape.collides;
  entry["friction"] = model.materials()[static_cast<std::size_t>(shape.material)].friction;
  entry["mesh"] = shape.mesh;
  entry["height_field"] = shape.height_field;
  return entry;
}

/// Where a path of a tendon passes; the viewer finds the wraps.
Json part_json(const Tendon::Part& part) {
  using Kind = Tendon::Part::Kind;
  constexpr std::array words{"site", "sphere", "cylinder", "pulley"};
  Json entry{{"kind", words[static_cast<std::size_t>(part.kind)]}};
  if (part.kind == Kind::pulley) return entry;
  entry["body"] = part.body;
  entry["position"] = numbers(part.pose.translation());
  if (part.kind == Kind::site) return entry;
  entry["quaternion"] = numbers(Eigen::Quaterniond(part.pose.linear()).normalized().coeffs());
  entry["radius"] = part.radius;
  if (part.has_side) {
    entry["side_body"] = part.side_body;
    entry["side"] = numbers(part.side);
  }
  return entry;
}

/// Fixed tendons are sums of joint positions and have no place.
Json tendons_json(const Model& model) {
  Json list = Json::array();
  for (const Tendon& tendon : model.tendons()) {
    if (tendon.kind != Tendon::Kind::spatial) continue;
    Json path = Json::array();
    for (const Tendon::Part& part : tendon.path) path.push_back(part_json(part));
    list.push_back({{"name", tendon.name}, {"path", std::move(path)}});
  }
  return list;
}

Json height_field_json(const HeightField& field) {
  Json entry;
  entry["name"] = field.name;
  entry["rows"] = field.rows;
  entry["columns"] = field.columns;
  entry["half_size"] = numbers(field.half_size);
  entry["base"] = field.base;
  entry["heights"] = pack(std::vector<float>(field.heights.begin(), field.heights.end()));
  return entry;
}

template <class List, class Make>
Json array_of(const List& list, Make make) {
  Json result = Json::array();
  for (const auto& entry : list) result.push_back(make(entry));
  return result;
}

}  // namespace

std::string scene_json(const Model& model) {
  Json scene;
  scene["name"] = model.name();
  scene["gravity"] = numbers(model.gravity());
  scene["bodies"] =
      array_of(model.joints(), [&](const Joint& joint) { return body_json(model, joint.body); });
  scene["shapes"] =
      array_of(model.shapes(), [&](const Shape& shape) { return shape_json(model, shape); });
  add_looks(scene, model);
  scene["height_fields"] = array_of(model.height_fields(), height_field_json);
  scene["actuators"] = array_of(
      model.actuators(), [&](const Actuator& actuator) { return actuator_json(model, actuator); });
  if (Json tendons = tendons_json(model); !tendons.empty()) scene["tendons"] = std::move(tendons);
  scene["position_count"] = model.position_count();
  scene["velocity_count"] = model.velocity_count();
  return dump_page_json(scene);
}

}  // namespace stiction
