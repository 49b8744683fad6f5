#pragma once

/// \file
/// Padé approximants of the exponential: coefficients and the arguments that they are good for.

#include <array>

#include "stiction/compliant/implicit_stages.hpp"

namespace stiction {

/// The orders that an engine takes: those that need 0, 1, 2, 3, 4, 5 and 6 products of matrices.
inline constexpr std::array pade_orders{1, 2, 3, 5, 7, 9, 13};
[[nodiscard]] bool is_pade_order(int order);

/// N(z) / D(z) with D(z) = Σ denominator[j] (−z)ʲ.
struct PadeTerms {
  int numerator_degree = 0;
  int denominator_degree = 0;
  std::array<double, 14> numerator{};
  std::array<double, 14> denominator{};
};

/// Degrees (order, order), or (order − 1, order) for `decaying`, with order ≥ 2.
PadeTerms pade_terms(int order, PadeFamily family);

/// The largest 1-norm of h A for which the approximant of exp and of both of its integrals has a
/// relative error below `tolerance`. From the first term of the error of ∫∫exp, the largest one;
/// the terms after that are small as long as the norm is below 0.6 order, which is a bound as well.
double pade_reach(int order, PadeFamily family, double tolerance);

/// How often a matrix with that 1-norm has to be halved until it is below the reach.
int pade_squarings(double norm, double reach);

}  // namespace stiction
