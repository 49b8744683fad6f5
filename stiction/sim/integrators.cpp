#include "stiction/sim/integrators.hpp"

#include <array>

namespace stiction {

namespace {

/// In the order of the enum.
constexpr std::array<IntegratorTraits, 5> table{{
    {.integrator = Integrator::explicit_euler, .uses_start_acceleration = true, .path_bends = true},
    {.integrator = Integrator::semi_implicit, .uses_start_acceleration = true},
    {.integrator = Integrator::trapezoid, .path_bends = true, .impacts_in_time = true},
    {.integrator = Integrator::implicit, .path_bends = true},
    {.integrator = Integrator::rk4,
     .path_bends = true,
     .impacts_in_time = true,
     .keeps_momentum = true},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].integrator) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "traits_of() looks rows up by the value of the enum");

}  // namespace

const IntegratorTraits& traits_of(Integrator integrator) {
  return table[static_cast<std::size_t>(integrator)];
}

}  // namespace stiction
