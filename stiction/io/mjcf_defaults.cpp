#include "stiction/io/mjcf_defaults.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stiction {

namespace {

constexpr std::array<std::string_view, 12> actuator_tags{
    "general",  "motor",  "position", "velocity",    "damper", "intvelocity",
    "cylinder", "muscle", "adhesion", "orientation", "pid",    "dcmotor"};

}  // namespace

MjcfDefaults::MjcfDefaults(const MjcfDocument& document, MjcfReport& report)
    : document_(document), report_(report) {
  for (const MjcfPart& part : document.parts()) {
    if (!trees_.contains(part.document)) read_model(*part.document);
  }
}

void MjcfDefaults::read_model(const MjcfDocument& model) {
  Tree& tree = trees_[&model];
  tree.root = static_cast<int>(classes_.size());
  tree.by_name["main"] = tree.root;
  classes_.push_back({&model, -1, {}});
  for (const pugi::xml_node section : model.root().children("default")) {
    // The outermost class may have any name; elements that name no class use it all the same.
    const std::string name = section.attribute("class").value();
    if (!name.empty() && name != "main") {
      const auto [entry, added] = tree.by_name.try_emplace(name, tree.root);
      if (!added && entry->second != tree.root) {
        report_.error(document_.source(section),
                      fmt::format("the default class '{}' is defined twice", name),
                      "give each class its own name");
      }
    }
    classes_[static_cast<std::size_t>(tree.root)].sections.push_back(section);
    for (const pugi::xml_node child : section.children("default")) read(child, tree.root);
  }
}

void MjcfDefaults::read(const pugi::xml_node& section, int parent) {
  const std::string name = section.attribute("class").value();
  if (name.empty()) {
    report_.error(document_.source(section), "a nested default has no class",
                  "give it class=\"...\"");
  }
  const int index = add(section, name, parent);
  for (const pugi::xml_node child : section.children("default")) read(child, index);
}

int MjcfDefaults::add(const pugi::xml_node& section, const std::string& name, int parent) {
  const int index = static_cast<int>(classes_.size());
  const MjcfDocument* model = classes_[static_cast<std::size_t>(parent)].model;
  classes_.push_back({model, parent, {section}});
  if (!name.empty() && !trees_[model].by_name.try_emplace(name, index).second) {
    report_.error(document_.source(section),
                  fmt::format("the default class '{}' is defined twice", name),
                  "give each class its own name");
  }
  return index;
}

int MjcfDefaults::class_of(const pugi::xml_node& element, const char* attribute,
                           int inherited) const {
  const MjcfDocument& model = document_.model_of(element);
  const Tree& tree = trees_.at(&model);
  if (classes_[static_cast<std::size_t>(inherited)].model != &model) inherited = tree.root;
  const pugi::xml_attribute given = element.attribute(attribute);
  if (!given) return inherited;
  const auto found = tree.by_name.find(given.value());
  if (found != tree.by_name.end()) return found->second;
  std::vector<std::string_view> known;
  if (report_.may_suggest()) {
    for (const auto& entry : tree.by_name) known.push_back(entry.first);
  }
  std::sort(known.begin(), known.end());
  report_.error(document_.source(element),
                fmt::format("there is no default class '{}'", given.value()),
                report_.suggestion(given.value(), known, "define it in <default>"));
  return inherited;
}

const std::vector<pugi::xml_node>& MjcfDefaults::levels(int class_index,
                                                        std::string_view tag) const {
  const std::string name(tag);
  const auto [entry, added] = levels_.try_emplace({class_index, name});
  std::vector<pugi::xml_node>& result = entry->second;
  if (!added) return result;
  for (int i = class_index; i >= 0; i = classes_[static_cast<std::size_t>(i)].parent) {
    const auto& sections = classes_[static_cast<std::size_t>(i)].sections;
    for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
      // The last one wins, so it comes first.
      std::vector<pugi::xml_node> found;
      for (const pugi::xml_node node : section->children(name.c_str())) found.push_back(node);
      result.insert(result.end(), found.rbegin(), found.rend());
    }
  }
  return result;
}

const std::vector<pugi::xml_node>& MjcfDefaults::actuator_levels(int class_index) const {
  const auto [entry, added] = levels_.try_emplace({class_index, "actuator"});
  std::vector<pugi::xml_node>& result = entry->second;
  if (!added) return result;
  std::vector<int> path;
  for (int i = class_index; i >= 0; i = classes_[static_cast<std::size_t>(i)].parent) {
    path.push_back(i);
  }
  for (auto i = path.rbegin(); i != path.rend(); ++i) {
    for (const pugi::xml_node& section : classes_[static_cast<std::size_t>(*i)].sections) {
      for (const pugi::xml_node node : section.children()) {
        if (std::find(actuator_tags.begin(), actuator_tags.end(), node.name()) !=
            actuator_tags.end()) {
          result.push_back(node);
        }
      }
    }
  }
  return result;
}

}  // namespace stiction
