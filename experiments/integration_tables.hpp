#pragma once

/// \file
/// Tables of results of experiments on exponential integration [EXP]: trajectories of many
/// small steps, distances between the methods' own trajectories, local errors. Every problem is an
/// InputError that names the file and the line.

#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/reference_motion.hpp"

namespace stiction::experiments {

/// A contact point at one time, world axes.
struct ContactSample {
  bool active = false;
  bool slipping = false;
  Eigen::Vector3d anchor;  ///< [m]
  Eigen::Vector3d force;   ///< on the robot [N]
};

/// A trajectory: one row per step of the controller.
struct GroundTruth {
  std::vector<double> time;                                 ///< [s]
  std::vector<MotionSample> samples;                        ///< in the Model's conventions
  std::vector<std::string> contacts;                        ///< names of the contact points
  std::vector<std::vector<ContactSample>> contact_samples;  ///< by row, then by contact
  std::vector<Eigen::VectorXd> forces;  ///< of the controller, in v's order; empty if not stored
};

/// `*_gt_exp.csv`. `joints`: as for load_motion() (motion_file.hpp).
GroundTruth load_ground_truth(const std::filesystem::path& file, const Model& model,
                              std::span<const std::string_view> joints);

/// How far the ground truth of a method is from that of the exponential method.
struct GroundTruthDistance {
  std::string method;
  int substeps = 0;  ///< of a step of the controller
  bool failed = false;
  double mean = 0.0;
  double largest = 0.0;
};

/// `*_gt_compare.csv`.
std::vector<GroundTruthDistance> load_distances(const std::filesystem::path& file);

/// Error of a method in one step of the controller that starts on its own ground truth:
/// ‖(q ⊖ q̂, v − v̂)‖∞, mixed units.
struct LocalError {
  std::string method;
  int products =
      0;  ///< matrix products of the exponential; -1: as many as needed; 100: no exponential
  int substeps = 0;            ///< of a step of the controller
  double step = 0.0;           ///< [s]
  bool worked_around = false;  ///< without the contact forces that a reset of the state leaves
  double mean = 0.0;
  double largest = 0.0;
  double median = 0.0;
  bool failed = false;
};

/// `*_local_error.csv`.
std::vector<LocalError> load_local_errors(const std::filesystem::path& file);

}  // namespace stiction::experiments
