#pragma once

/// \file
/// Reads motions with feedback and walking plans from HDF5 files, as the experiments on exponential
/// integration use them [EXP]. Every problem is an InputError that names the place.
///
/// A motion: `states` (samples x positions and velocities), `controls` (intervals x joints),
/// `feedback` (intervals x joints x 2 velocity_count), attribute `time_step` [s].
/// file_order.hpp tells how its states are understood.

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/file_order.hpp"
#include "experiments/reference_motion.hpp"

namespace stiction::experiments {

ReferenceMotion load_motion(const std::filesystem::path& file, const Model& model,
                            std::span<const std::string_view> joints);

/// A walking plan; matrices have one column per sample.
struct RecordedWalk {
  /// Position, velocity and acceleration of a point, world axes.
  struct Path {
    Eigen::Matrix3Xd position;
    Eigen::Matrix3Xd velocity;
    Eigen::Matrix3Xd acceleration;
  };
  double time_step = 0.0;  ///< [s]
  Path center_of_mass;
  std::array<Path, 2> feet;             ///< left, right
  Eigen::Matrix2Xd center_of_pressure;  ///< NaN where the plan has none
  std::vector<int> standing_foot;       ///< 0 left, 1 right
};

/// The text of a URDF without its <visual> and <collision> elements.
std::string text_without_shapes(const std::filesystem::path& urdf);

/// A URDF without its shapes, whose meshes may be missing: motions with contact points that are
/// frames need none. The base is floating.
Model load_without_shapes(const std::filesystem::path& urdf);

RecordedWalk load_walk(const std::filesystem::path& file);

}  // namespace stiction::experiments
