#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/io/mjcf_inertia.hpp"
#include "stiction/io/mjcf_mesh.hpp"
#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// What MJCF gives a geom: sliding, torsional [m], rolling [m].
constexpr std::array<double, 3> default_friction{1.0, 0.005, 0.0001};
constexpr double wide_margin = 0.005;  // [m]: MuJoCo would keep bodies visibly apart

/// One geom on its way.
class GeomReader {
 public:
  GeomReader(MjcfScene& scene, const MjcfAttributes& given, GeomMass mass)
      : scene_(scene), given_(given), mass_wish_(mass) {}

  MjcfGeom run(const Eigen::Isometry3d& frame) {
    shape_.name = given_.text("name").empty() ? std::string() : scene_.full(given_.text("name"));
    shape_.source = given_.source();
    read_kind();
    read_size_and_pose();
    read_collision();
    read_look();
    shape_.material = material();
    shape_.as_triangles = custom(scene_.custom.triangles, false);
    shape_.surface_velocity =
        custom(scene_.custom.surface_velocities, Eigen::Vector3d(Eigen::Vector3d::Zero()));
    read_inertia();
    read_assets();
    shape_.pose = frame * shape_.pose;
    geom_.inertia = placed(geom_.inertia, shape_.pose);
    if (primitive_) geom_.fluid = read_fluid_shape(scene_, given_, shape_, geom_.inertia);
    geom_.shape = std::move(shape_);
    return std::move(geom_);
  }

 private:
  void read_kind() {
    using Kind = ShapeKind;
    shape_.kind = given_.keyword<Kind>("type",
                                       {{"plane", Kind::plane},
                                        {"hfield", Kind::height_field},
                                        {"sphere", Kind::sphere},
                                        {"capsule", Kind::capsule},
                                        {"ellipsoid", Kind::ellipsoid},
                                        {"cylinder", Kind::cylinder},
                                        {"box", Kind::box},
                                        {"mesh", Kind::mesh},
                                        {"sdf", Kind::mesh}},
                                       Kind::sphere);
    if (given_.text("type") == "sdf") {
      given_.error("type", "signed distance fields are not supported", "use a mesh or a primitive");
    }
  }

  /// A primitive that names a mesh has its size and place from it.
  void fit_to_mesh() {
    if (!given_.has("mesh") || shape_.kind == ShapeKind::mesh) return;
    primitive_ = false;
    if (shape_.kind == ShapeKind::plane || shape_.kind == ShapeKind::height_field) {
      given_.error("mesh", fmt::format("a {} cannot be fitted to a mesh", to_string(shape_.kind)),
                   "remove 'mesh', or use sphere, capsule, cylinder, ellipsoid or box");
      return;
    }
    const auto position = scene_.assets.find_mesh(given_.text("mesh"), given_);
    if (!position) return;
    MjcfMesh& asset = scene_.assets.mesh(*position);
    asset.fitted = true;
    if (!asset.problem.empty() || !asset.solid) {
      given_.error(
          asset.problem.empty() ? "the mesh does not enclose a volume" : asset.problem,
          asset.problem.empty() ? "close the mesh, or give the primitive a size" : asset.remedy);
      return;
    }
    const double scale = given_.number_from("fitscale", 1.0, 0.0);
    const FittedShape fitted =
        fit_shape(shape_.kind, asset.mesh, *asset.solid, scene_.compiler_of(given_).fit_to_bounds);
    shape_.size = scale * fitted.size;
    shape_.pose = shape_.pose * fitted.pose;
    primitive_ = true;
  }

  /// How many numbers of `size` must be positive.
  [[nodiscard]] int sizes_needed() const {
    switch (shape_.kind) {
      case ShapeKind::sphere:
        return 1;
      case ShapeKind::capsule:
      case ShapeKind::cylinder:
        return 2;
      case ShapeKind::box:
      case ShapeKind::ellipsoid:
        return 3;
      case ShapeKind::plane:
      case ShapeKind::height_field:
      case ShapeKind::mesh:
        return 0;
    }
    return 0;
  }

