#include "stiction/model/number_checks.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "stiction/model/inertia_check.hpp"

namespace stiction {

Source named(const Source& source, std::string_view kind, const std::string& name) {
  Source result = source;
  if (result.element.empty()) result.element = fmt::format("{} '{}'", kind, name);
  return result;
}

bool finite_not_negative(double value) { return std::isfinite(value) && value >= 0.0; }

namespace {

/// A Material or a MaterialPair.
template <class Surface>
void check_surface(const Surface& surface, const Source& source, ProblemList& problems) {
  if (!finite_not_negative(surface.friction)) {
    problems.error(source, fmt::format("friction is {}", surface.friction),
                   "give a coefficient that is not negative");
  }
  for (const auto& [name, length] :
       {std::pair("spin", surface.spin_friction), std::pair("roll", surface.roll_friction)}) {
    if (finite_not_negative(length)) continue;
    problems.error(source, fmt::format("the {} friction is {}", name, length),
                   "give a length in m that is not negative");
  }
  if (!(surface.restitution >= 0.0 && surface.restitution <= 1.0)) {
    problems.error(source, fmt::format("restitution is {}", surface.restitution),
                   "give a number from 0 to 1");
  }
  if (!finite_not_negative(surface.restitution_threshold)) {
    problems.error(source,
                   fmt::format("the restitution threshold is {}", surface.restitution_threshold),
                   "give a speed in m/s that is not negative");
  }
}

}  // namespace

void check_material(const Material& material, ProblemList& problems) {
  const Source source{{}, 0, fmt::format("material '{}'", material.name)};
  check_surface(material, source, problems);
  if (!finite_not_negative(material.stiffness) || !finite_not_negative(material.damping)) {
    problems.error(source,
                   fmt::format("stiffness and damping are {} N/m and {} N·s/m", material.stiffness,
                               material.damping),
                   "give numbers that are not negative; 0: those of the step's options");
  } else if (material.damping > 0.0 && material.stiffness == 0.0) {
    problems.error(source, "it has damping but no stiffness", "give its stiffness in N/m as well");
  }
  const int dimensions = material.friction_dimensions;
  if (dimensions != 0 && dimensions != 1 && dimensions != 3 && dimensions != 4 && dimensions != 6) {
    problems.error(source, fmt::format("its friction has {} dimensions", dimensions),
                   "give 0, 1, 3, 4 or 6");
  }
}

void check_material_pairs(const std::vector<MaterialPair>& pairs,
                          const std::vector<Material>& materials, ProblemList& problems) {
  const auto in_range = [&materials](int index) {
    return index >= 0 && index < static_cast<int>(materials.size());
  };
  std::set<std::pair<int, int>> seen;
  for (const MaterialPair& pair : pairs) {
    if (!in_range(pair.material_a) || !in_range(pair.material_b)) {
      problems.error(
          {{}, 0, "material pair"},
          fmt::format("material {} or {} is not in the model", pair.material_a, pair.material_b),
          renumber);
      continue;
    }
    const Source source{{},
                        0,
                        fmt::format("material pair '{}', '{}'",
                                    materials[static_cast<std::size_t>(pair.material_a)].name,
                                    materials[static_cast<std::size_t>(pair.material_b)].name)};
    check_surface(pair, source, problems);
    if (!seen.insert(std::minmax({pair.material_a, pair.material_b})).second) {
      problems.error(source, "this pair is given twice", "give each pair of materials once");
    }
  }
}

namespace {

void check_muscle(const MuscleCurve& curve, const Source& source, ProblemList& problems) {
  const double numbers[] = {curve.range[0], curve.range[1], curve.peak_force,
                            curve.scale,    curve.shortest, curve.longest,
                            curve.speed,    curve.passive,  curve.stretch};
  const bool finite = std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  if (!finite || !(curve.range[0] < curve.range[1]) ||
      !(curve.shortest < 1.0 && 1.0 < curve.longest) || !(curve.speed > 0.0) || curve.scale < 0.0 ||
      curve.passive < 0.0 || curve.stretch < 1.0) {
    problems.error(source, "the curve of its muscle is not possible",
                   "give a rising range, lmin < 1 < lmax, vmax > 0, scale and fpmax of at least 0, "
                   "fvmax of at least 1");
  }
}

void check_actuator_dynamics(const Actuator& actuator, const Source& source,
                             ProblemList& problems) {
  const auto usable = [](double x) { return finite_not_negative(x); };
  if (actuator.dynamics != ActuatorDynamics::none &&
      !std::ranges::all_of(actuator.dynamics_values, usable)) {
    problems.error(source, "a time constant is negative or not finite", "give seconds, from 0 up");
  }
  if (!finite_not_negative(actuator.rod)) {
    problems.error(source, "the length of its crank is negative or not finite",
                   "give a length in metres");
  }
  if (actuator.muscle_gain) check_muscle(*actuator.muscle_gain, source, problems);
  if (actuator.muscle_bias) check_muscle(*actuator.muscle_bias, source, problems);
  if ((actuator.muscle_gain || actuator.muscle_bias) &&
      !(std::isfinite(actuator.length_range[0]) && std::isfinite(actuator.length_range[1]) &&
        actuator.length_range[0] <= actuator.length_range[1])) {
    problems.error(source, "the length range of its muscle is reversed or not finite",
                   "give the shortest and the longest length");
  }
}

}  // namespace

void check_actuator_numbers(const Actuator& actuator, ProblemList& problems) {
  const Source source = named(actuator.source, "actuator", actuator.name);
  const auto ordered = [](const std::array<double, 2>& range) { return range[0] <= range[1]; };
  if ((actuator.control_limited && !ordered(actuator.control_range)) ||
      (actuator.force_limited && !ordered(actuator.force_range)) ||
      (actuator.activation_limited && !ordered(actuator.activation_range))) {
    problems.error(source, "a range is reversed", "give the lower limit first");
  }
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(actuator.gear) || !finite(actuator.gain) || !finite(actuator.bias)) {
    problems.error(source, "a gear, gain or bias is NaN or infinite", "give finite numbers");
  }
  check_actuator_dynamics(actuator, source, problems);
}

