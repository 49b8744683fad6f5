#pragma once

/// \file
/// Sine, cosine and arc tangent over both scalars, without branches on values in the ordinary
/// range. Largest errors seen in the tests, in units of the last place: sine and cosine 1.5 (plus
/// 1e-24 in absolute terms next to multiples of pi/2), arc tangent 5.

#include <bit>
#include <cstdint>

#include "stiction/core/scalar.hpp"

namespace stiction {

/// Sine and cosine of one angle [rad].
template <Scalar S>
struct SineCosine {
  S sine;
  S cosine;
};

namespace trigonometry_detail {

/// Beyond this angle [rad] the two-part reduction would lose digits; the C library takes over.
inline constexpr double reduction_limit = 1.0e9;
inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
/// pi/2 as a sum of two doubles.
inline constexpr double half_pi_high = 0x1.921fb54442d18p+0;
inline constexpr double half_pi_low = 0x1.1a62633145c07p-54;
/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer.
inline constexpr double round_magic = 6755399441055744.0;

/// sin(r) for |r| <= pi/4 (Taylor; the first term left out is below 1e-17 of the sum).
template <Scalar S>
[[gnu::always_inline]] inline S sine_near_zero(const S& r, const S& r2) {
  S p = S(1.0 / 355687428096000.0);
  p = fma(p, r2, S(-1.0 / 1307674368000.0));
  p = fma(p, r2, S(1.0 / 6227020800.0));
  p = fma(p, r2, S(-1.0 / 39916800.0));
  p = fma(p, r2, S(1.0 / 362880.0));
  p = fma(p, r2, S(-1.0 / 5040.0));
  p = fma(p, r2, S(1.0 / 120.0));
  p = fma(p, r2, S(-1.0 / 6.0));
  return fma(p * r2, r, r);
}

/// cos(r) for |r| <= pi/4.
template <Scalar S>
[[gnu::always_inline]] inline S cosine_near_zero(const S& r2) {
  S p = S(1.0 / 20922789888000.0);
  p = fma(p, r2, S(-1.0 / 87178291200.0));
  p = fma(p, r2, S(1.0 / 479001600.0));
  p = fma(p, r2, S(-1.0 / 3628800.0));
  p = fma(p, r2, S(1.0 / 40320.0));
  p = fma(p, r2, S(-1.0 / 720.0));
  p = fma(p, r2, S(1.0 / 24.0));
  const S half = S(0.5) * r2;
  const S head = S(1.0) - half;
  const S lost = (S(1.0) - head) - half;
  return head + fma(p * r2, r2, lost);
}

/// Quarter turns counted in the low bits of `shifted`: odd ones swap sine and cosine, and two more
/// bits give their signs.
[[gnu::always_inline]] inline SineCosine<double> place_in_quadrant(double shifted, double s,
                                                                   double c) {
  const std::uint64_t turns = std::bit_cast<std::uint64_t>(shifted);
  const bool odd = (turns & 1U) != 0;
  const auto flip = [](double value, std::uint64_t bit) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (bit << 62));
  };
  return {flip(odd ? c : s, turns & 2U), flip(odd ? s : c, (turns + 1U) & 2U)};
}
#if defined(STICTION_FOUR_DOUBLES)
[[gnu::always_inline]] inline SineCosine<Lane> place_in_quadrant(const Lane& shifted, const Lane& s,
                                                                 const Lane& c) {
  const __m256i turns = _mm256_castpd_si256(shifted);
  const FourFlags odd(_mm256_castsi256_pd(_mm256_slli_epi64(turns, 63)));  // signs are enough
  const auto flip = [](const Lane& value, __m256i bits) __attribute__((always_inline)) {
    const __m256i sign = _mm256_slli_epi64(_mm256_srli_epi64(bits, 1), 63);
    return Lane(_mm256_xor_pd(value, _mm256_castsi256_pd(sign)));
  };
  return {flip(select(odd, c, s), turns),
          flip(select(odd, s, c), _mm256_add_epi64(turns, _mm256_set1_epi64x(1)))};
}
#else
[[gnu::always_inline]] inline SineCosine<Lane> place_in_quadrant(const Lane& shifted, const Lane& s,
                                                                 const Lane& c) {
  using Bits = xsimd::batch<std::uint64_t>;
  const Bits turns = xsimd::bitwise_cast<Bits>(shifted);
  const Lane::batch_bool_type odd =
      xsimd::bitwise_cast<Lane>((turns & Bits(1U)) << 62) != Lane(0.0);
  const auto flip = [](const Lane& value, const Bits& bit) {
    return value ^ xsimd::bitwise_cast<Lane>(bit << 62);
  };
  return {flip(select(odd, c, s), turns & Bits(2U)),
          flip(select(odd, s, c), (turns + Bits(1U)) & Bits(2U))};
}
#endif

/// Puts right the lanes with angles past the reduction limit, infinities and NaN, each by itself.
/// By value, so that the result of the ordinary case need not live in memory.
template <Scalar S>
[[gnu::noinline]] SineCosine<S> sine_cosine_of_huge(S x, SineCosine<S> result) {
  const auto huge = !(abs(x) <= S(reduction_limit));
  result.sine = select(huge, for_each_lane(x, [](double v) { return std::sin(v); }), result.sine);
  result.cosine =
      select(huge, for_each_lane(x, [](double v) { return std::cos(v); }), result.cosine);
  return result;
}

}  // namespace trigonometry_detail

/// Sine and cosine of an angle [rad].
template <Scalar S>
[[gnu::always_inline]] inline SineCosine<S> sine_cosine(const S& x) {
  using namespace trigonometry_detail;
  const S shifted = fma(x, S(two_over_pi), S(round_magic));
  const S quadrant = shifted - S(round_magic);
  S r = fnma(quadrant, S(half_pi_high), x);
  r = fnma(quadrant, S(half_pi_low), r);
  const S r2 = r * r;
  const S s = sine_near_zero(r, r2);
  const S c = cosine_near_zero(r2);
  SineCosine<S> result = place_in_quadrant(shifted, s, c);
  if (any(!(abs(x) <= S(reduction_limit)))) [[unlikely]] {
    result = sine_cosine_of_huge(x, result);
  }
  return result;
}

/// atan(y / x) for y >= 0, x >= 0, in [0, pi/2]; 0 where both are zero. What SO(3)'s logarithm
/// needs.
template <Scalar S>
inline S atan_of_ratio(const S& y, const S& x) {
  using namespace trigonometry_detail;
  const auto steep = y > x;
  const S small = select(steep, x, y);
  const S large = select(steep, y, x);
  const S ratio = select(large > S(0.0), small / large, S(0.0));
  // Two half-angle steps, atan t = 2 atan(t / (1 + sqrt(1 + t^2))), leave t below 0.2.
  S t = ratio / (S(1.0) + sqrt(fma(ratio, ratio, S(1.0))));
  t = t / (S(1.0) + sqrt(fma(t, t, S(1.0))));
  const S t2 = t * t;
  S p = S(1.0 / 23.0);
  for (int k = 21; k >= 3; k -= 2) {
    p = fnma(p, t2, S(1.0 / k));
  }
  const S angle = S(4.0) * fnma(p * t2, t, t);
  return select(steep, S(half_pi_high) - angle, angle);
}

}  // namespace stiction