  void read_size_and_pose() {
    shape_.size = to_vector(given_.overlay<3>("size", {0, 0, 0}));
    shape_.pose = read_pose(given_, scene_.compiler_of(given_));
    if (given_.has("fromto")) read_from_to();
    fit_to_mesh();
    for (int i = 0; i < sizes_needed() && primitive_; ++i) {
      if (shape_.size[i] > 0.0) continue;
      given_.error(given_.has("size") ? "size" : "type",
                   fmt::format("number {} of the size of a {} is {:g}", i + 1,
                               to_string(shape_.kind), shape_.size[i]),
                   fmt::format("give {} positive number(s)", sizes_needed()));
      primitive_ = false;
    }
    if (shape_.kind == ShapeKind::plane) {
      if (shape_.size.minCoeff() < 0.0) {
        given_.error("size", "a plane has a negative size",
                     "give half extents, or 0 for an infinite plane");
      }
      shape_.size.z() = 0.0;  // spacing of MuJoCo's grid lines
    }
    if (shape_.kind == ShapeKind::mesh || shape_.kind == ShapeKind::height_field) {
      shape_.size.setZero();
    }
  }

  void read_from_to() {
    const auto ends = given_.exactly<6>("fromto");
    if (!ends) return;
    const bool long_kind = shape_.kind == ShapeKind::capsule || shape_.kind == ShapeKind::cylinder;
    if (!long_kind && shape_.kind != ShapeKind::box && shape_.kind != ShapeKind::ellipsoid) {
      given_.error("fromto", fmt::format("a {} cannot have 'fromto'", to_string(shape_.kind)),
                   "use it with capsule, cylinder, ellipsoid or box");
      return;
    }
    const Eigen::Vector3d from((*ends)[0], (*ends)[1], (*ends)[2]);
    const Eigen::Vector3d to((*ends)[3], (*ends)[4], (*ends)[5]);
    const double length = (to - from).norm();
    if (length < 1e-10) {
      given_.error("fromto", "both ends of 'fromto' are the same point", "give two points");
      return;
    }
    // MuJoCo lets z point back to the first end; for boxes that decides about x and y.
    shape_.pose = make_pose(0.5 * (from + to), turn_z_to(from - to));
    if (long_kind) {
      shape_.size.y() = 0.5 * length;
    } else {
      shape_.size.y() = shape_.size.x();
      shape_.size.z() = 0.5 * length;
    }
  }

  void read_collision() {
    shape_.collision_group = given_.integer("contype", 1);
    shape_.collision_mask = given_.integer("conaffinity", 1);
    shape_.margin = given_.number_from("margin", 0.0, 0.0);
    shape_.collides = shape_.collision_group != 0 || shape_.collision_mask != 0 ||
                      scene_.paired_geoms.contains(given_.text("name"));
    const bool wrapped = scene_.wrapped_geoms.contains(given_.text("name"));
    const bool discards = scene_.compiler_of(given_).discard_visual;
    if (!shape_.collides && !wrapped && discards) geom_.keep = false;
    if (!scene_.option.contacts) shape_.collides = false;
    if (shape_.collides && shape_.margin >= wide_margin) {
      scene_.report.unused(
          given_.source(),
          "'margin' of <geom> does not keep bodies apart: they touch at distance 0",
          Severity::warning);
    }
  }

  void read_look() {
    // MuJoCo's viewer hides groups 3 to 5: there stand collision shapes under visual ones.
    group_ = given_.integer("group", 0);
    shape_.visible = group_ < 3;
    std::array<double, 4> color{0.5, 0.5, 0.5, 1.0};
    if (given_.has("material")) {
      color = scene_.assets.material_color(given_.text("material"), given_).value_or(color);
      // What is not drawn needs no texture, which may be missing.
      if (shape_.visible) geom_.finish = scene_.assets.finish(given_.text("material"), given_);
    }
    color = given_.color("rgba").value_or(color);
    std::transform(color.begin(), color.end(), shape_.color.begin(),
                   [](double value) { return static_cast<float>(value); });
  }

  /// What the custom section says for this geom, else the fallback.
  template <class Value>
  [[nodiscard]] Value custom(const std::map<std::string, MjcfCustomValue<Value>>& values,
                             const Value& fallback) const {
    const auto found = values.find(given_.text("name"));
    return found == values.end() || given_.text("name").empty() ? fallback : found->second.value;
  }

