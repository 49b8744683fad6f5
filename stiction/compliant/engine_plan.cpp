#include "stiction/compliant/engine_plan.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/compliant/pade_terms.hpp"
#include "stiction/compliant/polynomial_engine.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

using Index = Eigen::Index;

namespace {

// Nanoseconds, fitted to random systems of 3 to 36 rows on one core with AVX2. A few per cent do
// not matter for the choice.

double eigenvector_cost(double rows) { return 100.0 + 50.0 * rows + 25.0 * rows * rows; }

/// By polynomials where they are in reach, else by eigenvectors.
double modal_cost(const LinearContacts& system, double step, double bound) {
  const auto rows = static_cast<double>(system.rows);
  if (system.rows == 0) return 0.0;
  const double relaxation = system.damping[0] / system.stiffness[0];
  const PolynomialWork work = polynomial_work(system.rows, step, bound, relaxation);
  if (work.block == 0) return eigenvector_cost(rows);
  return 100.0 + work.products * (5.0 + 1.2 * rows + 0.14 * rows * rows);
}

double stages_cost(double rows) { return 100.0 + 40.0 * rows + 4.0 * rows * rows; }

double pade_cost(int order, int squarings, double rows) {
  const double side = 2.0 * rows + 3.0;
  const double square = side * side;
  const auto at = std::find(pade_orders.begin(), pade_orders.end(), order);
  const auto products = static_cast<double>(at - pade_orders.begin());
  const double applications = std::exp2(squarings);
  const double apply = std::min(3.0 * applications, (squarings + 2.0) * side) * square * 0.5;
  return 1000.0 + 4.0 * square + 0.065 * products * square * side + apply;
}

/// At least the largest eigenvalue of K^½ Υ K^½ [1/s²].
double spectrum_bound(const LinearContacts& system) {
  double norm = 0.0;
  for (Index j = 0; j < system.rows; ++j) {
    const double* upsilon = system.upsilon + j * system.stride;
    double sum = 0.0;
    for (Index i = 0; i < system.rows; ++i) {
      sum += std::sqrt(system.stiffness[index(i)]) * std::abs(upsilon[i]);
    }
    norm = std::max(norm, sum * std::sqrt(system.stiffness[index(j)]));
  }
  return norm;
}

double largest_relaxation(const LinearContacts& system) {
  double relaxation = 0.0;
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    relaxation = std::max(relaxation, system.damping[i] / system.stiffness[i]);
  }
  return relaxation;
}

double norm_bound(const LinearContacts& system, double step, double bound) {
  return step * std::sqrt(bound) + largest_relaxation(system) * step * bound;
}

}  // namespace

double state_norm_bound(const LinearContacts& system, double step) {
  return norm_bound(system, step, spectrum_bound(system));
}

EnginePlan cheapest_plan(const LinearContacts& system, double step, double tolerance) {
  const auto rows = static_cast<double>(system.rows);
  const double bound = spectrum_bound(system);
  const double norm = norm_bound(system, step, bound);
  EnginePlan best{.modal = true, .norm = norm, .cost = HUGE_VAL};
  if (proportional_damping(system)) best.cost = modal_cost(system, step, bound);
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
