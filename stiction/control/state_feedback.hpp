#pragma once

/// \file
/// Feedback of the whole state along a trajectory: τ = τ_ref − K (x ⊖ x_ref).

#include <Eigen/Core>
#include <vector>

#include "stiction/control/riccati.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// A trajectory with steps of equal length. Sample k is at time k h; the forces of step k act from
/// there to the next sample. There is one more sample than steps.
struct Trajectory {
  double time_step = 0.0;  ///< h [s]
  std::vector<Eigen::VectorXd> q;
  std::vector<Eigen::VectorXd> v;
  std::vector<Eigen::VectorXd> forces;  ///< of all entries of v [N·m or N]
};

class StateFeedback {
 public:
  /// `gains`: K of each step, inputs x 2 velocity_count, in the order of `inputs` (entries of v).
  /// After the end, the last sample and the last forces and gains hold. Throws
  /// std::invalid_argument on sizes that do not fit.
  StateFeedback(Model model, Trajectory trajectory, std::vector<Eigen::MatrixXd> gains,
                std::vector<int> inputs);

  /// Joint forces at a state, for all entries of v. The trajectory starts at state.time =
  /// start_time. Allocates nothing.
  const Eigen::VectorXd& torques(const State& state);

  double start_time = 0.0;  ///< [s]

  [[nodiscard]] const Trajectory& trajectory() const { return trajectory_; }
  /// Step of the trajectory at a time of the simulation. Times within 1e-9 of a step before its
  /// start belong to it, so that rounding of sums of time steps does not matter.
  [[nodiscard]] std::size_t step_at(double time) const;

 private:
  Model model_;
  Trajectory trajectory_;
  std::vector<Eigen::MatrixXd> gains_;
  std::vector<int> inputs_;
  Eigen::VectorXd torques_, error_, correction_;
};

/// Linearizes along `trajectory` and solves the regulator for it.
StateFeedback track(const Model& model, Trajectory trajectory, const LqrCost& cost,
                    std::vector<int> inputs = {});

/// Holds the robot at rest at `q`, for ever. Throws std::invalid_argument if `forces` do not hold
/// it there: if it accelerates by more than 1e-6 m/s² or rad/s².
StateFeedback hold(const Model& model, double time_step, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& forces, const LqrCost& cost,
                   std::vector<int> inputs = {});

}  // namespace stiction
