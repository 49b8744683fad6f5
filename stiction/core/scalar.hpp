#pragma once

/// \file
/// The scalars that the kernels are written over: `double` steps one robot, `Lane` one robot per
/// SIMD lane. Each function here computes the same bits for a double and for every lane, whatever
/// the other lanes hold, so a robot moves alike alone and in any slot of a batch. That is why the
/// trigonometry is our own: a vector library may choose its argument reduction by looking at all
/// lanes at once, which lets one robot's angle change its neighbour's last bit.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

#include "stiction/core/four_doubles.hpp"
#if !defined(STICTION_FOUR_DOUBLES)
#include <xsimd/xsimd.hpp>
#endif

namespace stiction {

/// One double per SIMD lane of the instruction set that this build is made for.
#if defined(STICTION_FOUR_DOUBLES)
using Lane = FourDoubles;
#else
using Lane = xsimd::batch<double>;
#endif

/// How many robots one Lane carries (4 with AVX2).
inline constexpr std::size_t lane_width = Lane::size;

template <class S>
concept Scalar = std::same_as<S, double> || std::same_as<S, Lane>;

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool has_fused_multiply_add = true;
#else
inline constexpr bool has_fused_multiply_add = false;
#endif

/// a * b + c, rounded once where the instruction set can, else twice: alike for both scalars.
[[gnu::always_inline]] inline double fma(double a, double b, double c) {
  if constexpr (has_fused_multiply_add) {
    return __builtin_fma(a, b, c);
  } else {
    return a * b + c;
  }
}

/// c - a * b, rounded as in `fma`.
[[gnu::always_inline]] inline double fnma(double a, double b, double c) { return fma(-a, b, c); }

[[gnu::always_inline]] inline double select(bool condition, double yes, double no) {
  return condition ? yes : no;
}

[[gnu::always_inline]] inline bool any(bool condition) { return condition; }

[[gnu::always_inline]] inline double sqrt(double x) { return std::sqrt(x); }

[[gnu::always_inline]] inline double abs(double x) { return std::fabs(x); }

[[gnu::always_inline]] inline double floor(double x) { return std::floor(x); }

#if !defined(STICTION_FOUR_DOUBLES)
[[gnu::always_inline]] inline Lane fma(const Lane& a, const Lane& b, const Lane& c) {
  return xsimd::fma(a, b, c);
}
[[gnu::always_inline]] inline Lane fnma(const Lane& a, const Lane& b, const Lane& c) {
  return xsimd::fnma(a, b, c);
}
[[gnu::always_inline]] inline Lane select(const Lane::batch_bool_type& condition, const Lane& yes,
                                          const Lane& no) {
  return xsimd::select(condition, yes, no);
}
[[gnu::always_inline]] inline bool any(const Lane::batch_bool_type& condition) {
  return xsimd::any(condition);
}
[[gnu::always_inline]] inline Lane sqrt(const Lane& x) { return xsimd::sqrt(x); }
[[gnu::always_inline]] inline Lane abs(const Lane& x) { return xsimd::abs(x); }
[[gnu::always_inline]] inline Lane floor(const Lane& x) { return xsimd::floor(x); }
[[gnu::always_inline]] inline double sum_of_slots(const Lane& x) { return xsimd::hadd(x); }
#endif

template <Scalar S>
[[gnu::always_inline]] inline S minimum(const S& a, const S& b) {
  return select(a < b, a, b);
}
template <Scalar S>
[[gnu::always_inline]] inline S maximum(const S& a, const S& b) {
  return select(a > b, a, b);
}

/// Applies a double function to each lane alone.
template <class Function>
inline double for_each_lane(double x, Function function) {
  return function(x);
}
template <class Function>
inline Lane for_each_lane(const Lane& x, Function function) {
  alignas(Lane) double values[lane_width];
  x.store_aligned(values);
  for (double& value : values) value = function(value);
  return Lane::load_aligned(values);
}

/// Value of one lane; a double is its own only lane.
inline double lane_value(double x, std::size_t) { return x; }
inline double lane_value(const Lane& x, std::size_t slot) {
  alignas(Lane) double values[lane_width];
  x.store_aligned(values);
  return values[slot];
}

/// Replaces the value of one lane.
inline void set_lane(double& x, std::size_t, double value) { x = value; }
inline void set_lane(Lane& x, std::size_t slot, double value) {
  alignas(Lane) double values[lane_width];
  x.store_aligned(values);
  values[slot] = value;
  x = Lane::load_aligned(values);
}

}  // namespace stiction