  /// Index of the contact material, made when it is first needed.
  [[nodiscard]] int material() const {
    const int condim = given_.integer("condim", 3);
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
      given_.error("condim", fmt::format("'condim' is {}", condim), "give 1, 3, 4 or 6");
    }
    const auto friction = given_.overlay<3>("friction", default_friction);
    for (const double coefficient : friction) {
      if (coefficient >= 0.0) continue;
      given_.error("friction", fmt::format("the friction coefficient is {:g}", coefficient),
                   "give a number that is not negative");
      return 0;
    }
    const auto bounce = custom(scene_.custom.bounces, scene_.custom.everywhere);
    const auto soft = custom(scene_.custom.soft_geoms, scene_.custom.softness);
    return material_index({.name = custom(scene_.custom.materials, std::string()),
                           .friction = friction[0],
                           .restitution = bounce.restitution,
                           .restitution_threshold = bounce.threshold,
                           .frictionless = condim == 1,
                           .priority = given_.integer("priority", 0),
                           .spin_friction = friction[1],
                           .roll_friction = friction[2],
                           .friction_dimensions = condim,
                           .stiffness = soft.stiffness,
                           .damping = soft.damping});
  }

  /// The builder's index of a material with these values; its name is filled in.
  [[nodiscard]] int material_index(Material wish) const {
    const std::string own_name = wish.name;
    const std::string key = fmt::format(
        "{}:{} {} {} {} {} {} {} {} {} {}", own_name, wish.friction, wish.restitution,
        wish.restitution_threshold, wish.frictionless, wish.priority, wish.spin_friction,
        wish.roll_friction, wish.friction_dimensions, wish.stiffness, wish.damping);
    const auto known = scene_.material_index.find(key);
    if (known != scene_.material_index.end()) return known->second;
    wish.name = own_name.empty() ? std::string() : own_name + ' ';
    wish.name = scene_.full(wish.name + fmt::format("friction {:g}", wish.friction));
    if (wish.frictionless) wish.name += " (condim 1)";
    if (wish.friction_dimensions > 3) {
      wish.name += fmt::format(" (condim {})", wish.friction_dimensions);
    }
    if (wish.spin_friction != default_friction[1] || wish.roll_friction != default_friction[2]) {
      wish.name += fmt::format(" spin {:g} roll {:g} m", wish.spin_friction, wish.roll_friction);
    }
    if (wish.priority != 0) wish.name += fmt::format(" priority {}", wish.priority);
    if (wish.restitution > 0.0) wish.name += fmt::format(" restitution {:g}", wish.restitution);
    if (wish.restitution_threshold > 0.0) {
      wish.name += fmt::format(" above {:g} m/s", wish.restitution_threshold);
    }
    if (wish.stiffness > 0.0) wish.name += fmt::format(" stiffness {:g} N/m", wish.stiffness);
    if (wish.damping > 0.0) wish.name += fmt::format(" damping {:g} N·s/m", wish.damping);
    const int index = scene_.builder.add_material(std::move(wish));
    scene_.material_index[key] = index;
    if (!own_name.empty()) scene_.named_materials[own_name].insert(index);
    return index;
  }

  void read_inertia() {
    const auto& groups = scene_.compiler_of(given_).inertia_groups;
    const bool in_group = group_ >= groups[0] && group_ <= groups[1];
    const double density = given_.number_from("density", 1000.0, 0.0);
    mass_ = given_.number_from("mass", -1.0, 0.0);
    density_ = density;
    weightless_ = given_.has("mass") ? mass_ == 0.0 : density == 0.0;
    geom_.counts_for_inertia = mass_wish_ != GeomMass::unneeded && in_group && !weightless_ &&
                               shape_.kind != ShapeKind::plane &&
                               shape_.kind != ShapeKind::height_field;
    const bool shell = given_.flag("shellinertia", false);
    const bool has_shell = shape_.kind != ShapeKind::mesh && shape_.kind != ShapeKind::ellipsoid;
    if (geom_.counts_for_inertia && shell && !has_shell) {
      scene_.report.unused(given_.source(),
                           "shellinertia of <geom> is not used for ellipsoids and meshes: they are "
                           "solid, meshes unless the <mesh> has inertia=\"shell\"",
                           Severity::warning);
    }
    if (shape_.kind != ShapeKind::mesh && primitive_) {
      weigh(shell && has_shell ? primitive_shell(shape_.kind, shape_.size)
                               : primitive_solid(shape_.kind, shape_.size));
    }
  }

  [[nodiscard]] bool must_weigh() const {
    return geom_.counts_for_inertia && mass_wish_ == GeomMass::needed;
  }

  void weigh(const BodyInertia& solid) {
    geom_.inertia = scaled_to_mass(solid, given_.has("mass") ? mass_ : density_ * solid.mass);
  }

  void read_assets() {
    if (shape_.kind == ShapeKind::mesh) {
      read_mesh();
    } else if (shape_.kind == ShapeKind::height_field) {
      const auto position = scene_.assets.find_height_field(given_.text("hfield"), given_);
      if (!position) return;
      MjcfHeightField& asset = scene_.assets.height_field(*position);
      if (use(asset)) shape_.height_field = *position;
    }
  }

  void read_mesh() {
    if (!given_.has("mesh")) {
      given_.error("a mesh geom has no mesh", "give mesh=\"...\"");
      return;
    }
    const auto position = scene_.assets.find_mesh(given_.text("mesh"), given_);
    if (!position) return;
    if (!geom_.keep && !geom_.counts_for_inertia) return;
    MjcfMesh& asset = scene_.assets.mesh(*position);
    if (!use(asset)) return;
    shape_.mesh = *position;
    asset.collides = asset.collides || shape_.collides;
    asset.textured = asset.textured || is_textured();
    if (asset.solid) {
      weigh(*asset.solid);
      if (asset.open_edges > 0 && must_weigh()) {
        scene_.report.warning(scene_.document.source(asset.element),
                              fmt::format("the mesh is not closed ({} open edges), so its exact "
                                          "mass and inertia are a guess",
                                          asset.open_edges),
                              "close the mesh, use inertia=\"convex\", or give the body an "
                              "<inertial>");
      }
    } else if (must_weigh()) {
      given_.error("the mesh does not enclose a volume, so the geom has no mass",
                   "close the mesh, or give the body an <inertial> and the geom mass=\"0\"");
    }
  }

  [[nodiscard]] bool is_textured() const {
    return geom_.finish >= 0 &&
           scene_.assets.looks().finishes[static_cast<std::size_t>(geom_.finish)].texture >= 0;
  }

  /// Whether the asset can be used; if not, says so: an error if the shape collides or weighs.
  template <class Asset>
  bool use(Asset& asset) {
    if (asset.problem.empty()) {
      asset.used = asset.used || geom_.keep;
      return true;
    }
    if (shape_.collides || must_weigh()) {
      scene_.report.error(scene_.document.source(asset.element), asset.problem, asset.remedy);
    } else {
      scene_.report.warning(scene_.document.source(asset.element),
                            asset.problem + "; geoms that use it are left out", asset.remedy);
    }
    geom_.keep = false;
    geom_.counts_for_inertia = false;
    return false;
  }

  MjcfScene& scene_;
  const MjcfAttributes& given_;
  GeomMass mass_wish_;
  bool primitive_ = true;  ///< its size is good
  bool weightless_ = false;
  int group_ = 0;
  double mass_ = -1.0;
  double density_ = 1000.0;
  Shape shape_;
  MjcfGeom geom_;
};

}  // namespace

