#pragma once

/// \file
/// A motion that a robot should follow with its feedback, and the law that follows it.
///
/// Positions and velocities are those of a Model with a floating base: base position and quaternion
/// (x, y, z, w), then joints in the Model's order; velocities of the base in world axes.
///
/// Motions for whole-body feedback are usually computed with the velocity of the base in the
/// base's own axes, and with the difference of two poses as one screw. Gains belong to these
/// coordinates, so the law is evaluated in them: see own_axes_difference().

#include <Eigen/Core>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction::experiments {

/// Positions and velocities, as in State.
struct MotionSample {
  Eigen::VectorXd q;
  Eigen::VectorXd v;
};

struct ReferenceMotion {
  double time_step = 0.0;                    ///< h between samples [s]
  std::vector<MotionSample> samples;         ///< sample k is at time k h
  std::vector<Eigen::VectorXd> feedforward;  ///< in v's order, held from k h to (k + 1) h [N m]
  /// velocity_count x 2 velocity_count; columns belong to own_axes_difference().
  std::vector<Eigen::MatrixXd> gains;

  /// Time up to which the law is defined [s].
  [[nodiscard]] double duration() const;
  /// Moves the base of all samples up by `height` [m].
  void lift(double height);
};

/// Index of the interval of `feedforward` and `gains` that contains `time`; the ends hold before
/// and after. A time within 1e-9 of an interval before its start counts as its start, so that
/// multiples of a smaller step find their interval despite rounding.
std::size_t interval_at(const ReferenceMotion& motion, double time);

/// The motion between samples: the base along the screw from one pose to the next, the joints and
/// the velocities (of the base: in its own axes) linearly.
MotionSample sample_at(const Model& model, const ReferenceMotion& motion, double time);

/// From `from` to `to`: the screw of the base from pose to pose in the base's own axes at `from`
/// (linear, angular), differences of joints, differences of velocities, those of the base in its
/// own axes.
Eigen::VectorXd own_axes_difference(const Model& model, const MotionSample& from,
                                    const MotionSample& to);

/// Moves the base of `q` by the screw `step` (linear, angular) in its own axes, the joints by the
/// other entries: the inverse of the first half of own_axes_difference().
Eigen::VectorXd move_in_own_axes(const Model& model, const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& step);

/// τ = feedforward + gains · (reference ⊖ current), in the order of v; zero for the base.
Eigen::VectorXd tracking_forces(const Model& model, const ReferenceMotion& motion, double time,
                                const MotionSample& current);

/// The gains for small differences in the Model's own coordinates: τ = feedforward − K (x ⊖ x_ref)
/// with differences of difference() (dynamics/integrate.hpp) and of v, at `reference`.
Eigen::MatrixXd gains_in_world_axes(const Model& model, const Eigen::MatrixXd& gains,
                                    const MotionSample& reference);

}  // namespace stiction::experiments
