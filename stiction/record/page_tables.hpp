#pragma once

/// \file
/// Numbers of joints and actuators over time, as the page plots them. Private to stiction/record.

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "stiction/record/recording.hpp"

namespace stiction {

/// One row per frame, as the page reads it: the columns that count, one after the other, each as
/// differences of multiples of a unit. The unit is the power of ten below a 100,000th of the
/// largest number.
[[nodiscard]] nlohmann::ordered_json scaled_table(const std::vector<std::vector<double>>& columns);

/// Adds joint_positions, joint_velocities, joint_forces and actuator_forces to a run of the page,
/// as far as all of its frames have them. A free body without a robot is left out: its numbers are
/// in its poses, and there may be thousands of it.
void add_joint_tables(nlohmann::ordered_json& run, const nlohmann::ordered_json& scene,
                      std::span<const RecordedFrame> frames);

/// Why the numbers of a frame cannot be told; empty if they can.
[[nodiscard]] std::string fault_of_numbers(const RecordedFrame& frame);

}  // namespace stiction
