#pragma once

/// \file
/// Lengths of tendons that build() finds. Private to stiction/model.

#include <Eigen/Core>
#include <span>

#include "stiction/model/body_constants.hpp"
#include "stiction/model/elements.hpp"

namespace stiction {

/// Sets the initial length of each tendon, and where its spring rests if that is not given.
void set_tendon_lengths(std::span<const BodyConstants> bodies, std::span<const Joint> joints,
                        const Eigen::VectorXd& initial_positions, std::span<Tendon> tendons);

}  // namespace stiction
