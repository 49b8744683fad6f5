#pragma once

/// \file
/// Where the joints of a file are in a Model, and its velocities in world axes. In the file
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

}  // namespace stiction::experiments
