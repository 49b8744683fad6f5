#include "stiction/io/urdf_scan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "stiction/io/near_words.hpp"
#include "stiction/io/urdf_convert.hpp"

namespace stiction {

namespace {

std::size_t number_count(UrdfValue value) {
  switch (value) {
    case UrdfValue::number:
    case UrdfValue::not_negative:
    case UrdfValue::positive:
      return 1;
    case UrdfValue::vector:
    case UrdfValue::positive_vector:
    case UrdfValue::scale:
      return 3;
    case UrdfValue::color:
      return 4;
    default:
      return 0;
  }
}

/// What is wrong with the size of a number, if anything.
std::string_view range_complaint(UrdfValue value, const std::vector<double>& numbers) {
  const auto any = [&numbers](auto wrong) { return std::ranges::any_of(numbers, wrong); };
  if (value == UrdfValue::not_negative && any([](double x) { return x < 0.0; })) {
    return "must not be negative";
  }
  if ((value == UrdfValue::positive || value == UrdfValue::positive_vector) &&
      any([](double x) { return x <= 0.0; })) {
    return "must be positive";
  }
  if (value == UrdfValue::scale && any([](double x) { return x == 0.0; })) {
    return "must not be zero";
  }
  return {};
}

bool is_joint_type(std::string_view type) {
  constexpr std::array<std::string_view, 6> known{"revolute", "continuous", "prismatic",
                                                  "fixed",    "floating",   "planar"};
  return std::ranges::find(known, type) != known.end();
}

std::vector<std::string_view> attribute_names(const UrdfElement& rule) {
  std::vector<std::string_view> names;
  for (const UrdfAttribute& attribute : rule.attributes) names.push_back(attribute.name);
  return names;
}

const UrdfAttribute* find_attribute(const UrdfElement& rule, std::string_view name) {
  const auto found = std::ranges::find(rule.attributes, name, &UrdfAttribute::name);
  return found == rule.attributes.end() ? nullptr : &*found;
}

bool has_child(const UrdfElement& rule, std::string_view tag) {
  return std::ranges::find(rule.children, tag, &UrdfChild::tag) != rule.children.end();
}

/// An attribute of `node` that is probably `wanted`, misspelt.
std::string misspelt(const pugi::xml_node& node, const UrdfElement& rule, std::string_view wanted) {
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    if (find_attribute(rule, attribute.name()) != nullptr) continue;
    if (!nearest_word(attribute.name(), {wanted}).empty()) return attribute.name();
  }
  return {};
}

/// urdfdom refuses a <limit> without effort or velocity.
void complete_limit(const pugi::xml_node& limit, pugi::xml_node copy) {
  for (const char* name : {"effort", "velocity"}) {
    if (!limit.attribute(name)) {
      copy.append_attribute(name).set_value(fmt::format("{}", urdf_unlimited).c_str());
    }
  }
}

}  // namespace

Source urdf_source(const XmlFile& file, const pugi::xml_node& node) {
  Source source = file.source(node);
  for (pugi::xml_node above = node.parent(); above; above = above.parent()) {
    const std::string_view tag = above.name();
    if (tag != "link" && tag != "joint") continue;
    source.element += " in " + file.source(above).element;
    break;
  }
  return source;
}

std::vector<double> urdf_numbers(const pugi::xml_node& node, const char* attribute,
                                 const std::vector<double>& otherwise) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) return otherwise;
  std::string problem;
  const auto numbers = parse_numbers(found.value(), problem);
  return numbers && numbers->size() == otherwise.size() ? *numbers : otherwise;
}

UrdfScan::UrdfScan(const XmlFile& file, ProblemList& problems) : file_(file), problems_(problems) {}

void UrdfScan::run() {
  walk(file_.root(), *find_urdf_element("robot"), clean_.append_child("robot"));
  report_unused_elements(file_, unused_, problems_);
}

