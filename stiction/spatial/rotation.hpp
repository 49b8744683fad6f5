#pragma once

/// \file
/// Rotations: unit quaternions (x, y, z, w in storage), exponential and logarithm on SO(3).
/// Small angles are handled by selects, so that every lane takes the same road.

#include <Eigen/Geometry>
#include <span>

#include "stiction/core/trigonometry.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// A unit quaternion, x, y, z, w in storage.
template <Scalar S>
struct Quaternion {
  S x = S(0.0);
  S y = S(0.0);
  S z = S(0.0);
  S w = S(1.0);
};

/// The quaternion whose entries begin at `first`.
template <Scalar S>
[[gnu::always_inline]] inline Quaternion<S> read_quaternion(std::span<const S> q,
                                                            std::size_t first) {
  return {q[first], q[first + 1], q[first + 2], q[first + 3]};
}

inline Eigen::Quaterniond to_eigen(const Quaternion<double>& q) { return {q.w, q.x, q.y, q.z}; }
inline Quaternion<double> from_eigen(const Eigen::Quaterniond& q) {
  return {q.x(), q.y(), q.z(), q.w()};
}

template <Scalar S>
[[gnu::always_inline]] inline Quaternion<S> operator*(const Quaternion<S>& a,
                                                      const Quaternion<S>& b) {
  return {fnma(a.z, b.y, fma(a.y, b.z, fma(a.x, b.w, a.w * b.x))),
          fnma(a.x, b.z, fma(a.z, b.x, fma(a.y, b.w, a.w * b.y))),
          fnma(a.y, b.x, fma(a.x, b.y, fma(a.z, b.w, a.w * b.z))),
          fnma(a.z, b.z, fnma(a.y, b.y, fnma(a.x, b.x, a.w * b.w)))};
}

template <Scalar S>
[[gnu::always_inline]] inline Quaternion<S> conjugate(const Quaternion<S>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}

template <Scalar S>
[[gnu::always_inline]] inline Quaternion<S> normalized(const Quaternion<S>& q) {
  const S s = S(1.0) / sqrt(fma(q.w, q.w, fma(q.z, q.z, fma(q.y, q.y, q.x * q.x))));
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}

/// Rotation matrix of a quaternion. Its length is divided out, so that a state that was stored with
/// fewer digits still gives a rotation.
template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> to_matrix(const Quaternion<S>& q) {
  const S s = S(2.0) / fma(q.w, q.w, fma(q.z, q.z, fma(q.y, q.y, q.x * q.x)));
  const S x = s * q.x;
  const S y = s * q.y;
  const S z = s * q.z;
  const S one(1.0);
  return {{fnma(z, q.z, fnma(y, q.y, one)), fma(z, q.w, x * q.y), fnma(y, q.w, x * q.z)},
          {fnma(z, q.w, x * q.y), fnma(z, q.z, fnma(x, q.x, one)), fma(x, q.w, y * q.z)},
          {fma(y, q.w, x * q.z), fnma(x, q.w, y * q.z), fnma(y, q.y, fnma(x, q.x, one))}};
}

/// Quaternion of the rotation vector `r` [rad].
template <Scalar S>
inline Quaternion<S> exp_quaternion(const Vector3<S>& r) {
  const S angle2 = dot(r, r);
  const S angle = sqrt(angle2);
  const SineCosine<S> half = sine_cosine(S(0.5) * angle);
  const auto small = angle2 < S(1e-8);
  // sin(a/2)/a = 1/2 - a²/48 + a⁴/3840; at a² = 1e-8 what is left out is below 1e-20
  const S series = fma(angle2, fma(angle2, S(1.0 / 3840.0), S(-1.0 / 48.0)), S(0.5));
  const S factor = select(small, series, half.sine / select(small, S(1.0), angle));
  return {factor * r.x, factor * r.y, factor * r.z, half.cosine};
}

/// Rotation matrix of the rotation vector `r` [rad].
template <Scalar S>
inline Matrix3<S> exp_rotation(const Vector3<S>& r) {
  return to_matrix(exp_quaternion(r));
}

/// Rotation vector [rad] of a unit quaternion, of length at most pi.
template <Scalar S>
inline Vector3<S> log_quaternion(const Quaternion<S>& q) {
  const auto flip = q.w < S(0.0);
  const S w = select(flip, -q.w, q.w);
  const Vector3<S> v{select(flip, -q.x, q.x), select(flip, -q.y, q.y), select(flip, -q.z, q.z)};
  const S n2 = dot(v, v);
  const S n = sqrt(n2);
  const auto small = n2 < S(1e-10);
  // 2 atan(n/w)/n = (2/w)(1 - (n/w)²/3 + (n/w)⁴/5)
  const S t2 = n2 / (w * w);
  const S series = (S(2.0) / w) * fma(t2, fma(t2, S(1.0 / 5.0), S(-1.0 / 3.0)), S(1.0));
  const S factor = select(small, series, S(2.0) * atan_of_ratio(n, w) / select(small, S(1.0), n));
  return factor * v;
}

/// Rotation vector [rad] of a rotation matrix, of length at most pi.
Eigen::Vector3d log_rotation(const Eigen::Matrix3d& R);

/// M R, with R the rotation about coordinate axis 0, 1 or 2 by the angle with this sine and cosine.
/// Costs twelve multiplications instead of twenty-seven.
template <int axis, Scalar S>
[[gnu::always_inline]] inline Matrix3<S> turned_about_axis(const Matrix3<S>& M,
                                                           const SineCosine<S>& a) {
  const Vector3<S>& u = axis == 0 ? M.c1 : axis == 1 ? M.c2 : M.c0;
  const Vector3<S>& v = axis == 0 ? M.c2 : axis == 1 ? M.c0 : M.c1;
  const Vector3<S> first = multiply_add(a.sine, v, a.cosine * u);
  const Vector3<S> second = multiply_subtract(a.sine, u, a.cosine * v);
  if constexpr (axis == 0) return {M.c0, first, second};
  if constexpr (axis == 1) return {second, M.c1, first};
  if constexpr (axis == 2) return {first, second, M.c2};
}

/// Rotation by the angle with this sine and cosine about a unit axis.
template <Scalar S>
[[gnu::always_inline]] inline Matrix3<S> about_axis(const Vector3<S>& axis,
                                                    const SineCosine<S>& a) {
  const S k = S(1.0) - a.cosine;
  const Vector3<S> ka = k * axis;
  const Vector3<S> sa = a.sine * axis;
  return {{fma(ka.x, axis.x, a.cosine), fma(ka.x, axis.y, sa.z), fma(ka.x, axis.z, -sa.y)},
          {fma(ka.x, axis.y, -sa.z), fma(ka.y, axis.y, a.cosine), fma(ka.y, axis.z, sa.x)},
          {fma(ka.x, axis.z, sa.y), fma(ka.y, axis.z, -sa.x), fma(ka.z, axis.z, a.cosine)}};
}

}  // namespace stiction
