#pragma once

/// \file
/// What the medium does to bodies, as MuJoCo computes it: drag on boxes of the same inertia, or
/// drag, lift and added mass of ellipsoids.
///
/// The drag of a step never takes more momentum than the piece has along (or about) an axis: the
/// damping b of each axis is limited to m/h. The damping of all pieces together is then at most
/// M/h, so drag alone cannot turn a motion around, whatever its coefficients and the step.

#include <span>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Adds to `bodies` (world axes, moment about each body's origin). Needs update_kinematics().
void add_fluid_forces(const Model& model, const DynamicsData<double>& data, double h,
                      std::span<Force<double>> bodies);

}  // namespace stiction
