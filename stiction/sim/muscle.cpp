#include "stiction/sim/muscle.hpp"

#include <algorithm>

namespace stiction {

namespace {

constexpr double tiny = 1e-15;

double peak_of(const MuscleCurve& curve) {
  return curve.peak_force < 0.0 ? curve.scale : curve.peak_force;
}

/// The resting length L0 [m or rad].
double unit_of(const MuscleCurve& curve, const std::array<double, 2>& length_range) {
  return std::max(
      tiny, (length_range[1] - length_range[0]) / std::max(tiny, curve.range[1] - curve.range[0]));
}

struct Sloped {
  double value = 0.0;
  double slope = 0.0;
};

/// Active force by length: a bump of four parabolas from `shortest` over 1 to `longest`.
Sloped bump(const MuscleCurve& curve, double length) {
  if (length < curve.shortest || length > curve.longest) return {};
  const double rise = 0.5 * (curve.shortest + 1.0);
  const double fall = 0.5 * (1.0 + curve.longest);
  const auto parabola = [length](double zero, double width) {
    const double scale = std::max(tiny, width);
    const double x = (length - zero) / scale;
    return Sloped{0.5 * x * x, x / scale};
  };
  const auto under_one = [](Sloped part) { return Sloped{1.0 - part.value, -part.slope}; };
  if (length <= rise) return parabola(curve.shortest, rise - curve.shortest);
  if (length <= 1.0) return under_one(parabola(1.0, 1.0 - rise));
  if (length <= fall) return under_one(parabola(1.0, fall - 1.0));
  return parabola(curve.longest, curve.longest - fall);
}

/// Active force by velocity in units of the fastest shortening.
Sloped by_speed(const MuscleCurve& curve, double speed) {
  const double knee = curve.stretch - 1.0;
  if (speed <= -1.0) return {};
  if (speed <= 0.0) return {(speed + 1.0) * (speed + 1.0), 2.0 * (speed + 1.0)};
  if (speed > knee) return {curve.stretch, 0.0};
  const double rest = knee - speed;
  return {curve.stretch - rest * rest / std::max(tiny, knee), 2.0 * rest / std::max(tiny, knee)};
}

}  // namespace

MuscleForce active_force(const MuscleCurve& curve, const std::array<double, 2>& length_range,
                         double length, double velocity) {
  const double unit = unit_of(curve, length_range);
  const double fastest = std::max(tiny, unit * curve.speed);
  const Sloped shape = bump(curve, curve.range[0] + (length - length_range[0]) / unit);
  const Sloped speed = by_speed(curve, velocity / fastest);
  const double peak = peak_of(curve);
  return {-peak * shape.value * speed.value, -peak * shape.slope * speed.value / unit,
          -peak * shape.value * speed.slope / fastest};
}

MuscleForce passive_force(const MuscleCurve& curve, const std::array<double, 2>& length_range,
                          double length) {
  const double unit = unit_of(curve, length_range);
  const double at = curve.range[0] + (length - length_range[0]) / unit;
  const double knee = 0.5 * (1.0 + curve.longest);
  const double width = std::max(tiny, knee - 1.0);
  const double peak = peak_of(curve) * curve.passive;
  if (at <= 1.0) return {};
  if (at <= knee) {
    const double x = (at - 1.0) / width;
    return {-0.5 * peak * x * x, -peak * x / (width * unit), 0.0};
  }
  const double x = (at - knee) / width;
  return {-peak * (0.5 + x), -peak / (width * unit), 0.0};
}

}  // namespace stiction
