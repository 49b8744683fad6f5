#include <algorithm>
#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// A body and the one that it moves against do not collide, unless that one is the world or fixed
/// to it.
void exclude_parents(MjcfScene& scene) {
  if (!scene.option.filter_parent) return;
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    const MjcfBody& body = scene.bodies[i];
    const MjcfBody& parent = scene.body(body.parent);
    const bool moves = body.rigid_group == static_cast<int>(i);
    if (moves && parent.rigid_group != 0) scene.builder.exclude_collision(body.link, parent.link);
  }
}

void read_exclude(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given(scene.document, scene.report, node);
  const auto first = scene.find(scene.body_by_name, given, "body1", "body");
  const auto second = scene.find(scene.body_by_name, given, "body2", "body");
  if (!first || !second) return;
  scene.builder.exclude_link_collision(scene.body(*first).link, scene.body(*second).link);
}

void read_pair(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given = scene.attributes(node, MjcfDefaults::main_class);
  const auto first = scene.find(scene.geom_by_name, given, "geom1", "geom");
  const auto second = scene.find(scene.geom_by_name, given, "geom2", "geom");
  const int condim = given.integer("condim", 3);
  // A pair does not ask its geoms: what it leaves out has the default of pairs.
  const auto both = given.overlay<5>("friction", {1, 1, 0.005, 0.0001, 0.0001});
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
    given.error("condim", fmt::format("'condim' is {}", condim), "give 1, 3, 4 or 6");
  }
  if (std::ranges::any_of(both, [](double x) { return x < 0.0; })) {
    given.error("friction", "friction is negative", "give 0 or more");
    return;
  }
  if (condim != 1 && both[0] != both[1]) {
    scene.report.unused(given.source(),
                        "the second sliding coefficient of <pair> is not used: friction is the "
                        "same in all directions",
                        Severity::warning);
  }
  if (condim == 6 && both[3] != both[4]) {
    scene.report.unused(given.source(),
                        "the second rolling coefficient of <pair> is not used: rolling friction is "
                        "the same in all directions",
                        Severity::warning);
  }
  const double margin = given.number_from("margin", 0.0, 0.0);
  if (!first || !second) return;
  scene.builder.add_contact_pair(scene.shape_of(first->body, first->shape),
                                 scene.shape_of(second->body, second->shape),
                                 condim == 1 ? 0.0 : both[0], margin, condim >= 4 ? both[2] : 0.0,
                                 condim == 6 ? both[3] : 0.0);
}

}  // namespace

void read_contacts(MjcfScene& scene) {
  if (!scene.option.contacts) return;
  exclude_parents(scene);
  for (const pugi::xml_node section : scene.document.root().children("contact")) {
    for (const pugi::xml_node node : section.children("exclude")) read_exclude(scene, node);
    for (const pugi::xml_node node : section.children("pair")) read_pair(scene, node);
  }
}

}  // namespace stiction
