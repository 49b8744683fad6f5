#pragma once

/// \file
/// A walk from footsteps: where the centre of mass and the feet are at each time.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "stiction/control/splines.hpp"

namespace stiction {

/// Where a foot steps to.
struct Footstep {
  int foot = 0;              ///< 0 or 1
  Eigen::Vector3d position;  ///< of the centre of the sole, world [m]
};

struct WalkingPlanOptions {
  double start_time = 1.0;      ///< until the first foot lifts [s]
  double single_support = 0.8;  ///< one foot in the air [s]
  double double_support = 0.3;  ///< between two steps [s]
  double end_time = 1.0;        ///< after the last step [s]
  double swing_height = 0.04;   ///< [m]
  double gravity = 9.81;        ///< [m/s²]
};

struct WalkingReference {
  MotionPoint<Eigen::Vector3d> center_of_mass;
  std::array<MotionPoint<Eigen::Vector3d>, 2> soles;  ///< centres of the soles
  std::array<bool, 2> on_floor{true, true};
  Eigen::Vector2d zero_moment_point;  ///< of the plan [m]
};

/// The centre of mass moves at constant height as a linear inverted pendulum, c̈ = ω²(c − p), over a
/// zero-moment point p that is piecewise linear in time: at the centre of the standing foot while
/// one foot is in the air, from foot to foot in between, and from and to the middle at the ends.
/// On each piece c = p + a e^{ωt} + b e^{−ωt}: the growing part is fixed by the end of the walk,
/// the decaying part by its start, so that c is bounded, twice differentiable and exact.
class WalkingPlan {
 public:
  /// `soles` are the centres of both soles at the start. Throws std::invalid_argument if a foot is
  /// neither 0 nor 1, or a time is not positive.
  WalkingPlan(const Eigen::Vector3d& center_of_mass, const std::array<Eigen::Vector3d, 2>& soles,
              std::vector<Footstep> steps, const WalkingPlanOptions& options = {});

  [[nodiscard]] double duration() const { return pieces_.back().end; }  ///< [s]
  /// `time` from the start of the plan; the ends hold before and after [s].
  [[nodiscard]] WalkingReference at(double time) const;
  [[nodiscard]] const std::vector<Footstep>& steps() const { return steps_; }

 private:
  struct Piece {
    double start = 0.0;
    double end = 0.0;
    Eigen::Vector2d from = Eigen::Vector2d::Zero();  ///< zero-moment point at the start
    Eigen::Vector2d to = Eigen::Vector2d::Zero();    ///< and at the end
    int step = -1;                                   ///< whose foot is in the air; -1: both stand
    Eigen::Vector2d growing = Eigen::Vector2d::Zero();   ///< a at the end of the piece
    Eigen::Vector2d decaying = Eigen::Vector2d::Zero();  ///< b at the start of the piece
  };
  void add_piece(double duration, const Eigen::Vector2d& to, int step);
  void solve_pendulum(const Eigen::Vector2d& start);

  std::array<Eigen::Vector3d, 2> soles_;
  std::vector<Footstep> steps_;
  WalkingPlanOptions options_;
  double height_ = 0.0;
  double omega_ = 0.0;  ///< [1/s]
  std::vector<Piece> pieces_;
};

/// Steps straight ahead: `count` steps of `length` by turns, beginning with `first`, then one more
/// that brings the feet side by side.
std::vector<Footstep> steps_ahead(const std::array<Eigen::Vector3d, 2>& soles, int count,
                                  double length, int first = 1);

}  // namespace stiction