void UrdfScan::walk(const pugi::xml_node& node, const UrdfElement& rule, pugi::xml_node copy) {
  check_attributes(node, rule, copy);
  check_counts(node, rule);
  if (rule.tag == "geometry") check_geometry(node, rule);
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element) {
      problems_.warning(urdf_source(file_, node),
                        fmt::format("text '{:.40}' inside the element is not used", child.value()),
                        "remove it, or make it a comment <!-- ... -->");
      continue;
    }
    const std::string_view tag = child.name();
    if (!has_child(rule, tag)) {
      note_unknown_child(child, rule);
      continue;
    }
    pugi::xml_node child_copy;  // null: not for urdfdom, and appending to it does nothing
    if (tag != "material")
      child_copy = copy.append_child(tag == "capsule" ? "cylinder" : child.name());
    walk(child, *find_urdf_element(tag), child_copy);
    if (tag == "limit") complete_limit(child, child_copy);
  }
}

void UrdfScan::check_attributes(const pugi::xml_node& node, const UrdfElement& rule,
                                pugi::xml_node copy) {
  std::vector<std::string> explained;  // misspelt attributes that an error already names
  for (const UrdfAttribute& wanted : rule.attributes) {
    const pugi::xml_attribute attribute = node.attribute(wanted.name.data());
    if (attribute) {
      check_value(node, attribute, wanted, copy);
    } else if (wanted.required) {
      const std::string slip = misspelt(node, rule, wanted.name);
      problems_.error(urdf_source(file_, node),
                      fmt::format("the attribute '{}' is missing", wanted.name),
                      slip.empty() ? fmt::format("add {}=\"...\"", wanted.name)
                                   : fmt::format("did you misspell it as '{}'?", slip));
      explained.push_back(slip);
    }
  }
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (name.starts_with("xmlns") || find_attribute(rule, name) != nullptr ||
        std::ranges::find(explained, name) != explained.end()) {
      continue;
    }
    note_unknown_attribute(node, name, rule);
  }
}

void UrdfScan::note_unknown_attribute(const pugi::xml_node& node, std::string_view name,
                                      const UrdfElement& rule) {
  // Some programs write all nine numbers of a symmetric inertia.
  const bool mirrored = rule.tag == "inertia" && (name == "iyx" || name == "izx" || name == "izy");
  const std::string near = mirrored ? "" : nearest_word(name, attribute_names(rule));
  if (near.empty()) {
    unused_[fmt::format("attribute '{:.40}' of <{}>", name, rule.tag)].push_back(node);
    return;
  }
  problems_.error(urdf_source(file_, node), fmt::format("the attribute '{}' is unknown", name),
                  fmt::format("did you mean '{}'?", near));
}

void UrdfScan::check_value(const pugi::xml_node& node, const pugi::xml_attribute& attribute,
                           const UrdfAttribute& rule, pugi::xml_node copy) {
  const std::string_view value = attribute.value();
  if (number_count(rule.value) > 0) return check_numbers(node, attribute, rule, copy);
  if (rule.value != UrdfValue::any_text && value.empty()) {
    problems_.error(urdf_source(file_, node), fmt::format("the attribute '{}' is empty", rule.name),
                    "add a value");
  }
  if (rule.value == UrdfValue::joint_type && !value.empty() && !is_joint_type(value)) {
    const bool ball = value == "spherical" || value == "ball";
    problems_.error(urdf_source(file_, node),
                    fmt::format("the joint type '{:.40}' is unknown", value),
                    ball ? "URDF has no ball joints: use three revolute joints, or MJCF"
                         : fmt::format("use {}", urdf_joint_types));
  }
  if (rule.name == "version") {
    if (value != "1.0") {
      problems_.warning(urdf_source(file_, node),
                        fmt::format("URDF version '{:.20}' is read as 1.0", value),
                        "check that the file uses nothing newer");
    }
    return;
  }
  copy.append_attribute(attribute.name()).set_value(attribute.value());
}

