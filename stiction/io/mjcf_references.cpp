#include "stiction/io/mjcf_references.hpp"

namespace stiction {

namespace {

const std::map<std::string_view, std::string_view> kind_by_attribute = {
    {"joint", "joint"},    {"jointinparent", "joint"}, {"joint1", "joint"},
    {"joint2", "joint"},   {"site", "site"},           {"site1", "site"},
    {"site2", "site"},     {"slidersite", "site"},     {"cranksite", "site"},
    {"refsite", "site"},   {"sidesite", "site"},       {"geom", "geom"},
    {"geom1", "geom"},     {"geom2", "geom"},          {"body", "body"},
    {"body1", "body"},     {"body2", "body"},          {"subtree1", "body"},
    {"subtree2", "body"},  {"target", "body"},         {"tendon", "tendon"},
    {"tendon1", "tendon"}, {"tendon2", "tendon"},      {"actuator", "actuator"},
    {"camera", "camera"},
};

/// The kind of what an attribute names; empty if it names nothing.
std::string_view referenced_kind(const pugi::xml_node& element, std::string_view attribute) {
  if (attribute == "objname" || attribute == "refname") {
    const std::string_view kind =
        element.attribute(attribute == "objname" ? "objtype" : "reftype").value();
    return kind == "xbody" ? std::string_view("body") : kind;
  }
  const auto found = kind_by_attribute.find(attribute);
  return found == kind_by_attribute.end() ? std::string_view() : found->second;
}

}  // namespace

void MjcfNameSet::add_tree(const pugi::xml_node& node) {
  const std::string_view tag = node.name();
  const std::string name = node.attribute("name").value();
  if (!name.empty()) names_[tag == "freejoint" ? "joint" : std::string(tag)].insert(name);
  for (const pugi::xml_node child : node.children()) add_tree(child);
}

void MjcfNameSet::add_element(const pugi::xml_node& element, const std::string& section) {
  const std::string name = element.attribute("name").value();
  if (!name.empty()) names_[section].insert(name);
}

bool MjcfNameSet::contains(std::string_view kind, const std::string& name) const {
  const auto found = names_.find(kind);
  return found != names_.end() && found->second.contains(name);
}

MjcfReferences count_references(const pugi::xml_node& element, const MjcfNameSet& names) {
  MjcfReferences result;
  for (const pugi::xml_attribute attribute : element.attributes()) {
    const std::string_view kind = referenced_kind(element, attribute.name());
    if (kind.empty()) continue;
    if (names.contains(kind, attribute.value())) {
      ++result.inside;
    } else if (kind != "body" || std::string_view(attribute.value()) != "world") {
      ++result.outside;
    }
  }
  for (const pugi::xml_node child : element.children()) {
    const MjcfReferences more = count_references(child, names);
    result.inside += more.inside;
    result.outside += more.outside;
  }
  return result;
}

void MjcfRenaming::apply(pugi::xml_node element, const MjcfNameSet& names) const {
  if (const pugi::xml_attribute name = element.attribute("name")) rename(name);
  for (const pugi::xml_attribute attribute : element.attributes()) {
    const std::string_view kind = referenced_kind(element, attribute.name());
    if (!kind.empty() && names.contains(kind, attribute.value())) rename(attribute);
  }
  for (const pugi::xml_node child : element.children()) apply(child, names);
}

void MjcfRenaming::rename(pugi::xml_attribute attribute) const {
  if (*attribute.value() != '\0') {
    attribute.set_value((prefix + attribute.value() + suffix).c_str());
  }
}

}  // namespace stiction
