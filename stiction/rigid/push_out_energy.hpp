#pragma once

/// \file
/// The energy that impulses bring in, and its bound.
///
/// Relative to free motion, impulses change the kinetic energy by Σ ½ λᵀ(v⁺ + v*). The laws of
/// contact let that be positive only where a target is: an overlap that is pushed out, a lock that
/// is closed, a bounce. Where bodies are pinched, G is nearly singular, and targets of millimetres
/// per second may ask for any energy. A certificate does not see this, because such impulses
/// satisfy the law. So the gain is measured and bounded: at most ½ m c² a step, the energy of the
/// whole island at RigidSettings::velocity_push_speed c. Where locks are closed, c is
/// push_out_speed: their errors are what a file starts with, and end.

#include "stiction/rigid/island_stages.hpp"

namespace stiction {

/// Σ ½ λᵀ(v⁺ + v*) of all rows, `w` = v⁺ − target [J]. Velocities are relative to the surfaces, so
/// that conveyors and bodies with prescribed motion do not count.
[[nodiscard]] double energy_gain(const ContactProblem& problem, std::span<const double> impulses,
                                 std::span<const double> w);

/// After certify(): if the impulses bring in more than the bound, solves again with weaker targets
/// for overlaps and locks; at the last, weakens the impulses themselves, which are then not
/// certified. Islands that bounce are left alone: they have a rule of their own.
void bound_energy_gain(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                       StepSolution& solution, IslandResult& result);

/// ½ m v² of all bodies of the trees at a speed [J].
[[nodiscard]] double energy_at_speed(const SceneSnapshot& scene, std::span<const int> trees,
                                     double speed);

}  // namespace stiction
