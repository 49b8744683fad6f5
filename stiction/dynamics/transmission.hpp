#pragma once

/// \file
/// What lies between an actuator and the robot: its length l, and its moment m = ∂l/∂q over v. A
/// force f of the actuator acts on the joints as m f, and l̇ = m · v. The gear is part of both.

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// One entry of a moment that is not zero by structure.
struct MomentEntry {
  int velocity = 0;
  double value = 0.0;
};

/// Appends the moment of an actuator, and returns its length. Needs update_positions() at q.
/// - joint of one velocity: l = gear q
/// - spherical: l = gear · rotation vector of q, gear in the body or (in_parent) in the parent
/// - floating: l = 0; the gear is a force in the world and a torque in the body or in the world
/// - tendon: l = gear · its length
/// - site: l = 0; the gear is a force and torque in its axes. With a reference, gear and l are in
///   the reference's axes: l = gear · (position, rotation vector of the site there); what moves
///   both sites is left out, as in MuJoCo
/// - crank: l = gear · distance that the slider is out, on a line along its z axis
double transmission(const Model& model, const DynamicsData<double>& data, std::span<const double> q,
                    const Actuator& actuator, std::vector<MomentEntry>& moment);

/// Appends the moment of a tendon times `gear`, and returns its length times `gear`.
double tendon_transmission(const Model& model, std::span<const double> q, const Tendon& tendon,
                           double gear, std::vector<MomentEntry>& moment);

/// Length and velocity of an actuator. Allocates; for reports and tests.
struct ActuatorMotion {
  double length = 0.0;
  double velocity = 0.0;
};
ActuatorMotion actuator_motion(const Model& model, const DynamicsData<double>& data,
                               std::span<const double> q, std::span<const double> v,
                               const Actuator& actuator);

}  // namespace stiction
