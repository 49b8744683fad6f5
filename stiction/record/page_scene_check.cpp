#include <array>
#include <cmath>
#include <fmt/format.h>

#include "stiction/model/shape.hpp"
#include "stiction/record/page_encoding.hpp"

/// A recording may come from anywhere. What is checked here is what poses and drawing rely on; the
/// packed columns of meshes and height fields are the viewer's to check.

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array joint_kinds{JointKind::revolute,  JointKind::continuous, JointKind::prismatic,
                                 JointKind::spherical, JointKind::planar,     JointKind::floating};

/// Longest list that is believed; the largest scenes have some thousand bodies.
constexpr std::size_t most_entries = 1'000'000;

[[noreturn]] void refuse_scene(const std::string& where, const std::string& what) {
  refuse_page(fmt::format("the scene is damaged: {} {}", where, what),
              "record the run again, or download the file again");
}

/// Looks for objects with more keys than any scene has before the text is read: Json, which keeps
/// their order, takes a time that grows with the square of their number.
class KeyCounter final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    keys_.push_back(0);
    return keys_.size() <= deepest;
  }
  bool key(string_t&) override { return ++keys_.back() <= most_keys; }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    static_cast<void>(error);
    return false;
  }

 private:
  static constexpr int most_keys = 64;
  static constexpr std::size_t deepest = 16;  ///< objects within each other
  std::vector<int> keys_;                     ///< of the objects that are open
};

const Json& member(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object()) refuse_scene(where, "is not an object");
  const auto found = object.find(key);
  if (found == object.end()) refuse_scene(where, fmt::format("has no '{}'", key));
  return *found;
}

void check_text(const Json& object, const char* key, const std::string& where) {
  if (!member(object, key, where).is_string()) {
    refuse_scene(where, fmt::format("has a '{}' that is not a string", key));
  }
}

void check_bool(const Json& object, const char* key, const std::string& where) {
  if (!member(object, key, where).is_boolean()) {
    refuse_scene(where, fmt::format("has a '{}' that is neither true nor false", key));
  }
}

void check_number(const Json& object, const char* key, const std::string& where) {
  const Json& entry = member(object, key, where);
  if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
    refuse_scene(where, fmt::format("has a '{}' that is not a finite number", key));
  }
}

/// An integer of [lowest, end).
long long integer(const Json& object, const char* key, const std::string& where, long long lowest,
                  long long end) {
  const Json& entry = member(object, key, where);
  // Compared as double: an unsigned number beyond the signed ones must not wrap around.
  const bool fits = entry.is_number_integer() &&
                    entry.get<double>() >= static_cast<double>(lowest) &&
                    entry.get<double>() < static_cast<double>(end);
  if (!fits) {
    refuse_scene(where, fmt::format("has a '{}' that is not an integer from {} to {}", key, lowest,
                                    end - 1));
  }
  return entry.get<long long>();
}

const Json& list(const Json& object, const char* key, const std::string& where) {
  const Json& entry = member(object, key, where);
  if (!entry.is_array()) refuse_scene(where, fmt::format("has a '{}' that is not a list", key));
  if (entry.size() > most_entries) {
    refuse_scene(where,
                 fmt::format("has {} entries of '{}', which is too many", entry.size(), key));
  }
  return entry;
}

double squared_norm(const Json& object, const char* key, const std::string& where,
                    std::size_t size) {
  const Json& entries = list(object, key, where);
  if (entries.size() != size) {
    refuse_scene(where, fmt::format("has {} numbers in '{}', not {}", entries.size(), key, size));
  }
  double sum = 0.0;
  for (const Json& entry : entries) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
      refuse_scene(where, fmt::format("has a '{}' that does not contain only finite numbers", key));
    }
    sum += entry.get<double>() * entry.get<double>();
  }
  return sum;
}

void check_unit(const Json& object, const char* key, const std::string& where, std::size_t size) {
  constexpr double rounding = 1e-6;
  if (!(std::abs(squared_norm(object, key, where, size) - 1.0) < rounding)) {
    refuse_scene(where, fmt::format("has a '{}' that does not have unit length", key));
  }
}

void check_pose(const Json& object, const std::string& where) {
  static_cast<void>(squared_norm(object, "position", where, 3));
  check_unit(object, "quaternion", where, 4);
}

JointKind joint_kind(const Json& joint, const std::string& where) {
  check_text(joint, "kind", where);
  const auto kind = parse_joint_kind(joint["kind"].get_ref<const std::string&>());
  if (!kind) refuse_scene(where, "has a 'kind' that is not a kind of joint");
  return *kind;
}

