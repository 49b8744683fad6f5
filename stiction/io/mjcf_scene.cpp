#include "stiction/io/mjcf_scene.hpp"

#include <fmt/format.h>

namespace stiction {

namespace {

std::set<std::string> geoms_in_pairs(const MjcfDocument& document) {
  std::set<std::string> names;
  for (const pugi::xml_node section : document.root().children("contact")) {
    for (const pugi::xml_node pair : section.children("pair")) {
      names.insert(pair.attribute("geom1").value());
      names.insert(pair.attribute("geom2").value());
    }
  }
  return names;
}

/// Restitution, which MJCF lacks, may stand in <custom>; other numbers there are only listed.
std::map<std::string, double> read_numerics(const MjcfDocument& document, MjcfReport& report) {
  std::map<std::string, double> result;
  for (const pugi::xml_node section : document.root().children("custom")) {
    for (const pugi::xml_node node : section.children("numeric")) {
      const MjcfAttributes attributes(document, report, node);
      const std::string name = attributes.text("name");
      const std::vector<double> data = attributes.list("data");
      if (!name.starts_with("restitution")) {
        report.unused(attributes.source(), "<numeric> in <custom> is not used");
      } else if (data.size() != 1 || data[0] < 0.0 ||
                 (data[0] > 1.0 && !name.starts_with("restitution_threshold"))) {
        attributes.error(fmt::format("the numeric '{}' is not one number in its range", name),
                         "give a restitution from 0 to 1, or a threshold in m/s");
      } else {
        result[name] = data[0];
      }
    }
  }
  return result;
}

}  // namespace

MjcfScene::MjcfScene(ModelBuilder& into, const MjcfDocument& file, MjcfReport& problems,
                     const std::filesystem::path& folder, const LoadOptions& options)
    : builder(into),
      document(file),
      report(problems),
      prefix(options.prefix),
      compiler(read_compiler(file, problems)),
      option(read_option(file, problems)),
      defaults(file, problems),
      names(file, problems),
      assets(file, problems, compiler, defaults, folder, options.prefix),
      paired_geoms(geoms_in_pairs(file)),
      numerics(read_numerics(file, problems)) {}

MjcfAttributes MjcfScene::attributes(const pugi::xml_node& node, int inherited_class,
                                     const char* tag) const {
  const int class_index = defaults.class_of(node, "class", inherited_class);
  return {document, report, node, defaults.levels(class_index, tag == nullptr ? node.name() : tag)};
}

void MjcfScene::report_unknown(const MjcfAttributes& attributes, const char* attribute,
                               const char* kind, const std::string& name,
                               const std::vector<std::string_view>& known) const {
  if (!attributes.has(attribute)) {
    attributes.error(fmt::format("attribute '{}' is missing", attribute),
                     fmt::format("name a {}", kind));
    return;
  }
  attributes.error(attribute, fmt::format("there is no {} '{}'", kind, name),
                   report.suggestion(name, known, fmt::format("name a {} of this file", kind)));
}

}  // namespace stiction
