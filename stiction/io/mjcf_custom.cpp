#include "stiction/io/mjcf_custom.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "stiction/io/mjcf_attributes.hpp"
#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

constexpr std::string_view opening = "stiction:";

class CustomReader {
 public:
  CustomReader(const MjcfDocument& document, MjcfReport& report)
      : document_(document), report_(report) {}

  MjcfCustom run() {
    for (const pugi::xml_node section : document_.root().children("custom")) {
      for (const pugi::xml_node node : section.children()) read(node);
    }
    return std::move(custom_);
  }

 private:
  void read(const pugi::xml_node& node) {
    const std::string_view tag = node.name();
    if (tag != "numeric" && tag != "text") return;  // the schema lists the others
    const MjcfAttributes given(document_, report_, node);
    const std::string name = given.text("name");
    if (!name.starts_with(opening)) return read_foreign(given, name);
    if (!seen_.insert(name).second) {
      given.error(fmt::format("'{}' is given twice", name), "keep one of them");
      return;
    }
    const std::string rest = name.substr(opening.size());
    const std::size_t colon = rest.find(':');
    const std::string word = rest.substr(0, colon);
    const std::string target = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
    if (tag == "text") {
      word == "material" ? read_material(given, target) : unknown(given, word, {"material"});
    } else if (word == "restitution") {
      read_restitution(given, target, colon != std::string::npos);
    } else if (word == "stiffness") {
      read_stiffness(given, target, colon != std::string::npos);
    } else if (word == "surface_velocity") {
      read_surface_velocity(given, target);
    } else if (word == "velocity") {
      if (const auto numbers = data(given, 6, 6)) {
        custom_.velocities[target] = {*numbers, given.source()};
      }
    } else if (word == "triangles") {
      if (const auto number = data(given, 1, 1)) {
        if ((*number)[0] != 0.0 && (*number)[0] != 1.0) {
          given.error("data", fmt::format("the value is {:g}", (*number)[0]), "give 0 or 1");
        }
        custom_.triangles[target] = {(*number)[0] == 1.0, given.source()};
      }
    } else if (word == "pair") {
      read_pair(given, target);
    } else {
      unknown(given, word,
              {"restitution", "stiffness", "surface_velocity", "velocity", "triangles", "pair"});
    }
  }

  /// A name that is not ours, unless it was meant to be.
  void read_foreign(const MjcfAttributes& given, const std::string& name) {
    const std::string before = name.substr(0, name.find(':'));
    const bool ours = name.starts_with("restitution") ||
                      (before.size() < name.size() && !nearest_word(before, {"stiction"}).empty());
    if (ours) {
      report_.warning(
          given.source(), fmt::format("'{}' in <custom> is not used", name),
          "if it is for Stiction, start its name with 'stiction:', such as 'stiction:restitution'");
    } else {
      report_.unused(given.source(),
                     fmt::format("<{}> in <custom> is not used", given.element().name()));
    }
  }

  void unknown(const MjcfAttributes& given, const std::string& word,
               const std::vector<std::string_view>& known) {
    given.error(fmt::format("<{}> has no setting '{}{}'", given.element().name(), opening, word),
                report_.suggestion(word, known,
                                   fmt::format("use '{}' followed by one of: {}", opening,
                                               fmt::join(known, ", "))));
  }

  [[nodiscard]] std::optional<std::vector<double>> data(const MjcfAttributes& given,
                                                        std::size_t least, std::size_t most) {
    return given.numbers_of(given.element(), "data", least, most);
  }

  static std::optional<MjcfCustom::Bounce> bounce(const MjcfAttributes& given, double restitution,
                                                  double threshold) {
    if (restitution < 0.0 || restitution > 1.0) {
      given.error("data", fmt::format("the restitution is {:g}", restitution),
                  "give a number from 0 (no bounce) to 1 (elastic)");
    } else if (threshold < 0.0) {
      given.error("data", fmt::format("the restitution threshold is {:g} m/s", threshold),
                  "give a speed that is not negative");
    } else {
      return MjcfCustom::Bounce{restitution, threshold};
    }
    return std::nullopt;
  }

  void read_restitution(const MjcfAttributes& given, const std::string& geom, bool one_geom) {
    const auto numbers = data(given, 1, 2);
    if (!numbers) return;
    const auto value = bounce(given, (*numbers)[0], numbers->size() > 1 ? (*numbers)[1] : 0.0);
    if (!value) return;
    if (one_geom) {
      custom_.bounces[geom] = {*value, given.source()};
    } else {
      custom_.everywhere = *value;
    }
  }

  /// K, and B if it is not to follow from the options of the step.
  void read_stiffness(const MjcfAttributes& given, const std::string& geom, bool one_geom) {
    const auto numbers = data(given, 1, 2);
    if (!numbers) return;
    const MjcfCustom::Softness value{(*numbers)[0], numbers->size() > 1 ? (*numbers)[1] : 0.0};
    if (!(value.stiffness > 0.0) || !(value.damping >= 0.0)) {
      given.error("data",
                  fmt::format("stiffness and damping are {:g} N/m and {:g} N·s/m", value.stiffness,
                              value.damping),
                  "give a stiffness above 0, and a damping that is not negative or none");
    } else if (one_geom) {
      custom_.soft_geoms[geom] = {value, given.source()};
    } else {
      custom_.softness = value;
    }
  }

