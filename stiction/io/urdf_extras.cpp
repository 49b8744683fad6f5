#include "stiction/io/urdf_extras.hpp"

#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

/// `<mu1>0.8</mu1>` or `<mu1 value="0.8"/>`, without blanks around it.
std::string text_of(const pugi::xml_node& node) {
  const pugi::xml_attribute value = node.attribute("value");
  const std::string text = value ? value.value() : node.child_value();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class ExtrasReader {
 public:
  ExtrasReader(const UrdfRecord& record, const XmlFile& file, ProblemList& problems)
      : file_(file), problems_(problems) {
    for (const UrdfLink& link : record.links) links_.insert(link.name);
    for (const UrdfJoint& joint : record.joints) joints_.insert(joint.name);
  }

  UrdfExtras read() {
    for (const pugi::xml_node& link : file_.root().children("link")) {
      const std::string name = link.attribute("name").value();
      for (const pugi::xml_node& node : link.children("contact")) {
        read_contact(node, extras_.links[name]);
      }
    }
    for (const pugi::xml_node& node : file_.root().children("gazebo")) read_gazebo(node);
    for (const pugi::xml_node& node : file_.root().children("transmission")) {
      read_transmission(node);
    }
    report_unused_elements(file_, unused_, problems_);
    return std::move(extras_);
  }

 private:
  void unused(const std::string& kind, const pugi::xml_node& node) {
    unused_[kind].push_back(node);
  }

  /// A number that is not negative, or nothing with a warning.
  std::optional<double> number(const pugi::xml_node& node) {
    std::string problem;
    const std::string text = text_of(node);
    const auto numbers = parse_numbers(text, problem);
    if (numbers && numbers->size() == 1 && numbers->front() >= 0.0) return numbers->front();
    problems_.warning(
        file_.source(node),
        fmt::format("'{:.40}' is not a number of at least 0, so it is not used", text),
        "give one number");
    return std::nullopt;
  }

  /// Bullet writes its numbers for contacts into the links.
  void read_contact(const pugi::xml_node& contact, UrdfLinkExtras& link) {
    if (!contact.first_child()) return unused("<contact> in <link>", contact);
    for (const pugi::xml_node& child : contact.children()) {
      const std::string_view tag = child.name();
      if (child.type() != pugi::node_element) continue;
      if (tag == "lateral_friction") {
        link.friction = number(child);
      } else if (tag == "spinning_friction") {
        link.spin_friction = number(child);
      } else if (tag == "rolling_friction") {
        link.roll_friction = number(child);
      } else if (tag == "restitution") {
        // Its product with that of the other body counts, and no ground has any.
        unused("<restitution> in <contact> (the ground has none, and Bullet multiplies)", child);
      } else if (tag == "inertia_scaling") {
        problems_.warning(file_.source(child), "the inertia is not scaled by this element",
                          "multiply the numbers of <inertia>");
      } else {
        unused(fmt::format("<{}> in <contact> (contacts here are rigid)", tag), child);
      }
    }
  }

  void read_gazebo(const pugi::xml_node& gazebo) {
    const std::string name = gazebo.attribute("reference").value();
    if (name.empty()) return read_gazebo_of_robot(gazebo);
    if (links_.contains(name)) return read_gazebo_of_link(gazebo, extras_.links[name]);
    if (joints_.contains(name)) return read_gazebo_of_joint(gazebo, extras_.joints[name]);
    problems_.warning(file_.source(gazebo),
                      fmt::format("there is no link or joint '{}', so it is not used", name),
                      "name a link or a joint of this robot");
  }

  void read_gazebo_of_robot(const pugi::xml_node& gazebo) {
    if (!gazebo.first_child()) return unused("<gazebo> in <robot>", gazebo);
    for (const pugi::xml_node& child : gazebo.children()) {
      const std::string_view tag = child.name();
      if (child.type() != pugi::node_element) continue;
      if (tag == "static" && text_of(child) == "true") {
        problems_.warning(file_.source(child), "the robot is not fixed by this element",
                          "load it with --base fixed");
      } else {
        unused(fmt::format("<{}> in <gazebo>", tag), child);
      }
    }
  }

  void read_gazebo_of_link(const pugi::xml_node& gazebo, UrdfLinkExtras& link) {
    for (const pugi::xml_node& child : gazebo.children()) {
      const std::string_view tag = child.name();
      if (child.type() != pugi::node_element) continue;
      if (tag == "mu1" || tag == "mu" || tag == "mu2") {
        read_friction(child, link);
      } else if (tag == "turnGravityOff" || tag == "gravity") {
        const std::string text = text_of(child);
        const bool wish = text == "true" || text == "1";
        link.without_gravity = tag == "gravity" ? !wish : wish;
      } else if (tag == "kp" || tag == "kd" || tag == "minDepth" || tag == "maxVel") {
        unused(fmt::format("<{}> in <gazebo> (contacts here are rigid and need no stiffness)", tag),
               child);
      } else {
        unused(fmt::format("<{}> in <gazebo>", tag), child);
      }
    }
  }

  /// Friction is the same in all directions here: mu1, and a warning where mu2 differs.
  void read_friction(const pugi::xml_node& node, UrdfLinkExtras& link) {
    const std::optional<double> friction = number(node);
    if (!friction) return;
    if (link.friction && *link.friction != *friction) {
      problems_.warning(file_.source(node),
                        fmt::format("friction {:g} in one direction and {:g} in the other: {:g} is "
                                    "used for both",
                                    *link.friction, *friction, *link.friction),
                        "give mu1 and mu2 the same value");
      return;
    }
    link.friction = friction;
  }

  void read_gazebo_of_joint(const pugi::xml_node& gazebo, UrdfJointExtras& joint) {
    for (const pugi::xml_node& child : gazebo.children()) {
      const std::string_view tag = child.name();
      if (child.type() != pugi::node_element) continue;
      if (tag == "springStiffness") {
        joint.spring_stiffness = number(child).value_or(0.0);
      } else if (tag == "springReference") {
        std::string problem;
        const auto numbers = parse_numbers(text_of(child), problem);
        if (numbers && numbers->size() == 1) {
          joint.spring_reference = numbers->front();
        } else {
          problems_.warning(file_.source(child), "this is not a number, so it is not used",
                            "give one number");
        }
      } else {
        unused(fmt::format("<{}> in <gazebo>", tag), child);
      }
    }
  }

  /// Forces act at the joints, so a reduction counts only together with the inertia of the rotor.
  void read_transmission(const pugi::xml_node& transmission) {
    std::string joint;
    for (const pugi::xml_node& child : transmission.children("joint")) {
      joint = child.attribute("name").value();
      if (joint.empty() || joints_.contains(joint)) continue;
      problems_.warning(
          file_.source(child),
          fmt::format("the transmission names joint '{}', which does not exist", joint),
          "name a joint of this robot");
      return;
    }
    const pugi::xml_node actuator = transmission.child("actuator");
    const double inertia =
        value_in(actuator, transmission, {"drake:rotor_inertia", "rotorInertia"});
    const double reduction =
        value_in(actuator, transmission,
                 {"drake:gear_ratio", "mechanicalReduction", "mechanical_reduction"});
    const double armature = inertia * (reduction == 0.0 ? 1.0 : reduction * reduction);
    if (!(armature > 0.0) || !std::isfinite(armature) || joint.empty()) {
      return unused(
          "<transmission> in <robot> (forces act at the joints; a rotor inertia would count)",
          transmission);
    }
    extras_.joints[joint].armature = armature;
  }

  /// The first of these elements, in the actuator or beside it; 0 if there is none.
  double value_in(const pugi::xml_node& actuator, const pugi::xml_node& transmission,
                  std::initializer_list<const char*> tags) {
    for (const char* tag : tags) {
      for (const pugi::xml_node& place : {actuator, transmission}) {
        if (const pugi::xml_node node = place.child(tag)) {
          // A reduction may be negative; only its square counts.
          std::string problem;
          const auto numbers = parse_numbers(text_of(node), problem);
          if (numbers && numbers->size() == 1) return std::abs(numbers->front());
          problems_.warning(file_.source(node), "this is not a number, so it is not used",
                            "give one number");
          return 0.0;
        }
      }
    }
    return 0.0;
  }

  const XmlFile& file_;
  ProblemList& problems_;
  UrdfExtras extras_;
  std::set<std::string> links_;
  std::set<std::string> joints_;
  UnusedElements unused_;
};

}  // namespace

UrdfExtras read_urdf_extras(const UrdfRecord& record, const XmlFile& file, ProblemList& problems) {
  return ExtrasReader(record, file, problems).read();
}

}  // namespace stiction
