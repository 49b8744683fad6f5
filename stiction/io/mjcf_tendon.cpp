#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// One joint with its coefficient; nothing, with an error, if it cannot be used.
std::optional<Tendon::Term> read_term(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given(scene.document, scene.report, node);
  const auto joint = scene.find(scene.joint_by_name, given, "joint", "joint");
  if (!joint) return std::nullopt;
  if (velocity_size(scene.builder.joint(*joint).kind) != 1) {
    given.error("joint", "a fixed tendon needs joints with one coordinate",
                "name a hinge or a slide");
    return std::nullopt;
  }
  return Tendon::Term{*joint, given.number("coef", 1.0)};
}

/// Where its spring rests: as the file says, or as long as it is where the joints' springs rest.
std::array<double, 2> read_spring_range(const MjcfScene& scene, const MjcfAttributes& given,
                                        const Tendon& tendon) {
  const auto length = given.overlay<2>("springlength", {-1.0, -1.0});
  if (length[0] != -1.0) return {length[0], length[1] == -1.0 ? length[0] : length[1]};
  double rest = 0.0;
  for (const Tendon::Term& term : tendon.terms) {
    rest += term.coefficient * scene.builder.joint(term.joint).spring_reference;
  }
  return {rest, rest};
}

/// The builder's index; -1 if the file is wrong.
int read_fixed(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given = scene.attributes(node, MjcfDefaults::main_class, "tendon");
  Tendon tendon;
  tendon.source = given.source();
  tendon.name = scene.full(given.text("name"));
  bool good = true;
  for (const pugi::xml_node child : node.children("joint")) {
    const auto term = read_term(scene, child);
    good = good && term;
    if (term) tendon.terms.push_back(*term);
  }
  if (tendon.terms.empty() && good) {
    given.error("the tendon has no joints", "add <joint joint=\"...\" coef=\"...\"/>");
    good = false;
  }
  tendon.stiffness = given.number_from("stiffness", 0.0, 0.0);
  tendon.damping = given.number_from("damping", 0.0, 0.0);
  tendon.spring_range = read_spring_range(scene, given, tendon);
  return good ? scene.builder.add_tendon(std::move(tendon)) : -1;
}

}  // namespace

void read_tendons(MjcfScene& scene) {
  for (const pugi::xml_node section : scene.document.root().children("tendon")) {
    for (const pugi::xml_node node : section.children()) {
      const bool fixed = std::string_view(node.name()) == "fixed";
      const int tendon = fixed ? read_fixed(scene, node) : -1;
      scene.tendon_by_name.try_emplace(node.attribute("name").value(), tendon);
    }
  }
}

}  // namespace stiction