  void read_surface_velocity(const MjcfAttributes& given, const std::string& geom) {
    const auto numbers = data(given, 3, 3);
    if (!numbers) return;
    custom_.surface_velocities[geom] = {
        Eigen::Vector3d((*numbers)[0], (*numbers)[1], (*numbers)[2]), given.source()};
  }

  void read_material(const MjcfAttributes& given, const std::string& geom) {
    const std::string material = given.text("data");
    if (material.empty() || material.find(':') != std::string::npos) {
      given.error("data", fmt::format("'{}' cannot be the name of a material", material),
                  "give a word without colons");
      return;
    }
    custom_.materials[geom] = {material, given.source()};
  }

  void read_pair(const MjcfAttributes& given, const std::string& names) {
    const std::size_t colon = names.find(':');
    auto numbers = data(given, 1, 3);
    if (!numbers) return;
    if (colon == std::string::npos) {
      given.error(fmt::format("'{}' does not name two materials", names),
                  "write 'stiction:pair:FIRST:SECOND'");
      return;
    }
    numbers->resize(3);
    if ((*numbers)[0] < 0.0) {
      given.error("data", fmt::format("the friction is {:g}", (*numbers)[0]),
                  "give a coefficient that is not negative");
      return;
    }
    const auto value = bounce(given, (*numbers)[1], (*numbers)[2]);
    if (!value) return;
    custom_.pairs.push_back(
        {names.substr(0, colon), names.substr(colon + 1), (*numbers)[0], *value, given.source()});
  }

  const MjcfDocument& document_;
  MjcfReport& report_;
  MjcfCustom custom_;
  std::set<std::string> seen_;
};

template <class Map>
std::vector<std::string_view> names_of(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

/// Whether a map has the name; if not, says so.
template <class Map>
bool expect_known(MjcfScene& scene, const Map& map, const std::string& name, const char* kind,
                  const Source& source) {
  if (map.contains(name)) return true;
  const std::string remedy = fmt::format("name a {} of this file", kind);
  scene.report.error(
      source, fmt::format("there is no {} '{}'", kind, name),
      scene.report.may_suggest() ? scene.report.suggestion(name, names_of(map), remedy) : remedy);
  return false;
}

/// Every geom of either material against every one of the other.
void add_pair(MjcfScene& scene, const MjcfCustom::Pair& pair) {
  const char* kind = "material";
  if (!expect_known(scene, scene.named_materials, pair.first, kind, pair.source) ||
      !expect_known(scene, scene.named_materials, pair.second, kind, pair.source)) {
    return;
  }
  for (const int first : scene.named_materials[pair.first]) {
    for (const int second : scene.named_materials[pair.second]) {
      if (pair.first == pair.second && second < first) continue;
      scene.builder.add_material_pair(
          {first, second, pair.friction, pair.bounce.restitution, pair.bounce.threshold});
    }
  }
}

/// Only meshes have triangles, and only what does not move freely can use them.
void check_triangles(MjcfScene& scene, const std::string& geom, const MjcfGeomPlace& place,
                     const Source& source) {
  const MjcfBody& body = scene.body(place.body);
  const bool in_world = body.link == world_body;
  const Shape& shape =
      in_world ? scene.builder.world_shape(scene.first_world_shape + place.shape)
               : scene.builder.link(body.link).shapes[static_cast<std::size_t>(place.shape)];
  const auto carries = [&](int joint) {
    return scene.builder.joint(joint).child == scene.body(body.rigid_group).link;
  };
  const bool still =
      in_world || body.rigid_group == 0 || std::ranges::any_of(scene.mocap_joints, carries);
  if (shape.kind != ShapeKind::mesh || !still) {
    scene.report.error(
        source,
        fmt::format("geom '{}' cannot collide as triangles: it {}", geom,
                    shape.kind != ShapeKind::mesh ? "is not a mesh" : "moves freely"),
        "name a mesh geom that is fixed to the world or belongs to a mocap body");
  }
}

}  // namespace

void finish_custom(MjcfScene& scene) {
  const auto check = [&scene](const auto& values) {
    for (const auto& [geom, entry] : values) {
      expect_known(scene, scene.geom_by_name, geom, "geom", entry.source);
    }
  };
  check(scene.custom.bounces);
  check(scene.custom.soft_geoms);
  check(scene.custom.surface_velocities);
  check(scene.custom.materials);
  check(scene.custom.triangles);
  for (const auto& [geom, entry] : scene.custom.triangles) {
    const auto place = scene.geom_by_name.find(geom);
    if (!entry.value || place == scene.geom_by_name.end()) continue;
    check_triangles(scene, geom, place->second, entry.source);
  }
  for (const auto& [body, entry] : scene.custom.velocities) {
    if (!expect_known(scene, scene.body_by_name, body, "body", entry.source)) continue;
    const auto is_joint_of = [&scene, &body = body](int joint) {
      return scene.builder.joint(joint).child == scene.body(scene.body_by_name[body]).link;
    };
    if (std::ranges::none_of(scene.mocap_joints, is_joint_of)) {
      scene.report.error(entry.source, fmt::format("body '{}' has no prescribed motion", body),
                         "give it mocap=\"true\", or set the velocity with 'qvel' of a keyframe");
    }
  }
  for (const MjcfCustom::Pair& pair : scene.custom.pairs) add_pair(scene, pair);
}

MjcfCustom read_custom(const MjcfDocument& document, MjcfReport& report) {
  return CustomReader(document, report).run();
}

}  // namespace stiction
