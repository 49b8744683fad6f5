#include "stiction/compliant/linear_contacts.hpp"

#include <cassert>
#include <cmath>
#include <limits>

#include "stiction/core/finite.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

std::string_view to_string(EngineStatus status) {
  switch (status) {
    case EngineStatus::solved:
      return "solved";
    case EngineStatus::bad_input:
      return "bad_input";
    case EngineStatus::not_proportional:
      return "not_proportional";
    case EngineStatus::not_converged:
      return "not_converged";
    case EngineStatus::not_finite:
      return "not_finite";
    case EngineStatus::out_of_reach:
      return "out_of_reach";
  }
  return "";
}

bool valid_rows(const LinearContacts& system) {
  const std::size_t rows = index(system.rows);
  assert(system.stride >= system.rows);
  assert(system.stiffness.size() == rows && system.damping.size() == rows);
  assert(system.position.size() == rows && system.velocity.size() == rows);
  assert(system.acceleration.size() == rows);
  bool good = true;
  // Zero times a number is zero, times anything else NaN. One sum would wait for each addition.
  double rest[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < rows; ++i) {
    good &= system.stiffness[i] > 0.0 && system.damping[i] >= 0.0;
    rest[0] = fma(system.stiffness[i], 0.0, rest[0]);
    rest[1] = fma(system.damping[i], 0.0, rest[1]);
    rest[2] = fma(system.position[i], 0.0, rest[2]);
    rest[3] = fma(system.velocity[i], 0.0, rest[3]);
    rest[4] = fma(system.acceleration[i], 0.0, rest[4]);
  }
  return good && (rest[0] + rest[1]) + (rest[2] + rest[3]) + rest[4] == 0.0;
}

bool valid_input(const LinearContacts& system, double step) {
  if (!(step > 0.0) || !std::isfinite(step) || !valid_rows(system)) return false;
  for (Eigen::Index j = 0; j < system.rows; ++j) {
    if (!all_finite({system.upsilon + j * system.stride, index(system.rows)})) return false;
  }
  return true;
}

bool finite_response(const ContactResponse& response) {
  return all_finite(response.average) && all_finite(response.double_average) &&
         all_finite(response.end_position) && all_finite(response.end_velocity);
}

bool proportional_damping(const LinearContacts& system) {
  if (system.rows == 0) return true;
  const double ratio = system.damping[0] / system.stiffness[0];
  for (std::size_t i = 1; i < index(system.rows); ++i) {
    const double expected = ratio * system.stiffness[i];
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * expected;
    if (!(std::abs(system.damping[i] - expected) <= rounding)) return false;
  }
  return true;
}

void spring_forces(const LinearContacts& system, std::span<const double> position,
                   std::span<const double> velocity, std::span<double> forces) {
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    forces[i] = -system.stiffness[i] * position[i] - system.damping[i] * velocity[i];
  }
}

}  // namespace stiction
