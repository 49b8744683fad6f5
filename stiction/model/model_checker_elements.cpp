// The part of ModelChecker that looks at shapes, materials, actuators, sensors and the like.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/model/model_checker.hpp"
#include "stiction/model/number_checks.hpp"
#include "stiction/model/sensor_kinds.hpp"

namespace stiction {

void ModelChecker::check_shape(const Shape& shape, const Source& source, bool moves) {
  const auto complain = [&](const std::string& what, const char* remedy) {
    problems_.error(source, what, remedy);
  };
  check_pose(shape.pose, source, "the pose of its shape");
  const auto positive = [&](int count) {
    for (int k = 0; k < count; ++k) {
      if (!(shape.size[k] > 0.0) || !std::isfinite(shape.size[k])) {
        complain(fmt::format("a {} has size {:g}", to_string(shape.kind), shape.size[k]),
                 "give positive sizes in metres");
        return;
      }
    }
  };
  switch (shape.kind) {
    case ShapeKind::sphere:
      positive(1);
      break;
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      positive(3);
      break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      positive(2);
      break;
    case ShapeKind::plane:
      if (moves && shape.collides) {
        complain("a plane is attached to a moving body",
                 "use a box, or attach the plane to the world");
      }
      break;
    case ShapeKind::height_field:
      if (shape.height_field < 0 ||
          shape.height_field >= static_cast<int>(builder_.height_fields_.size())) {
        complain("its height field is not in the model", renumber);
      } else if (moves && shape.collides) {
        complain("a height field is attached to a moving body", "attach it to the world");
      }
      break;
    case ShapeKind::mesh:
      if (shape.mesh < 0 || shape.mesh >= static_cast<int>(builder_.meshes_.size())) {
        complain("its mesh is not in the model", renumber);
      } else if (shape.collides && moves &&
                 builder_.meshes_[static_cast<std::size_t>(shape.mesh)].hull_vertices.empty()) {
        complain("its mesh is flat and cannot collide on a moving body",
                 "use a mesh with volume, or a box");
      }
      break;
  }
  if (shape.material < 0 || shape.material >= static_cast<int>(builder_.materials_.size())) {
    complain("its material is not in the model", renumber);
  }
  if (!finite_not_negative(shape.margin)) complain("its margin is negative", "give 0 or more");
  if (!shape.surface_velocity.allFinite()) {
    complain("its surface velocity contains NaN or infinity", "give m/s along the shape's axes");
  }
}

void ModelChecker::check_assets() {
  for (int i = 0; i < builder_.link_count(); ++i) {
    const LinkSpec& link = builder_.link(i);
    const LinkPlace& place = tree_.places[static_cast<std::size_t>(i)];
    const bool moves =
        place.body >= 0 &&
        !builder_.joint(tree_.body_joint[static_cast<std::size_t>(place.body)]).kinematic;
    for (const Shape& shape : link.shapes) {
      check_shape(
          shape,
          shape.source.element.empty() ? named(link.source, "link", link.name) : shape.source,
          moves);
    }
  }
  for (const Shape& shape : builder_.world_shapes_) {
    check_shape(shape, named(shape.source, "shape", shape.name), false);
  }
  for (const HeightField& field : builder_.height_fields_) {
    const bool good = field.rows >= 2 && field.columns >= 2 && field.half_size.minCoeff() > 0.0 &&
                      field.half_size.allFinite() && std::isfinite(field.base) &&
                      field.heights.size() == static_cast<std::size_t>(field.rows) *
                                                  static_cast<std::size_t>(field.columns) &&
                      std::all_of(field.heights.begin(), field.heights.end(),
                                  [](double h) { return std::isfinite(h); });
    if (!good) {
      problems_.error({field.file, 0, fmt::format("height field '{}'", field.name)},
                      "its grid or heights are invalid",
                      "give at least 2 x 2 finite heights and a positive size");
    }
  }
}

void ModelChecker::check_materials() {
  for (const Material& material : builder_.materials_) check_material(material, problems_);
  check_material_pairs(builder_.material_pairs_, builder_.materials_, problems_);
}

void ModelChecker::check_tendons() {
  const auto moves_along_one = [this](const Tendon::Term& term) {
    return joint_in_range(term.joint) && velocity_size(builder_.joint(term.joint).kind) == 1 &&
           std::isfinite(term.coefficient);
  };
  for (const Tendon& tendon : builder_.tendons_) {
    const Source source = named(tendon.source, "tendon", tendon.name);
    if (tendon.kind == Tendon::Kind::spatial) {
      check_path(tendon, source);
    } else if (tendon.terms.empty() || !std::ranges::all_of(tendon.terms, moves_along_one)) {
      problems_.error(source, "it does not act on hinges and slides by finite coefficients",
                      "name joints with one coordinate each, and give each a finite coefficient");
    }
    if (!finite_not_negative(tendon.stiffness) || !finite_not_negative(tendon.damping) ||
        !finite_not_negative(tendon.friction)) {
      problems_.error(source, "its stiffness, damping or friction is negative or not finite",
                      "give numbers that are at least 0");
    }
    if (!(tendon.spring_range[0] <= tendon.spring_range[1])) {
      problems_.error(source, "its spring rests nowhere",
                      "give two lengths, the smaller one first");
    }
    if (!(tendon.limits[0] <= tendon.limits[1]) || !finite_not_negative(tendon.margin) ||
        !(tendon.force_range[0] <= tendon.force_range[1])) {
      problems_.error(source, "a range is reversed, or its margin is negative",
                      "give the lower bound first, and a margin that is at least 0");
    }
  }
}

namespace {

/// What is wrong with an element of a path, and the remedy; empty if nothing is.
struct PathFault {
  std::string what;
  std::string remedy;
};

/// The rules of MuJoCo: geoms are between two sites each, no pulley is at the end or right before
/// another one, no site is alone between pulleys. Both ends count as pulleys here.
PathFault fault_of(const Tendon::Part& part, Tendon::Part::Kind before, Tendon::Part::Kind after) {
  using Kind = Tendon::Part::Kind;
  if (part.kind == Kind::pulley) {
    if (!(part.divisor > 0.0) || !std::isfinite(part.divisor)) {
      return {"is a pulley whose divisor is not positive", "give a divisor above 0"};
    }
    if (after == Kind::pulley) {
      return {"is a pulley with no site after it", "remove it, or add sites after it"};
    }
  } else if (part.kind == Kind::site) {
    if (before == Kind::pulley && after == Kind::pulley) {
      return {"is a site with no neighbour but pulleys", "add a second site between the pulleys"};
    }
  } else if (before != Kind::site || after != Kind::site) {
    return {"is a geom that is not between two sites", "put a <site> before and after it"};
  } else if (!(part.radius > 0.0) || !std::isfinite(part.radius)) {
    return {"is a geom without a radius", "give it a positive radius"};
  }
  return {};
}

}  // namespace

/// Tells the first fault of a path.
void ModelChecker::check_path(const Tendon& tendon, const Source& source) {
  using Kind = Tendon::Part::Kind;
  const std::vector<Tendon::Part>& path = tendon.path;
  if (path.size() < 2) {
    problems_.error(source, "its path has fewer than two sites", "add <site site=\"...\"/>");
    return;
  }
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Tendon::Part& part = path[i];
    PathFault fault = fault_of(part, i == 0 ? Kind::pulley : path[i - 1].kind,
                               i + 1 == path.size() ? Kind::pulley : path[i + 1].kind);
    if (!link_in_range(part.body) || (part.has_side && !link_in_range(part.side_body))) {
      fault = {"is on a link that is not in the model", renumber};
    }
    if (!fault.what.empty()) {
      problems_.error(source, fmt::format("element {} of its path {}", i + 1, fault.what),
                      fault.remedy);
      return;
    }
    if (!check_pose(part.pose, source, "a pose of its path")) return;
  }
}