MjcfGeom read_geom(MjcfScene& scene, const pugi::xml_node& node, const Eigen::Isometry3d& frame,
                   int inherited_class, GeomMass mass) {
  const MjcfAttributes given = scene.attributes(node, inherited_class);
  return GeomReader(scene, given, mass).run(frame);
}

void finish_shapes(MjcfScene& scene) {
  scene.assets.add_used(scene.builder);
  const auto renumber = [&scene](Shape& shape) {
    if (shape.mesh >= 0) shape.mesh = scene.assets.mesh(shape.mesh).index;
    if (shape.height_field >= 0) {
      shape.height_field = scene.assets.height_field(shape.height_field).index;
    }
  };
  for (const MjcfBody& body : scene.bodies) {
    if (body.link == world_body) continue;
    for (Shape& shape : scene.builder.link(body.link).shapes) renumber(shape);
  }
  for (std::size_t i = 0; i < scene.world_shapes.size(); ++i) {
    renumber(scene.world_shapes[i]);
    const int place = scene.builder.add_world_shape(std::move(scene.world_shapes[i]));
    if (i == 0) scene.first_world_shape = place;
  }
  for (const auto& [shape, finish] : scene.finish_of_shape) {
    scene.assets.looks().shape_finishes[scene.shape_of(shape.first, shape.second)] = finish;
  }
}

}  // namespace stiction
