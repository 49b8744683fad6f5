#pragma once

/// \file
/// The spring by which a viewer pulls a body.
///
/// The pulled point shall move as a critically damped oscillator, x¨ = ω²(target − x) − 2ω x˙, in
/// every direction alike. The force for that is Λ times the acceleration, where Λ = (J M⁻¹ Jᵀ)⁻¹ is
/// the mass that is felt at the point; it is taken at the end of the step, so that any step is
/// stable.

#include <Eigen/Core>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {

class DragSpring {
 public:
  static constexpr double frequency = 10.0;              ///< ω [1/s]: a weight hangs 0.1 m lower
  static constexpr double largest_acceleration = 100.0;  ///< of the point [m/s²]

  explicit DragSpring(const Model& model) : data_(model) {}

  /// Force for the next step of length h [s] on `body` at `point` (in the body) towards `target`
  /// (world). The Model must be the one of the constructor, or that one with other parameters.
  [[nodiscard]] ExternalForce force(const Model& model, const State& state, double h, int body,
                                    const Eigen::Vector3d& point, const Eigen::Vector3d& target);
  /// Where a point of a body was when the last force was found.
  [[nodiscard]] Eigen::Vector3d world_point(int body, const Eigen::Vector3d& point) const;

 private:
  [[nodiscard]] Eigen::Matrix3d felt_mass(const Model& model, int body,
                                          const Eigen::Vector3d& at) const;
  DynamicsData<double> data_;
};

}  // namespace stiction
