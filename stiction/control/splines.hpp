#pragma once

/// \file
/// Polynomials of time with given ends.

#include <Eigen/Core>
#include <array>

namespace stiction {

/// Position, velocity and acceleration at one time.
template <class Value>
struct MotionPoint {
  Value position{};
  Value velocity{};
  Value acceleration{};
};

/// The polynomial of degree five between two states of motion.
class Quintic {
 public:
  Quintic() = default;
  /// `duration` > 0 [s].
  Quintic(const MotionPoint<double>& start, const MotionPoint<double>& end, double duration)
      : duration_(duration) {
    const double T = duration;
    const double p =
        end.position - start.position - start.velocity * T - 0.5 * start.acceleration * T * T;
    const double v = (end.velocity - start.velocity - start.acceleration * T) * T;
    const double a = (end.acceleration - start.acceleration) * T * T;
    c_ = {start.position,
          start.velocity * T,
          0.5 * start.acceleration * T * T,
          10.0 * p - 4.0 * v + 0.5 * a,
          -15.0 * p + 7.0 * v - a,
          6.0 * p - 3.0 * v + 0.5 * a};
  }

  /// At time t of [0, duration]; the ends beyond it, at rest.
  [[nodiscard]] MotionPoint<double> at(double t) const {
    const double s = t <= 0.0 ? 0.0 : t >= duration_ ? 1.0 : t / duration_;
    MotionPoint<double> point;
    point.position = c_[0] + s * (c_[1] + s * (c_[2] + s * (c_[3] + s * (c_[4] + s * c_[5]))));
    if (t < 0.0 || t > duration_) return point;
    point.velocity =
        (c_[1] + s * (2.0 * c_[2] + s * (3.0 * c_[3] + s * (4.0 * c_[4] + s * 5.0 * c_[5])))) /
        duration_;
    point.acceleration = (2.0 * c_[2] + s * (6.0 * c_[3] + s * (12.0 * c_[4] + s * 20.0 * c_[5]))) /
                         (duration_ * duration_);
    return point;
  }
  [[nodiscard]] double duration() const { return duration_; }

 private:
  std::array<double, 6> c_{};
  double duration_ = 1.0;
};

/// From rest to rest between two points on the floor, lifted by `height` in the middle. Velocity
/// and acceleration are zero at both ends.
inline MotionPoint<Eigen::Vector3d> swing(const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                                          double height, double t, double duration) {
  const MotionPoint<double> s = Quintic({0, 0, 0}, {1, 0, 0}, duration).at(t);
  const double half = 0.5 * duration;
  const MotionPoint<double> lift = t < half ? Quintic({0, 0, 0}, {1, 0, 0}, half).at(t)
                                            : Quintic({1, 0, 0}, {0, 0, 0}, half).at(t - half);
  const Eigen::Vector3d way = to - from;
  const Eigen::Vector3d up = height * Eigen::Vector3d::UnitZ();
  return {from + s.position * way + lift.position * up, s.velocity * way + lift.velocity * up,
          s.acceleration * way + lift.acceleration * up};
}

}  // namespace stiction
