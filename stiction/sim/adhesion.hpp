#pragma once

/// \file
/// Adhesion: actuators that pull together what touches.
///
/// If the shapes of an actuator of force f have n contacts, each of them pulls with f/n along its
/// normal, on both bodies. The contact law stays as it is: the contact carries the pull like any
/// other load, so it also sticks by up to µf/n more.

#include <span>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/touch/contact_set.hpp"

namespace stiction {

/// Adds what the adhesive actuators of a step pull with to `external`, at the bodies' poses at its
/// start. False if nothing is pulled.
bool pull_contacts(const Model& model, std::span<const Candidate> contacts, const Forces& forces,
                   const DynamicsData<double>& dynamics, ExternalForces& external);

}  // namespace stiction