void UrdfScan::check_numbers(const pugi::xml_node& node, const pugi::xml_attribute& attribute,
                             const UrdfAttribute& rule, pugi::xml_node copy) {
  const std::size_t wanted = number_count(rule.value);
  // <mass value="..."> is better called mass than value.
  const std::string_view label = rule.name == "value" ? node.name() : rule.name;
  const std::string how_many =
      wanted == 1 ? "one finite number" : fmt::format("{} finite numbers", wanted);
  std::string complaint;
  const auto numbers = parse_numbers(attribute.value(), complaint);
  if (!numbers) {
    problems_.error(urdf_source(file_, node), fmt::format("{}: {}", label, complaint),
                    "give " + how_many);
    return;
  }
  if (numbers->size() != wanted) {
    problems_.error(urdf_source(file_, node),
                    fmt::format("the attribute '{}' has {} numbers", rule.name, numbers->size()),
                    "give " + how_many);
    return;
  }
  const std::string text = fmt::format("{}", fmt::join(*numbers, " "));
  if (const std::string_view limit = range_complaint(rule.value, *numbers); !limit.empty()) {
    problems_.error(urdf_source(file_, node), fmt::format("{} is {}", label, text),
                    fmt::format("it {}", limit));
    return;
  }
  copy.append_attribute(attribute.name()).set_value(text.c_str());
}

void UrdfScan::check_counts(const pugi::xml_node& node, const UrdfElement& rule) {
  for (const UrdfChild& child : rule.children) {
    int count = 0;
    for (const pugi::xml_node& found : node.children(child.tag.data())) {
      if (++count == child.most + 1) {
        problems_.error(urdf_source(file_, found),
                        fmt::format("there is a second <{}> in one <{}>", child.tag, rule.tag),
                        "keep one of the two");
      }
    }
    if (count < child.least) {
      problems_.error(urdf_source(file_, node), fmt::format("it has no <{}>", child.tag),
                      fmt::format("add a <{}> element", child.tag));
    }
  }
}

void UrdfScan::check_geometry(const pugi::xml_node& node, const UrdfElement& rule) {
  constexpr const char* remedy = "use one of <box>, <sphere>, <cylinder>, <capsule>, <mesh>";
  int shapes = 0;
  int elements = 0;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    ++elements;
    if (has_child(rule, child.name())) ++shapes;
  }
  if (shapes == 1) return;
  if (shapes > 1) {
    problems_.error(urdf_source(file_, node), fmt::format("it has {} shapes", shapes),
                    "give each shape its own <visual> or <collision>");
  } else if (elements == 0) {
    problems_.error(urdf_source(file_, node), "it has no shape", remedy);
  } else {
    problems_.error(urdf_source(file_, node.first_child()), "this shape is unknown", remedy);
  }
}

void UrdfScan::note_unknown_child(const pugi::xml_node& child, const UrdfElement& rule) {
  if (rule.tag == "geometry") return;  // check_geometry has said it
  const std::string_view tag = child.name();
  // read_urdf_extras() looks at these.
  if (rule.tag == "robot" && (tag == "gazebo" || tag == "transmission")) return;
  if (rule.tag == "link" && tag == "contact") return;
  std::vector<std::string_view> known;
  for (const UrdfChild& element : rule.children) known.push_back(element.tag);
  const bool expected = std::ranges::find(rule.unused, tag) != rule.unused.end();
  if (const std::string near = nearest_word(tag, known); !expected && !near.empty()) {
    problems_.error(urdf_source(file_, child), "this element is unknown",
                    fmt::format("did you mean <{}>?", near));
    return;
  }
  unused_[fmt::format("<{}> in <{}>", tag, rule.tag)].push_back(child);
}

void report_unused_elements(const XmlFile& file, const UnusedElements& unused,
                            ProblemList& problems) {
  constexpr std::size_t most_lines = 12;
  for (const auto& [kind, nodes] : unused) {
    std::vector<std::string> lines;
    for (const pugi::xml_node& node : nodes) {
      if (lines.size() < most_lines) lines.push_back(std::to_string(file.line(node)));
    }
    if (nodes.size() > most_lines) lines.emplace_back("...");
    Source source = file.source(nodes.front());
    source.element = kind;
    problems.note(source, nodes.size() == 1 ? "not used"
                                            : fmt::format("not used ({} times: lines {})",
                                                          nodes.size(), fmt::join(lines, ", ")));
  }
}

}  // namespace stiction