/// Entries of q that come with the body; they must follow those of the bodies before it.
int check_body(const Json& body, std::size_t index, int first_position) {
  const std::string where = fmt::format("body {}", index);
  check_text(body, "name", where);
  check_number(body, "mass", where);
  const long long parent =
      integer(body, "parent", where, world_body, static_cast<long long>(index));
  const Json& joint = member(body, "joint", where);
  const std::string joint_where = fmt::format("the joint of body {}", index);
  check_text(joint, "name", joint_where);
  const JointKind kind = joint_kind(joint, joint_where);
  if (kind == JointKind::floating && parent != world_body) {
    refuse_scene(joint_where, "is floating, but its parent is not the world");
  }
  check_unit(joint, "axis", joint_where, 3);
  if (kind == JointKind::planar) check_unit(joint, "plane_x", joint_where, 3);
  check_pose(joint, joint_where);
  integer(joint, "index", joint_where, first_position, first_position + 1);
  return position_size(kind);
}

/// What recordings have had for a while only.
void check_newer(const Json& document) {
  for (std::size_t i = 0; i < document["bodies"].size(); ++i) {
    const Json& body = document["bodies"][i];
    const std::string where = fmt::format("body {}", i);
    if (body.contains("center")) static_cast<void>(squared_norm(body, "center", where, 3));
  }
  if (!document.contains("actuators")) return;
  const Json& actuators = list(document, "actuators", "it");
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const std::string where = fmt::format("actuator {}", i);
    check_text(actuators[i], "name", where);
    integer(actuators[i], "body", where, world_body,
            static_cast<long long>(document["bodies"].size()));
  }
}

void check_shape(const Json& shape, std::size_t index, const Json& scene) {
  const std::string where = fmt::format("shape {}", index);
  const auto count = [&](const char* key) { return static_cast<long long>(scene[key].size()); };
  check_text(shape, "name", where);
  check_text(shape, "kind", where);
  integer(shape, "body", where, world_body, count("bodies"));
  static_cast<void>(squared_norm(shape, "size", where, 3));
  check_pose(shape, where);
  static_cast<void>(squared_norm(shape, "color", where, 4));
  check_bool(shape, "visible", where);
  check_bool(shape, "collides", where);
  check_number(shape, "friction", where);
  integer(shape, "mesh", where, -1, count("meshes"));
  integer(shape, "height_field", where, -1, count("height_fields"));
}

void check_mesh(const Json& mesh, std::size_t index) {
  const std::string where = fmt::format("mesh {}", index);
  for (const char* key : {"name", "vertices", "triangles", "hull_vertices", "hull_triangles"}) {
    check_text(mesh, key, where);
  }
}

void check_height_field(const Json& field, std::size_t index) {
  const std::string where = fmt::format("height field {}", index);
  check_text(field, "name", where);
  check_text(field, "heights", where);
  constexpr long long most = 1'000'000;
  integer(field, "rows", where, 1, most);
  integer(field, "columns", where, 1, most);
  static_cast<void>(squared_norm(field, "half_size", where, 2));
  check_number(field, "base", where);
}

}  // namespace

std::optional<JointKind> parse_joint_kind(std::string_view word) {
  for (const JointKind kind : joint_kinds) {
    if (word == to_string(kind)) return kind;
  }
  return {};
}

Json parse_scene(const std::string& scene) {
  const std::string where = "it";
  KeyCounter counter;
  Json document;
  if (Json::sax_parse(scene, &counter)) document = Json::parse(scene, nullptr, false);
  if (!document.is_object()) refuse_scene(where, "is not a JSON object");
  check_text(document, "name", where);
  static_cast<void>(squared_norm(document, "gravity", where, 3));
  const Json& bodies = list(document, "bodies", where);
  int positions = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) positions += check_body(bodies[i], i, positions);
  integer(document, "position_count", where, positions, positions + 1);
  integer(document, "velocity_count", where, 0, positions + 1);
  const Json& meshes = list(document, "meshes", where);
  for (std::size_t i = 0; i < meshes.size(); ++i) check_mesh(meshes[i], i);
  const Json& fields = list(document, "height_fields", where);
  for (std::size_t i = 0; i < fields.size(); ++i) check_height_field(fields[i], i);
  const Json& shapes = list(document, "shapes", where);
  for (std::size_t i = 0; i < shapes.size(); ++i) check_shape(shapes[i], i, document);
  check_newer(document);
  return document;
}

}  // namespace stiction
