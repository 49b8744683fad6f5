#pragma once

/// \file
/// Learnt control: a network from what a legged robot feels to targets of its joints' servos.

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction {

/// Linear layers with ELU between them: x -> W x + b, then x or exp(x) - 1 where it is negative.
class LayeredNetwork {
 public:
  struct Layer {
    Eigen::MatrixXd weights;  ///< outputs × inputs
    Eigen::VectorXd biases;
  };
  /// Throws std::invalid_argument if sizes do not fit, or a number is not finite.
  explicit LayeredNetwork(std::vector<Layer> layers);

  [[nodiscard]] int input_size() const { return static_cast<int>(layers_.front().weights.cols()); }
  [[nodiscard]] int output_size() const { return static_cast<int>(layers_.back().biases.size()); }
  /// Valid until the next call. Allocates nothing.
  const Eigen::VectorXd& answer(const Eigen::VectorXd& input);

 private:
  std::vector<Layer> layers_;
  std::vector<Eigen::VectorXd> values_;  ///< behind each layer
};

/// A policy as `stiction.gym.policy.save_policy()` writes it, for a robot whose first joint is its
/// floating base. It sees, in the axes of the base: 2 × velocity [m/s], 0.25 × turning [rad/s],
/// direction of gravity, command (forward, left [m/s], turning [rad/s]) times its scales, sine and
/// cosine of the phase of its stride (zero while the command is to stand), joint positions from the
/// pose [rad], 0.05 × joint velocities. It answers numbers that are clipped to −1 to 1 and move the
/// targets of the servos from the pose. A function of state (with its time) and command alone.
class Policy {
 public:
  /// Throws InputError if the file is no policy, or does not fit the Model.
  Policy(const std::filesystem::path& file, const Model& model);

  Eigen::Vector3d command = Eigen::Vector3d::Zero();

  [[nodiscard]] double control_interval() const { return interval_; }  ///< between answers [s]
  [[nodiscard]] double stiffness() const { return stiffness_; }        ///< [N·m/rad]
  [[nodiscard]] double damping() const { return damping_; }            ///< [N·m·s/rad]
  /// Entries of v that the servos drive, in the order of the answers.
  [[nodiscard]] const std::vector<int>& velocity_indices() const { return velocity_indices_; }
  /// Where the servos hold the joints if the answer is zero [rad].
  [[nodiscard]] const Eigen::VectorXd& pose() const { return pose_; }

  /// Targets of the servos [rad]. Valid until the next call. Allocates nothing.
  const Eigen::VectorXd& targets(const State& state);

 private:
  void observe(const State& state);

  std::vector<int> position_indices_, velocity_indices_;
  Eigen::VectorXd pose_, observation_, targets_;
  Eigen::Vector3d command_scale_ = Eigen::Vector3d::Ones();
  double interval_ = 0.0, stride_ = 0.0;  // [s]
  double stiffness_ = 0.0, damping_ = 0.0, action_scale_ = 0.0;
  std::vector<LayeredNetwork> network_;  ///< one; empty while the file is read
};

}  // namespace stiction
