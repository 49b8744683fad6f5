// Implements [Millard2013, section on activation] with MuJoCo's option of a smooth change between
// both time constants.

#include "stiction/sim/activation.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Time constants below this count as this [s].
constexpr double least_time = 1e-15;

/// From 0 to 1 with two continuous derivatives while x goes from 0 to 1.
double smooth_step(double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  return x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0);
}

double muscle_rate(const std::array<double, 3>& values, double control, double activation) {
  const double wish = std::clamp(control, 0.0, 1.0);
  const double slowness = 0.5 + 1.5 * std::clamp(activation, 0.0, 1.0);
  const double rise = values[0] * slowness;
  const double fall = values[1] / slowness;
  const double difference = wish - activation;
  const double width = values[2];
  const double share =
      width < least_time ? (difference > 0.0 ? 1.0 : 0.0) : smooth_step(difference / width + 0.5);
  return difference / std::max(least_time, fall + share * (rise - fall));
}

double in_range(const Actuator& actuator, double activation) {
  if (!actuator.activation_limited) return activation;
  return std::clamp(activation, actuator.activation_range[0], actuator.activation_range[1]);
}

}  // namespace

double activation_rate(const Actuator& actuator, double control, double activation) {
  if (!actuator.enabled) return 0.0;
  switch (actuator.dynamics) {
    case ActuatorDynamics::none:
      return 0.0;
    case ActuatorDynamics::integrator:
      return control;
    case ActuatorDynamics::filter:
    case ActuatorDynamics::filter_exact:
      return (control - activation) / std::max(least_time, actuator.dynamics_values[0]);
    case ActuatorDynamics::muscle:
      return muscle_rate(actuator.dynamics_values, control, activation);
  }
  return 0.0;
}

double next_activation(const Actuator& actuator, double control, double activation, double h) {
  const double rate = activation_rate(actuator, control, activation);
  double time = h;
  if (actuator.dynamics == ActuatorDynamics::filter_exact) {
    const double constant = std::max(least_time, actuator.dynamics_values[0]);
    time = -constant * std::expm1(-h / constant);
  } else if (actuator.dynamics == ActuatorDynamics::filter) {
    // An explicit step that is longer than the time constant would overshoot.
    time = std::min(h, std::max(least_time, actuator.dynamics_values[0]));
  } else if (actuator.dynamics == ActuatorDynamics::muscle && rate != 0.0) {
    const double rest = (std::clamp(control, 0.0, 1.0) - activation) / rate;
    time = std::min(h, rest);
  }
  return in_range(actuator, activation + time * rate);
}

double activation_at_stage(const Actuator& actuator, double control, double activation, double h,
                           int stage) {
  if (actuator.dynamics == ActuatorDynamics::filter_exact || !actuator.enabled) {
    const double shares[] = {0.0, 0.5, 0.5, 1.0, 1.0};
    return next_activation(actuator, control, activation, shares[stage] * h);
  }
  constexpr double steps[4] = {0.5, 0.5, 1.0, 0.0};
  constexpr double weights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  // Beyond this rk4 is not stable for the rate of a filter.
  const bool stiff = actuator.dynamics != ActuatorDynamics::integrator &&
                     h > 2.0 * std::max(least_time, actuator.dynamics_values[0]);
  if (stiff) return stage == 0 ? activation : next_activation(actuator, control, activation, h);
  double at = activation;
  double mean = 0.0;
  for (int k = 0; k < stage && k < 4; ++k) {
    const double rate = activation_rate(actuator, control, at);
    mean += weights[k] * rate;
    at = in_range(actuator, activation + steps[k] * h * rate);
  }
  return stage == 4 ? in_range(actuator, activation + h * mean) : at;
}

}  // namespace stiction