bool has_inertia_along(JointKind joint, const Eigen::Vector3d& axis, double armature,
                       const BodyInertia& body) {
  const Eigen::Vector3d& c = body.center_of_mass;
  const Eigen::Matrix3d about_origin =
      body.inertia +
      body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  const auto least_moment = [](const Eigen::Matrix3d& inertia) {
    return inertia.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  };
  const double negligible = 1e-12 * about_origin.cwiseAbs().maxCoeff();
  switch (joint) {
    case JointKind::fixed:
      return true;
    case JointKind::prismatic:
      return body.mass + armature > 0.0;
    case JointKind::revolute:
    case JointKind::continuous:
      return axis.dot(about_origin * axis) + armature > negligible;
    case JointKind::planar:
      // It also slides, so a mass away from the axis does not resist the turning.
      return body.mass > 0.0 && axis.dot(body.inertia * axis) + armature > negligible;
    case JointKind::spherical:
      return least_moment(about_origin) + armature > negligible;
    case JointKind::floating:
      return body.mass > 0.0 && least_moment(body.inertia) + armature > negligible;
  }
  return true;
}

void check_changed_actuator(const Actuator& now, const Actuator& wished, ProblemList& problems) {
  check_actuator_numbers(wished, problems);
  const Source source = named(wished.source, "actuator", wished.name);
  if (wished.joint != now.joint || wished.tendon != now.tendon || wished.frame != now.frame ||
      wished.reference != now.reference || wished.in_parent != now.in_parent ||
      wished.adheres != now.adheres || wished.shapes != now.shapes) {
    problems.error(source, "it drives another joint, tendon, site or body",
                   "build a new model to drive something else");
  }
  if (wished.activation != now.activation ||
      (wished.dynamics == ActuatorDynamics::none) != (now.dynamics == ActuatorDynamics::none)) {
    problems.error(source, "it has dynamics where it had none, or the other way round",
                   "build a new model: its states have another number of activations");
  }
}

void check_changed_body(const std::string& name, const BodyConstants& joint, bool is_leaf,
                        double armature, const BodyInertia& now, const BodyInertia& wished,
                        ProblemList& problems) {
  const Source source{{}, 0, "body '" + name + "'"};
  const bool was_massless = now.mass == 0.0;
  if (!std::isfinite(wished.mass) || wished.mass < 0.0 || (wished.mass == 0.0 && !was_massless) ||
      !wished.center_of_mass.allFinite()) {
    problems.error(source, "the mass or centre of mass is invalid",
                   "give a positive mass and a finite centre of mass");
  }
  const std::string defect = inertia_defect(wished.inertia);
  // A body whose inertia was kept although no body can have it may go on so.
  const bool kept = !inertia_defect(now.inertia).empty() && is_positive_inertia(wished.inertia);
  if (!defect.empty() && !kept) problems.error(source, defect, "scale mass and inertia together");
  if (is_leaf && !joint.kinematic && problems.empty() &&
      !has_inertia_along(joint.joint, to_eigen(joint.axis), armature, wished)) {
    problems.error(source, "it can move but has no inertia in that direction",
                   "give it an inertia, or the joint an armature");
  }
}

}  // namespace stiction
