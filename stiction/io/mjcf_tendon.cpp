#include <algorithm>
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

/// A site of the path; nothing, with an error, if there is none of this name.
std::optional<Tendon::Part> read_site(MjcfScene& scene, const MjcfAttributes& given) {
  const auto place = scene.find(scene.site_place, given, "site", "site");
  if (!place) return std::nullopt;
  const pugi::xml_node before = given.element().previous_sibling();
  if (std::string_view(before.name()) == "site" &&
      given.text("site") == before.attribute("site").value()) {
    given.error("site", "the path has the same site twice in a row", "remove one of both");
    return std::nullopt;
  }
  Tendon::Part part;
  part.body = scene.body(place->first).link;
  part.pose = place->second;
  return part;
}

/// A sphere or cylinder that the path goes around.
std::optional<Tendon::Part> read_obstacle(MjcfScene& scene, const MjcfAttributes& given) {
  const auto geom = scene.find(scene.geom_by_name, given, "geom", "geom");
  if (!geom) return std::nullopt;
  Tendon::Part part;
  part.body = scene.body(geom->body).link;
  const Shape& shape =
      part.body == world_body
          ? scene.builder.world_shape(scene.first_world_shape + geom->shape)
          : scene.builder.link(part.body).shapes[static_cast<std::size_t>(geom->shape)];
  if (shape.kind != ShapeKind::sphere && shape.kind != ShapeKind::cylinder) {
    given.error("geom",
                fmt::format("tendons do not wrap around '{}', which is a {}", given.text("geom"),
                            to_string(shape.kind)),
                "name a sphere or a cylinder");
    return std::nullopt;
  }
  part.kind =
      shape.kind == ShapeKind::sphere ? Tendon::Part::Kind::sphere : Tendon::Part::Kind::cylinder;
  part.pose = geom->pose;
  part.radius = shape.size.x();
  if (!given.has("sidesite")) return part;
  const auto side = scene.find(scene.site_place, given, "sidesite", "site");
  if (!side) return std::nullopt;
  part.has_side = true;
  part.side_body = scene.body(side->first).link;
  part.side = side->second.translation();
  return part;
}

std::optional<Tendon::Part> read_pulley(const MjcfAttributes& given) {
  Tendon::Part part;
  part.kind = Tendon::Part::Kind::pulley;
  part.divisor = given.number("divisor", 0.0);
  if (part.divisor > 0.0) return part;
  given.error(given.has("divisor") ? "the divisor of the pulley is not positive"
                                   : "the pulley has no divisor",
              "give a divisor above 0, such as divisor=\"2\"");
  return std::nullopt;
}

std::optional<Tendon::Part> read_part(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given(scene.document, scene.report, node);
  const std::string_view tag = node.name();
  if (tag == "site") return read_site(scene, given);
  if (tag == "geom") return read_obstacle(scene, given);
  return read_pulley(given);
}

/// A limit acts at a distance from the end of its range; both ends must leave room for it.
double read_margin(const MjcfAttributes& given, const std::array<double, 2>& range) {
  const double margin = given.number_from("margin", 0.0, 0.0);
  const double room = 0.5 * (range[1] - range[0]);
  if (margin > room) {
    given.report().warning(given.source(), "the margin is larger than half the range",
                           "give a smaller margin; half the range is used");
  }
  return std::min(margin, room);
}

void read_numbers(MjcfScene& scene, const MjcfAttributes& given, Tendon& tendon) {
  const MjcfOption& option = scene.option;
  const MjcfCompiler& compiler = scene.compiler_of(given);
  const double stiffness = given.number_from("stiffness", 0.0, 0.0);
  const double damping = given.number_from("damping", 0.0, 0.0);
  const double friction = given.number_from("frictionloss", 0.0, 0.0);
  tendon.stiffness = option.springs ? stiffness : 0.0;
  tendon.damping = option.dampers ? damping : 0.0;
  tendon.friction = option.joint_friction ? friction : 0.0;
  const auto length = given.overlay<2>("springlength", {-1.0, -1.0});
  tendon.spring_at_rest = length[0] == -1.0;
  if (!tendon.spring_at_rest) {
    tendon.spring_range = {length[0], length[1] == -1.0 ? length[0] : length[1]};
  }
  if (is_limited(given, "limited", "range", compiler) && option.limits) {
    tendon.limits = given.exactly<2>("range").value_or(tendon.limits);
    tendon.margin = read_margin(given, tendon.limits);
  }
  if (is_limited(given, "actuatorfrclimited", "actuatorfrcrange", compiler)) {
    tendon.force_range = given.exactly<2>("actuatorfrcrange").value_or(tendon.force_range);
  }
}

/// The builder's index; -1 if the file is wrong.
int read_tendon(MjcfScene& scene, const pugi::xml_node& node) {
  const MjcfAttributes given = scene.attributes(node, MjcfDefaults::main_class, "tendon");
  Tendon tendon;
  tendon.source = given.source();
  tendon.name = scene.full(given.text("name"));
  const bool spatial = std::string_view(node.name()) == "spatial";
  tendon.kind = spatial ? Tendon::Kind::spatial : Tendon::Kind::fixed;
  bool good = true;
  const auto add = [&good](auto& list, const auto& entry) {
    good = good && entry;
    if (entry) list.push_back(*entry);
  };
  for (const pugi::xml_node child : node.children()) {
    spatial ? add(tendon.path, read_part(scene, child))
            : add(tendon.terms, read_term(scene, child));
  }
  if (!spatial && tendon.terms.empty() && good) {
    given.error("the tendon has no joints", "add <joint joint=\"...\" coef=\"...\"/>");
    good = false;
  }
  read_numbers(scene, given, tendon);
  return good ? scene.builder.add_tendon(std::move(tendon)) : -1;
}

}  // namespace

void read_tendons(MjcfScene& scene) {
  for (const pugi::xml_node section : scene.document.root().children("tendon")) {
    for (const pugi::xml_node node : section.children()) {
      const std::string_view tag = node.name();
      if (tag != "fixed" && tag != "spatial") continue;  // the schema has said so
      scene.tendon_by_name.try_emplace(node.attribute("name").value(), read_tendon(scene, node));
    }
  }
}

}  // namespace stiction
