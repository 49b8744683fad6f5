#pragma once

/// \file
/// What is probably wrong with a robot although its file can be read: units, collision shapes,
/// actuators that are too weak. `inspect` and the start of a run report it.

#include "stiction/core/problem.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// Warnings about the Model, and about its robots in the state where a run starts. Each names the
/// part, the number that is unusual, and what to change. `file` is where the warnings point.
///
/// - sizes, masses and inertias that no robot has, as wrong units give them;
/// - ranges of hinges that are degrees read as radians, or radians read as degrees;
/// - floating robots whose trunk cannot touch anything, or that touch the world without friction;
/// - floating robots that start deep in the floor;
/// - actuators that cannot hold the start pose against gravity, or yield far under it.
[[nodiscard]] ProblemList examine_robots(const Model& model, const State& start,
                                         const std::string& file);

}  // namespace stiction
