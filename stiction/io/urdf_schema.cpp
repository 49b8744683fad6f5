#include "stiction/io/urdf_schema.hpp"

namespace stiction {

namespace {

constexpr int many = 1 << 30;  // more than fit into a file

const std::vector<UrdfElement>& elements() {
  using enum UrdfValue;
  static const std::vector<UrdfElement> table{
      {"robot",
       {{"name", text}, {"version", any_text, false}},
       {{"link", 1, many}, {"joint", 0, many}, {"material", 0, many}},
       {"transmission", "gazebo", "sensor", "model_state", "ros2_control", "drake"}},
      {"link",
       {{"name", text}},
       {{"inertial"}, {"visual", 0, many}, {"collision", 0, many}},
       {"contact", "sensor", "gazebo", "self_collision_checking", "collision_checking"}},
      {"inertial", {}, {{"origin"}, {"mass", 1}, {"inertia", 1}}, {}},
      {"mass", {{"value", not_negative}}, {}, {}},
      {"inertia",
       {{"ixx", number},
        {"ixy", number},
        {"ixz", number},
        {"iyy", number},
        {"iyz", number},
        {"izz", number}},
       {},
       {}},
      {"visual", {{"name", any_text, false}}, {{"origin"}, {"geometry", 1}, {"material"}}, {}},
      {"collision",
       {{"name", any_text, false}},
       {{"origin"}, {"geometry", 1}},
       {"verbose", "contact_coefficients", "surface", "material"}},
      {"origin", {{"xyz", vector, false}, {"rpy", vector, false}}, {}, {}},
      {"geometry",
       {},
       {{"box", 0, many},
        {"sphere", 0, many},
        {"cylinder", 0, many},
        {"capsule", 0, many},
        {"mesh", 0, many}},
       {}},
      {"box", {{"size", positive_vector}}, {}, {}},
      {"sphere", {{"radius", positive}}, {}, {}},
      {"cylinder", {{"radius", positive}, {"length", positive}}, {}, {}},
      {"capsule", {{"radius", positive}, {"length", positive}}, {}, {}},
      {"mesh", {{"filename", text}, {"scale", scale, false}}, {}, {}},
      {"material", {{"name", any_text, false}}, {{"color"}, {"texture"}}, {}},
      {"texture", {{"filename", any_text, false}}, {}, {}},
      {"color", {{"rgba", color}}, {}, {}},
      {"joint",
       {{"name", text}, {"type", joint_type}},
       {{"origin"}, {"parent", 1}, {"child", 1}, {"axis"}, {"limit"}, {"dynamics"}, {"mimic"}},
       {"calibration", "safety_controller", "gazebo"}},
      {"parent", {{"link", text}}, {}, {}},
      {"child", {{"link", text}}, {}, {}},
      {"axis", {{"xyz", vector}}, {}, {}},
      {"limit",
       {{"lower", number, false},
        {"upper", number, false},
        {"effort", not_negative, false},
        {"velocity", not_negative, false}},
       {},
       {}},
      {"dynamics", {{"damping", not_negative, false}, {"friction", not_negative, false}}, {}, {}},
      {"mimic",
       {{"joint", text}, {"multiplier", number, false}, {"offset", number, false}},
       {},
       {}},
  };
  return table;
}

}  // namespace

const UrdfElement* find_urdf_element(std::string_view tag) {
  for (const UrdfElement& element : elements()) {
    if (element.tag == tag) return &element;
  }
  return nullptr;
}

}  // namespace stiction
