#pragma once

/// \file
/// Three-vectors and 3x3 matrices that carry either scalar through the hot kernels. Plain structs
/// with the multiply-adds written out: see docs/decisions/0004-lane-carrier.md for the measurement
/// against Eigen. The public interface speaks Eigen; `to_eigen` and `from_eigen` are the border.

#include <Eigen/Core>

#include "stiction/core/scalar.hpp"

namespace stiction {

/// A three-vector.
template <Scalar S>
struct Vector3 {
  S x = S(0.0);
  S y = S(0.0);
  S z = S(0.0);
};

/// A 3x3 matrix by its columns.
template <Scalar S>
struct Matrix3 {
  Vector3<S> c0;
  Vector3<S> c1;
  Vector3<S> c2;
};

/// A symmetric 3x3 matrix by its upper triangle.
template <Scalar S>
struct Symmetric3 {
  S xx = S(0.0);
  S xy = S(0.0);
  S xz = S(0.0);
  S yy = S(0.0);
  S yz = S(0.0);
  S zz = S(0.0);
};

// ---- conversions -------------------------------------------------------------------------------

inline Eigen::Vector3d to_eigen(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

inline Eigen::Matrix3d to_eigen(const Matrix3<double>& m) {
  Eigen::Matrix3d result;
  result << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
  return result;
}

inline Eigen::Matrix3d to_eigen(const Symmetric3<double>& m) {
  Eigen::Matrix3d result;
  result << m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz;
  return result;
}

inline Vector3<double> from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

inline Matrix3<double> from_eigen(const Eigen::Matrix3d& m) {
  return {from_eigen(Eigen::Vector3d(m.col(0))), from_eigen(Eigen::Vector3d(m.col(1))),
          from_eigen(Eigen::Vector3d(m.col(2)))};
}

/// Takes the upper triangle of a symmetric matrix.
inline Symmetric3<double> symmetric_from_eigen(const Eigen::Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
}

/// The same number in every lane.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> broadcast(const Vector3<double>& v) {
  return {S(v.x), S(v.y), S(v.z)};
}
template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> broadcast(const Matrix3<double>& m) {
  return {broadcast<S>(m.c0), broadcast<S>(m.c1), broadcast<S>(m.c2)};
}
template <Scalar S>
[[gnu::always_inline]] inline Symmetric3<S> broadcast(const Symmetric3<double>& m) {
  return {S(m.xx), S(m.xy), S(m.xz), S(m.yy), S(m.yz), S(m.zz)};
}

// ---- vectors -----------------------------------------------------------------------------------

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator+(const Vector3<S>& a, const Vector3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator-(const Vector3<S>& a, const Vector3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator-(const Vector3<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator*(const S& s, const Vector3<S>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S>& operator+=(Vector3<S>& a, const Vector3<S>& b) {
  a = a + b;
  return a;
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S>& operator-=(Vector3<S>& a, const Vector3<S>& b) {
  a = a - b;
  return a;
}

template <Scalar S>
[[gnu::always_inline]] inline S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return {fnma(a.z, b.y, a.y * b.z), fnma(a.x, b.z, a.z * b.x), fnma(a.y, b.x, a.x * b.y)};
}

/// s * a + b
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> multiply_add(const S& s, const Vector3<S>& a,
                                                      const Vector3<S>& b) {
  return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)};
}

/// b - s * a
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> multiply_subtract(const S& s, const Vector3<S>& a,
                                                           const Vector3<S>& b) {
  return {fnma(s, a.x, b.x), fnma(s, a.y, b.y), fnma(s, a.z, b.z)};
}

/// c + a x b
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> cross_add(const Vector3<S>& a, const Vector3<S>& b,
                                                   const Vector3<S>& c) {
  return {fnma(a.z, b.y, fma(a.y, b.z, c.x)), fnma(a.x, b.z, fma(a.z, b.x, c.y)),
          fnma(a.y, b.x, fma(a.x, b.y, c.z))};
}

template <Scalar S>
[[gnu::always_inline]] inline S norm(const Vector3<S>& a) {
  return sqrt(dot(a, a));
}

// ---- matrices ----------------------------------------------------------------------------------

template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> identity3() {
  return {{S(1.0), S(0.0), S(0.0)}, {S(0.0), S(1.0), S(0.0)}, {S(0.0), S(0.0), S(1.0)}};
}

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Matrix3<S>& m, const Vector3<S>& v) {
  return multiply_add(v.z, m.c2, multiply_add(v.y, m.c1, v.x * m.c0));
}

/// m v + b
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> multiply_add(const Matrix3<S>& m, const Vector3<S>& v,
                                                      const Vector3<S>& b) {
  return multiply_add(v.z, m.c2, multiply_add(v.y, m.c1, multiply_add(v.x, m.c0, b)));
}

/// mᵀ v
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> transpose_times(const Matrix3<S>& m, const Vector3<S>& v) {
  return {dot(m.c0, v), dot(m.c1, v), dot(m.c2, v)};
}

template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> operator*(const Matrix3<S>& a, const Matrix3<S>& b) {
  return {a * b.c0, a * b.c1, a * b.c2};
}

template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> operator+(const Matrix3<S>& a, const Matrix3<S>& b) {
  return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
}

template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> transpose(const Matrix3<S>& m) {
  return {{m.c0.x, m.c1.x, m.c2.x}, {m.c0.y, m.c1.y, m.c2.y}, {m.c0.z, m.c1.z, m.c2.z}};
}

template <Scalar S>
[[gnu::always_inline]] inline Symmetric3<S> operator+(const Symmetric3<S>& a,
                                                      const Symmetric3<S>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Symmetric3<S>& m, const Vector3<S>& v) {
  return {fma(m.xz, v.z, fma(m.xy, v.y, m.xx * v.x)), fma(m.yz, v.z, fma(m.yy, v.y, m.xy * v.x)),
          fma(m.zz, v.z, fma(m.yz, v.y, m.xz * v.x))};
}

/// R I Rᵀ: a symmetric matrix seen from rotated axes.
template <Scalar S>
[[gnu::always_inline]] inline Symmetric3<S> rotate(const Matrix3<S>& R, const Symmetric3<S>& I) {
  // T = R I by columns; only the upper triangle of T Rᵀ is computed.
  const Vector3<S> t0 = R * Vector3<S>{I.xx, I.xy, I.xz};
  const Vector3<S> t1 = R * Vector3<S>{I.xy, I.yy, I.yz};
  const Vector3<S> t2 = R * Vector3<S>{I.xz, I.yz, I.zz};
  return {fma(t2.x, R.c2.x, fma(t1.x, R.c1.x, t0.x * R.c0.x)),
          fma(t2.x, R.c2.y, fma(t1.x, R.c1.y, t0.x * R.c0.y)),
          fma(t2.x, R.c2.z, fma(t1.x, R.c1.z, t0.x * R.c0.z)),
          fma(t2.y, R.c2.y, fma(t1.y, R.c1.y, t0.y * R.c0.y)),
          fma(t2.y, R.c2.z, fma(t1.y, R.c1.z, t0.y * R.c0.z)),
          fma(t2.z, R.c2.z, fma(t1.z, R.c1.z, t0.z * R.c0.z))};
}

}  // namespace stiction