void ModelChecker::check_actuators() {
  const auto in_range = [](int number, std::size_t count) {
    return number >= 0 && number < static_cast<int>(count);
  };
  for (const Actuator& actuator : builder_.actuators_) {
    const int targets = (actuator.joint >= 0) + (actuator.tendon >= 0) + (actuator.frame >= 0) +
                        (actuator.adheres ? 1 : 0);
    const bool drives =
        joint_in_range(actuator.joint) && builder_.joint(actuator.joint).kind != JointKind::fixed;
    const bool pulls = in_range(actuator.tendon, builder_.tendons_.size());
    const bool pushes =
        in_range(actuator.frame, builder_.frames_.size()) &&
        (actuator.reference < 0 ? actuator.rod == 0.0
                                : in_range(actuator.reference, builder_.frames_.size()));
    const Source source = named(actuator.source, "actuator", actuator.name);
    if (targets != 1 || (!drives && !pulls && !pushes && !actuator.adheres)) {
      problems_.error(source, "it does not drive a moving joint, a tendon, a site or contacts",
                      "name one joint, tendon, site or body of this model");
    }
    check_actuator_numbers(actuator, problems_);
  }
}

void ModelChecker::check_keyframes() {
  for (const KeyframeSpec& key : builder_.keyframes_) {
    const Source source = named(key.source, "keyframe", key.name);
    if (key.control.size() > builder_.actuators_.size()) {
      problems_.error(source,
                      fmt::format("it has {} controls for {} actuators", key.control.size(),
                                  builder_.actuators_.size()),
                      "give at most one control per actuator");
    }
    const auto with_dynamics = std::ranges::count_if(
        builder_.actuators_,
        [](const Actuator& actuator) { return actuator.dynamics != ActuatorDynamics::none; });
    const auto number = [](double x) { return std::isfinite(x); };
    if (static_cast<std::ptrdiff_t>(key.activation.size()) > with_dynamics ||
        !std::ranges::all_of(key.activation, number)) {
      problems_.error(source,
                      fmt::format("it has {} activations for {} actuators with dynamics, or one is "
                                  "not finite",
                                  key.activation.size(), with_dynamics),
                      "give at most one finite number per actuator with dynamics");
    }
    for (const KeyframeSpec::JointValue& value : key.joints) {
      if (!joint_in_range(value.joint)) {
        problems_.error(source, "it names a joint that is not in the model", renumber);
        continue;
      }
      const JointKind kind = builder_.joint(value.joint).kind;
      const auto fits = [](std::size_t given, int needed) {
        return given == 0 || given == static_cast<std::size_t>(needed);
      };
      bool finite = true;
      for (double q : value.q) finite = finite && std::isfinite(q);
      for (double v : value.v) finite = finite && std::isfinite(v);
      if (!finite || !fits(value.q.size(), position_size(kind)) ||
          !fits(value.v.size(), velocity_size(kind))) {
        problems_.error(source,
                        fmt::format("its values for joint '{}' contain NaN or infinity, or their "
                                    "number is wrong for a {} joint",
                                    builder_.joint(value.joint).name, to_string(kind)),
                        fmt::format("give {} finite positions and {} finite velocities",
                                    position_size(kind), velocity_size(kind)));
      }
    }
  }
}

