#include "stiction/io/mjcf_names.hpp"

#include <fmt/format.h>

namespace stiction {

namespace {

/// What shares one set of names.
std::string kind_of(const std::string& section, const std::string& tag) {
  if (tag == "freejoint") return "joint";
  const bool by_tag = section == "worldbody" || section == "asset" || section == "contact";
  return by_tag ? tag : section;
}

}  // namespace

MjcfNames::MjcfNames(const MjcfDocument& document, MjcfReport& report) {
  taken_["body"].insert("world");
  for (const pugi::xml_node section : document.root().children()) {
    const std::string_view name = section.name();
    if (name == "default" || name == "custom" || name == "visual") continue;
    gather(document, section, section.name(), report);
  }
}

void MjcfNames::gather(const MjcfDocument& document, const pugi::xml_node& node,
                       const std::string& section, MjcfReport& report) {
  for (const pugi::xml_node child : node.children()) {
    const std::string name = child.attribute("name").value();
    const std::string kind = kind_of(section, child.name());
    if (!name.empty() && !taken_[kind].insert(name).second) {
      report.error(document.source(child),
                   kind == "body" && name == "world"
                       ? "a body is named 'world', but this name is reserved for the world"
                       : fmt::format("the name '{}' is used twice", name),
                   "give each its own name");
    }
    gather(document, child, section, report);
  }
}

std::string MjcfNames::make(const std::string& kind, const std::string& wish) {
  std::set<std::string>& taken = taken_[kind];
  if (taken.insert(wish).second) return wish;
  int& number = last_number_[kind + ':' + wish];
  if (number == 0) number = 1;
  for (;;) {
    const std::string name = fmt::format("{}_{}", wish, ++number);
    if (taken.insert(name).second) return name;
  }
}

}  // namespace stiction
