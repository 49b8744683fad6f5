#pragma once

/// \file
/// What impulses of blocks do to bodies and joints.

#include <span>

#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Adds `scale` times the impulses of contacts and locks to the bodies (world axes, moment about
/// the body's origin). `impulses`: the rows of all blocks.
void add_body_impulses(const DynamicsData<double>& dynamics, const ContactSet& set,
                       std::span<const double> impulses, double scale,
                       std::span<Force<double>> bodies);

/// The same for contacts alone; `impulses`: three rows each.
void add_contact_impulses(const DynamicsData<double>& dynamics, std::span<const Candidate> contacts,
                          std::span<const double> impulses, double scale,
                          std::span<Force<double>> bodies);

/// Adds the impulses of limits, friction and couplings of joints and tendons, one per velocity.
void add_joint_impulses(const ContactSet& set, std::span<const double> impulses,
                        std::span<double> joints);

}  // namespace stiction
