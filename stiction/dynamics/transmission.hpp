#pragma once

/// \file
/// What lies between an actuator and the robot: its length l, and its moment m = ∂l/∂q over v. A
/// force f of the actuator acts on the joints as m f, and l̇ = m · v. The gear is part of both.

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/tendons.hpp"

namespace stiction {

/// Appends the moment of an actuator, and returns its length. Needs update_positions() at q, and
/// the tendons there.
/// - joint of one velocity: l = gear q
/// - spherical: l = gear · rotation vector of q, gear in the body or (in_parent) in the parent
/// - floating: l = 0; the gear is a force in the world and a torque in the body or in the world
/// - tendon: l = gear · its length
/// - site: l = 0; the gear is a force and torque in its axes. With a reference, gear and l are in
///   the reference's axes: l = gear · (position, rotation vector of the site there); what moves
///   both sites is left out, as in MuJoCo
/// - adhesion: nothing: what it pulls is known once the contacts are (sim/adhesion.hpp)
/// - crank: l = gear · distance that the slider is out, on a line along its z axis
double transmission(const Model& model, const DynamicsData<double>& data, const TendonSet& tendons,
                    std::span<const double> q, const Actuator& actuator,
                    std::vector<MomentTerm>& moment);

/// Appends the moment of a tendon times `gear`, and returns its length times `gear`.
double tendon_transmission(const TendonSet& tendons, int tendon, double gear,
                           std::vector<MomentTerm>& moment);

/// Length and velocity of an actuator. Allocates; for reports and tests.
struct ActuatorMotion {
  double length = 0.0;
  double velocity = 0.0;
};
ActuatorMotion actuator_motion(const Model& model, const DynamicsData<double>& data,
                               std::span<const double> q, std::span<const double> v,
                               const Actuator& actuator);

}  // namespace stiction
