#pragma once

/// \file
/// A robot near a trajectory as a linear system in discrete time, for feedback along it.
///
/// The state x = (q, v) has differences of 2 velocity_count entries: q ⊖ q_ref as in difference()
/// (dynamics/integrate.hpp), then v − v_ref. The step is the semi-implicit one,
/// v⁺ = v + h v̇(q, v, τ), q⁺ = q ⊕ h v⁺, without contacts, with springs and dampers of joints at
/// the start of the step. The simulation treats stiff dampers implicitly, and differs from this by
/// terms of h².

#include <Eigen/Core>
#include <vector>

#include "stiction/dynamics/derivatives.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// δx⁺ = A δx + B δu.
struct LinearStep {
  Eigen::MatrixXd A;
  Eigen::MatrixXd B;
};

/// One per thread.
class Linearizer {
 public:
  /// `inputs`: entries of v whose forces are the input u, such as those of driven joints; empty
  /// stands for all. Throws std::invalid_argument on an entry that does not exist and on a time
  /// step that is not positive.
  Linearizer(Model model, double time_step, std::vector<int> inputs = {});

  /// The step that starts at q, v with the joint forces `tau` (velocity_count entries). Valid until
  /// the next call. Allocates nothing. Throws std::invalid_argument on wrong sizes.
  const LinearStep& linearize(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const Eigen::VectorXd& tau);

  /// \name Where the last step leads
  /// @{
  [[nodiscard]] const Eigen::VectorXd& next_positions() const { return next_q_; }
  [[nodiscard]] const Eigen::VectorXd& next_velocities() const { return next_v_; }
  /// @}

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<int>& inputs() const { return inputs_; }
  [[nodiscard]] double time_step() const { return time_step_; }  ///< [s]

 private:
  void move(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau);

  Model model_;
  double time_step_;
  std::vector<int> inputs_;
  DynamicsData<double> data_;
  DerivativesData derivatives_;
  LinearStep step_;
  Eigen::VectorXd forces_, acceleration_, next_q_, next_v_, moved_;
  Eigen::MatrixXd by_q_, by_v_;  ///< of q ⊕ h v⁺
};

}  // namespace stiction
