#pragma once

/// \file
/// Reads motions with feedback and walking plans from HDF5 files, as the experiments on exponential
/// integration use them [EXP]. Every problem is an InputError that names the place.
///
/// A motion: `states` (samples x positions and velocities), `controls` (intervals x joints),
/// `feedback` (intervals x joints x 2 velocity_count), attribute `time_step` [s]. In the file
/// - joints are in the order that the caller names; the Model may have another one,
/// - the quaternion of the base is x, y, z, w, as in a Model,
/// - the velocity of the base (linear, angular) is in the base's own axes; the Model has world
/// axes.

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/reference_motion.hpp"

namespace stiction::experiments {

/// Joints of Solo12 and of Romeo in the files' order: at each fork, branches by the joints' names.
extern const std::array<std::string_view, 12> solo12_joints;
extern const std::array<std::string_view, 31> romeo_joints;

/// Where the entries of a file's states are in the Model.
class FileOrder {
 public:
  /// Throws an InputError that names `file` if `model` is not a floating base with just the joints
  /// `names`, each with one coordinate.
  FileOrder(const Model& model, std::span<const std::string_view> names,
            const std::filesystem::path& file);

  [[nodiscard]] Eigen::Index joint_count() const {
    return static_cast<Eigen::Index>(joints_.size());
  }
  [[nodiscard]] Eigen::Index position_count() const { return 7 + joint_count(); }
  [[nodiscard]] Eigen::Index velocity_count() const { return 6 + joint_count(); }

  /// Positions and velocities of a file. The quaternion is brought to length one.
  [[nodiscard]] MotionSample to_model(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// Forces of joints; zeros for the base.
  [[nodiscard]] Eigen::VectorXd forces(const Eigen::VectorXd& joint_forces) const;
  /// Gains of all joints (joints x 2 velocity_count); rows of the base are zero.
  [[nodiscard]] Eigen::MatrixXd gains(const Eigen::MatrixXd& joint_gains) const;

 private:
  std::vector<int> joints_;  ///< index of the file's joint in the Model's joints, less the base
};

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

/// A URDF without its shapes, whose meshes may be missing: motions with contact points that are
/// frames need none. The base is floating.
Model load_without_shapes(const std::filesystem::path& urdf);

RecordedWalk load_walk(const std::filesystem::path& file);

}  // namespace stiction::experiments
