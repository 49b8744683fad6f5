#include "stiction/compliant/pade_terms.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Coefficients of degree p over degree q: cⱼ₊₁ = cⱼ (p − j) / ((p + q − j) (j + 1)).
std::array<double, 14> coefficients(int p, int q) {
  std::array<double, 14> c{};
  c[0] = 1.0;
  for (int j = 0; j < p; ++j) {
    c[index(j + 1)] = c[index(j)] * (p - j) / (static_cast<double>(p + q - j) * (j + 1));
  }
  return c;
}

double factorial(int n) { return std::tgamma(n + 1.0); }

}  // namespace

bool is_pade_order(int order) {
  return std::find(pade_orders.begin(), pade_orders.end(), order) != pade_orders.end();
}

PadeTerms pade_terms(int order, PadeFamily family) {
  const int p = family == PadeFamily::decaying ? order - 1 : order;
  return {.numerator_degree = p,
          .denominator_degree = order,
          .numerator = coefficients(p, order),
          .denominator = coefficients(order, p)};
}

double pade_reach(int order, PadeFamily family, double tolerance) {
  // exp(z) − N/D = ± constant z^(degree + 1) + …
  double constant = 0.0405;  // of the two stages of order 1
  int degree = 2;
  if (order > 1 || family == PadeFamily::diagonal) {
    const int p = family == PadeFamily::decaying ? order - 1 : order;
    degree = p + order;
    constant = factorial(p) * factorial(order) / (factorial(degree) * factorial(degree + 1));
  }
  // ∫∫exp ≈ ½ has the error constant z^(degree − 1).
  const double reach = 0.95 * std::pow(tolerance / (2.0 * constant), 1.0 / (degree - 1));
  return std::min(reach, 0.6 * order);
}

int pade_squarings(double norm, double reach) {
  int count = 0;
  for (; norm > reach; norm *= 0.5) ++count;
  return count;
}

}  // namespace stiction
