#include "stiction/compliant/engine_plan.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/compliant/pade_terms.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

using Index = Eigen::Index;

namespace {

/// Fitted to bench_exponential; a few per cent do not matter for the choice.
double modal_cost(double rows) {
  return 200.0 + 100.0 * rows + 16.0 * rows * rows + rows * rows * rows;
}

double stages_cost(double rows) {
  return 100.0 + 20.0 * rows + 4.0 * rows * rows + 0.3 * rows * rows * rows;
}

double pade_cost(int order, int squarings, double rows) {
  const double side = 2.0 * rows + 3.0;
  const double square = side * side;
  const auto at = std::find(pade_orders.begin(), pade_orders.end(), order);
  const auto products = static_cast<double>(at - pade_orders.begin());
  const double applications = std::exp2(squarings);
  const double apply = std::min(3.0 * applications, (squarings + 2.0) * side) * square * 0.3;
  return 500.0 + 20.0 * square + (0.15 * products + 0.15) * square * side + apply;
}

}  // namespace

double state_norm_bound(const LinearContacts& system, double step) {
  double norm = 0.0;
  double relaxation = 0.0;
  for (Index j = 0; j < system.rows; ++j) {
    const std::size_t column = index(j);
    const double* upsilon = system.upsilon + j * system.stride;
    double sum = 0.0;
    for (Index i = 0; i < system.rows; ++i) {
      sum += std::sqrt(system.stiffness[index(i)]) * std::abs(upsilon[i]);
    }
    norm = std::max(norm, sum * std::sqrt(system.stiffness[column]));
    relaxation = std::max(relaxation, system.damping[column] / system.stiffness[column]);
  }
  return step * std::sqrt(norm) + relaxation * step * norm;
}

EnginePlan cheapest_plan(const LinearContacts& system, double step, double tolerance) {
  const auto rows = static_cast<double>(system.rows);
  const double norm = state_norm_bound(system, step);
  EnginePlan best{.modal = true, .norm = norm, .cost = modal_cost(rows)};
  if (!proportional_damping(system)) best.cost = HUGE_VAL;
  for (const int order : pade_orders) {
    const double reach = pade_reach(order, PadeFamily::diagonal, tolerance);
    const int squarings = std::isfinite(norm) ? pade_squarings(norm, reach) : 0;
    if (order == 1 && squarings > 0) continue;
    const double cost = order == 1 ? stages_cost(rows) : pade_cost(order, squarings, rows);
    if (cost >= best.cost) continue;
    best = {.modal = false, .order = order, .squarings = squarings, .norm = norm, .cost = cost};
  }
  return best;
}

}  // namespace stiction
