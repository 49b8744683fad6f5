#pragma once

/// \file
/// LDLᵀ of the 6x6 articulated inertia of a floating base, over both scalars.

#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction {

/// Index of row i, column j < i among the packed rows below the diagonal.
constexpr int packed_index(int i, int j) { return i * (i - 1) / 2 + j; }

/// Factorizes `I` (plus `diagonal`) in the order linear, angular.
template <Scalar S>
[[gnu::always_inline]] inline void factorize_base(const ArticulatedInertia<S>& I, const S* diagonal,
                                                  BaseFactor<S>& factor) {
  const Matrix3<S>& B = I.coupling;  // rows angular, columns linear
  S m[6][6];
  m[0][0] = I.linear.xx;
  m[1][0] = I.linear.xy;
  m[1][1] = I.linear.yy;
  m[2][0] = I.linear.xz;
  m[2][1] = I.linear.yz;
  m[2][2] = I.linear.zz;
  m[3][0] = B.c0.x;
  m[3][1] = B.c1.x;
  m[3][2] = B.c2.x;
  m[3][3] = I.angular.xx;
  m[4][0] = B.c0.y;
  m[4][1] = B.c1.y;
  m[4][2] = B.c2.y;
  m[4][3] = I.angular.xy;
  m[4][4] = I.angular.yy;
  m[5][0] = B.c0.z;
  m[5][1] = B.c1.z;
  m[5][2] = B.c2.z;
  m[5][3] = I.angular.xz;
  m[5][4] = I.angular.yz;
  m[5][5] = I.angular.zz;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) m[k][k] = m[k][k] + diagonal[k];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const S inverse = S(1.0) / m[k][k];
    factor.inverse_diagonal[k] = inverse;
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const S scaled = m[i][k] * inverse;
      factor.lower[packed_index(i, k)] = scaled;
#pragma GCC unroll 6
      for (int j = k + 1; j <= i; ++j) m[i][j] = fnma(scaled, m[j][k], m[i][j]);
    }
  }
}

namespace base_factor_detail {

/// b - s a, for one right-hand side (a scalar) or three at once (a vector).
template <Scalar S>
[[gnu::always_inline]] inline S subtract(const S& s, const S& a, const S& b) {
  return fnma(s, a, b);
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> subtract(const S& s, const Vector3<S>& a,
                                                  const Vector3<S>& b) {
  return multiply_subtract(s, a, b);
}

}  // namespace base_factor_detail

/// x <- L⁻¹ x; the entries are scalars or three-vectors.
template <Scalar S, class Entry>
[[gnu::always_inline]] inline void solve_lower(const BaseFactor<S>& factor, Entry (&x)[6]) {
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) {
      x[i] = base_factor_detail::subtract(factor.lower[packed_index(i, j)], x[j], x[i]);
    }
  }
}

/// x <- L⁻ᵀ x; the entries are scalars or three-vectors.
template <Scalar S, class Entry>
[[gnu::always_inline]] inline void solve_upper(const BaseFactor<S>& factor, Entry (&x)[6]) {
#pragma GCC unroll 6
  for (int i = 5; i > 0; --i) {
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) {
      x[j] = base_factor_detail::subtract(factor.lower[packed_index(i, j)], x[i], x[j]);
    }
  }
}

}  // namespace stiction
