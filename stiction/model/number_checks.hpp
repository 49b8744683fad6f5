#pragma once

/// \file
/// Checks that a builder and changed parameters share. Private to stiction/model.

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// The source that a reader gave, with the element's name filled in where it gave none.
Source named(const Source& source, std::string_view kind, const std::string& name);

bool finite_not_negative(double value);

/// The remedy for an index that is out of range.
inline constexpr const char* renumber = "use the index that the builder returned";

/// Complains about friction and restitution that no surface has.
void check_material(const Material& material, ProblemList& problems);

/// Complains about pairs of materials that are not there, are given twice, or have numbers that no
/// surface has.
void check_material_pairs(const std::vector<MaterialPair>& pairs,
                          const std::vector<Material>& materials, ProblemList& problems);

/// Complains about ranges, gears, gains and biases; not about the joint.
void check_actuator_numbers(const Actuator& actuator, ProblemList& problems);

/// Complains about an actuator whose numbers are wrong or that drives another joint than before.
void check_changed_actuator(const Actuator& now, const Actuator& wished, ProblemList& problems);

/// Complains about a mass, centre of mass or inertia that no body can have, and about a body at the
/// end of a branch that can move without inertia against it; `armature` is that of its joint.
void check_changed_body(const std::string& name, const BodyConstants& joint, bool is_leaf,
                        double armature, const BodyInertia& now, const BodyInertia& wished,
                        ProblemList& problems);

/// Whether a body at the end of a branch has inertia against every motion that its joint allows. An
/// inertia below 1e-12 of the body's largest is rounding.
bool has_inertia_along(JointKind joint, const Eigen::Vector3d& axis, double armature,
                       const BodyInertia& body);

}  // namespace stiction
