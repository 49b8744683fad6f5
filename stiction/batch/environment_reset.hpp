#pragma once

/// \file
/// Random states around a given one.

#include <cstdint>

#include "stiction/batch/batch.hpp"
#include "stiction/core/random.hpp"

namespace stiction {

/// Moves joints and floating bases of the state by what is drawn.
void disturb(const Model& model, const RandomSpread& spread, Random& random, State& state);

/// The generator of one reset: all numbers that it depends on make its seed.
[[nodiscard]] Random random_of_reset(std::uint64_t seed, std::uint64_t environment,
                                     std::uint64_t reset);

/// What is wrong with a spread; empty if nothing is.
[[nodiscard]] std::string fault_of(const RandomSpread& spread);

}  // namespace stiction
