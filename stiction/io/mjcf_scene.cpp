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

std::set<std::string> geoms_in_tendons(const MjcfDocument& document) {
  std::set<std::string> names;
  for (const pugi::xml_node section : document.root().children("tendon")) {
    for (const pugi::xml_node tendon : section.children("spatial")) {
      for (const pugi::xml_node geom : tendon.children("geom")) {
        names.insert(geom.attribute("geom").value());
      }
    }
  }
  return names;
}

}  // namespace

MjcfScene::MjcfScene(ModelBuilder& into, const MjcfDocument& file, MjcfReport& problems,
                     const LoadOptions& options)
    : builder(into),
      document(file),
      report(problems),
      prefix(options.prefix),
      compilers(file, problems),
      compiler(compilers.of_main_file()),
      option(read_option(file, problems)),
      defaults(file, problems),
      names(file, problems),
      assets(file, problems, compilers, defaults, options.prefix),
      paired_geoms(geoms_in_pairs(file)),
      wrapped_geoms(geoms_in_tendons(file)),
      custom(read_custom(file, problems)) {}

MjcfAttributes MjcfScene::attributes(const pugi::xml_node& node, int inherited_class,
                                     const char* tag) const {
  const int class_index = defaults.class_of(node, "class", inherited_class);
  return {document, report, node, defaults.levels(class_index, tag == nullptr ? node.name() : tag)};
}

std::pair<int, int> MjcfScene::shape_of(int body, int shape) const {
  const int link = bodies[static_cast<std::size_t>(body)].link;
  return {link, link == world_body ? first_world_shape + shape : shape};
}

void MjcfScene::add_shapes_of(int body, std::vector<std::pair<int, int>>& shapes) const {
  const std::size_t count =
      body == 0 ? world_shapes.size()
                : builder.link(bodies[static_cast<std::size_t>(body)].link).shapes.size();
  for (std::size_t i = 0; i < count; ++i) shapes.push_back(shape_of(body, static_cast<int>(i)));
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
