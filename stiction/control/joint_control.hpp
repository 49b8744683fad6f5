#pragma once

/// \file
/// Control of each joint by itself: PD, and torques that carry the robot's weight.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// τ = feed_forward + kp (q_ref ⊖ q) + kd (v_ref − v), within the effort limits of the joints. Zero
/// for a floating base. Explicit: stable while kp and kd are small for the time step. JointServo of
/// the simulation is the implicit form, for stiff gains.
class PdController {
 public:
  /// Gains are one for all joints, or one per velocity. Throws std::invalid_argument on other sizes
  /// and on negative gains.
  PdController(Model model, Eigen::VectorXd kp, Eigen::VectorXd kd);
  PdController(Model model, double kp, double kd);

  Eigen::VectorXd q;  ///< reference, Model::position_count() entries; at first the initial one
  Eigen::VectorXd v;  ///< reference, Model::velocity_count() entries; at first zero
  Eigen::VectorXd feed_forward;  ///< Model::velocity_count() entries; at first zero [N·m or N]

  /// Throws std::invalid_argument if the state or a reference has the wrong size.
  const Eigen::VectorXd& torques(const State& state);

 private:
  Model model_;
  Eigen::VectorXd kp_, kd_, torques_, error_;
};

/// Torques that hold the robot still where it is: gravity alone for a robot that is fixed to the
/// world. A floating robot stands on the given frames: their forces, the smallest in the sense of
/// least squares that carry the weight, pull or push as needed.
class GravityCompensationController {
 public:
  /// Throws std::invalid_argument if a floating robot has no supports, or a frame does not exist.
  explicit GravityCompensationController(Model model, std::vector<std::string> supports = {});

  const Eigen::VectorXd& torques(const State& state);
  /// Of the last call, one column per support, world [N].
  [[nodiscard]] const Eigen::Matrix3Xd& forces() const { return forces_; }

 private:
  Model model_;
  DynamicsData<double> data_;
  std::vector<int> supports_;  ///< frames
  std::vector<int> base_;      ///< entries of v of the floating base
  Eigen::VectorXd rest_, torques_;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> rows_;
  Eigen::MatrixXd jacobians_;  ///< three rows per support
  Eigen::Matrix<double, 6, Eigen::Dynamic> carried_;
  Eigen::Matrix3Xd forces_;
};

}  // namespace stiction
