#include "stiction/sim/integrators.hpp"

#include <array>

namespace stiction {

namespace {

/// In the order of the enum.
constexpr auto table = std::to_array<IntegratorTraits>({
    {.integrator = Integrator::explicit_euler,
     .name = "explicit",
     .uses_start_acceleration = true,
     .path_bends = true},
    {.integrator = Integrator::semi_implicit,
     .name = "semi_implicit",
     .uses_start_acceleration = true},
    {.integrator = Integrator::trapezoid,
     .name = "trapezoid",
     .path_bends = true,
     .impacts_in_time = true},
    {.integrator = Integrator::implicit, .name = "implicit", .path_bends = true},
    {.integrator = Integrator::rk4,
     .name = "rk4",
     .path_bends = true,
     .impacts_in_time = true,
     .keeps_momentum = true},
});

/// Where the row of an integrator is. The compiler asks for a case for each value of the enum.
constexpr std::size_t row_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return 0;
    case Integrator::semi_implicit:
      return 1;
    case Integrator::trapezoid:
      return 2;
    case Integrator::implicit:
      return 3;
    case Integrator::rk4:
      return 4;
  }
  return 0;
}

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].integrator) != i) return false;
    if (row_of(table[i].integrator) != i) return false;
  }
  return table.back().integrator == last_integrator;
}
static_assert(is_in_order(),
              "one row for each value of the enum, in its order; last_integrator is the last");

}  // namespace

const IntegratorTraits& traits_of(Integrator integrator) { return table[row_of(integrator)]; }

std::string_view to_string(Integrator integrator) {
  return static_cast<std::size_t>(integrator) < table.size() ? traits_of(integrator).name : "?";
}

std::optional<Integrator> parse_integrator(std::string_view word) {
  for (const IntegratorTraits& row : table) {
    if (row.name == word) return row.integrator;
  }
  return std::nullopt;
}

}  // namespace stiction