void ModelChecker::check_references() {
  for (const FrameSpec& frame : builder_.frames_) {
    const Source source = named(frame.source, "site", frame.name);
    if (!link_in_range(frame.link))
      problems_.error(source, "its link is not in the model", renumber);
    check_pose(frame.pose, source, "its pose");
  }
  for (const auto* excludes : {&builder_.excludes_, &builder_.link_excludes_}) {
    for (const auto& [a, b] : *excludes) {
      if (!link_in_range(a) || !link_in_range(b)) {
        problems_.error({{}, 0, "collision exclude"}, "a link is not in the model", renumber);
      }
    }
  }
  const auto shape_in_range = [this](const std::pair<int, int>& shape) {
    if (!link_in_range(shape.first) || shape.second < 0) return false;
    const auto& shapes =
        shape.first < 0 ? builder_.world_shapes_ : builder_.link(shape.first).shapes;
    return shape.second < static_cast<int>(shapes.size());
  };
  for (const ModelBuilder::PairSpec& pair : builder_.pairs_) {
    if (!shape_in_range(pair.shape_a) || !shape_in_range(pair.shape_b)) {
      problems_.error({{}, 0, "contact pair"}, "a shape is not in the model", renumber);
    }
    if (!std::isfinite(pair.friction) || !finite_not_negative(pair.margin)) {
      problems_.error(
          {{}, 0, "contact pair"}, "its friction is NaN or infinite, or its margin is negative",
          "give a finite friction (negative: use the materials) and a margin of 0 or more");
    }
    if (!finite_not_negative(pair.spin_friction) || !finite_not_negative(pair.roll_friction)) {
      problems_.error({{}, 0, "contact pair"},
                      fmt::format("its spin and roll friction are {:g} and {:g}",
                                  pair.spin_friction, pair.roll_friction),
                      "give lengths in m that are not negative");
    }
  }
  for (const Coupling& coupling : builder_.couplings_) {
    const Source source = named(coupling.source, "coupling", coupling.name);
    const auto tendon_in_range = [this](int tendon) {
      return tendon >= 0 && tendon < static_cast<int>(builder_.tendons_.size());
    };
    bool good = link_in_range(coupling.body_a) && link_in_range(coupling.body_b);
    if (coupling.kind == Coupling::Kind::joint) {
      good = joint_in_range(coupling.joint_a) &&
             (coupling.joint_b == -1 || joint_in_range(coupling.joint_b));
    } else if (coupling.kind == Coupling::Kind::tendon) {
      good = tendon_in_range(coupling.tendon_a) &&
             (coupling.tendon_b == -1 || tendon_in_range(coupling.tendon_b));
    }
    if (!good) problems_.error(source, "it refers to something that is not in the model", renumber);
    check_pose(coupling.pose_a, source, "a pose");
    check_pose(coupling.pose_b, source, "a pose");
  }
  for (const Sensor& sensor : builder_.sensors_) {
    const Source source = named(sensor.source, "sensor", sensor.name);
    const int count =
        sensor.target == Sensor::Target::joint      ? builder_.joint_count()
        : sensor.target == Sensor::Target::frame    ? static_cast<int>(builder_.frames_.size())
        : sensor.target == Sensor::Target::actuator ? static_cast<int>(builder_.actuators_.size())
        : sensor.target == Sensor::Target::body     ? builder_.link_count()
        : sensor.target == Sensor::Target::tendon   ? static_cast<int>(builder_.tendons_.size())
                                                    : 0;
    const bool free =
        sensor.target == Sensor::Target::none || sensor.target == Sensor::Target::shape;
    if (!free && (sensor.index < 0 || sensor.index >= count)) {
      problems_.error(source, "what it measures is not in the model", renumber);
    }
    const SensorSource reads = traits_of(sensor.kind).source;
    const bool needs_target = reads != SensorSource::nothing && reads != SensorSource::scene &&
                              reads != SensorSource::contacts;
    if (sensor.reference >= static_cast<int>(builder_.frames_.size())) {
      problems_.error(source, "the frame that it is seen from is not in the model", renumber);
    }
    if (sensor.target == Sensor::Target::none && needs_target) {
      problems_.error(
          source, fmt::format("a sensor of the kind '{}' needs a target", to_string(sensor.kind)),
          "name the joint, frame, actuator or body that it measures");
    }
  }
}

}  // namespace stiction
