#pragma once

/// \file
/// Motions, forces, transforms and inertias of rigid bodies.
///
/// Every spatial quantity of the kernels has world axes and the origin of its own body as reference
/// point. So a joint axis is either purely angular or purely linear, going from body to parent is a
/// shift by `r` without a rotation, and no lever arm is longer than one link (a common reference
/// point would be cheaper still, but loses digits on long chains). The linear part of an
/// acceleration is the acceleration of the body's origin as a point, not Featherstone's spatial
/// one: it is what users and sensors mean by it.

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// Velocity or acceleration of a body: angular, and linear of its origin.
template <Scalar S>
struct Motion {
  Vector3<S> angular;  ///< [rad/s] or [rad/s²]
  Vector3<S> linear;   ///< [m/s] or [m/s²]
};

/// Force or momentum on a body: moment about its origin, and force.
template <Scalar S>
struct Force {
  Vector3<S> angular;  ///< [N·m]
  Vector3<S> linear;   ///< [N]
};

/// Pose of frame B in frame A: `p_A = rotation * p_B + translation`.
template <Scalar S>
struct Transform {
  Matrix3<S> rotation = identity3<S>();
  Vector3<S> translation;
};

template <Scalar S>
[[gnu::always_inline]] inline Transform<S> operator*(const Transform<S>& a, const Transform<S>& b) {
  return {a.rotation * b.rotation, multiply_add(a.rotation, b.translation, a.translation)};
}
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> operator*(const Transform<S>& a, const Vector3<S>& p) {
  return multiply_add(a.rotation, p, a.translation);
}
template <Scalar S>
[[gnu::always_inline]] inline Transform<S> inverse(const Transform<S>& a) {
  return {transpose(a.rotation), -transpose_times(a.rotation, a.translation)};
}

template <Scalar S>
[[gnu::always_inline]] inline Motion<S> operator+(const Motion<S>& a, const Motion<S>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <Scalar S>
[[gnu::always_inline]] inline Force<S> operator+(const Force<S>& a, const Force<S>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <Scalar S>
[[gnu::always_inline]] inline Force<S> operator-(const Force<S>& a, const Force<S>& b) {
  return {a.angular - b.angular, a.linear - b.linear};
}
template <Scalar S>
[[gnu::always_inline]] inline Force<S>& operator+=(Force<S>& a, const Force<S>& b) {
  a = a + b;
  return a;
}

/// Power of a force on a moving body.
template <Scalar S>
[[gnu::always_inline]] inline S dot(const Force<S>& f, const Motion<S>& m) {
  return dot(f.angular, m.angular) + dot(f.linear, m.linear);
}

/// The same force seen from a reference point that lies at -r from the present one
/// (`r`: from the new point to the old one).
template <Scalar S>
[[gnu::always_inline]] inline Force<S> shift(const Force<S>& f, const Vector3<S>& r) {
  return {cross_add(r, f.linear, f.angular), f.linear};
}

/// Mass, first moment and inertia about the body's origin.
template <Scalar S>
struct RigidInertia {
  S mass = S(0.0);         ///< [kg]
  Vector3<S> mass_center;  ///< mass times centre of mass, from the origin [kg·m]
  Symmetric3<S> inertia;   ///< about the origin [kg·m²]
};

/// Seen from rotated axes.
template <Scalar S>
[[gnu::always_inline]] inline RigidInertia<S> rotate(const Matrix3<S>& R,
                                                     const RigidInertia<S>& I) {
  return {I.mass, R * I.mass_center, rotate(R, I.inertia)};
}

template <Scalar S>
[[gnu::always_inline]] inline RigidInertia<S> operator+(const RigidInertia<S>& a,
                                                        const RigidInertia<S>& b) {
  return {a.mass + b.mass, a.mass_center + b.mass_center, a.inertia + b.inertia};
}

/// Inertia times motion: momentum from velocity, or force from acceleration (without ω x Iω terms).
template <Scalar S>
[[gnu::always_inline]] inline Force<S> operator*(const RigidInertia<S>& I, const Motion<S>& m) {
  return {cross_add(I.mass_center, m.linear, I.inertia * m.angular),
          cross_add(m.angular, I.mass_center, I.mass * m.linear)};
}

/// The same inertia about a reference point that lies at -r from the present one.
template <Scalar S>
[[gnu::always_inline]] inline RigidInertia<S> shift(const RigidInertia<S>& I, const Vector3<S>& r) {
  // I' = I - [r][mc] - [mc][r] - m [r]², all symmetric; h = mc + m r / 2 gathers the two.
  const Vector3<S> h = multiply_add(S(0.5) * I.mass, r, I.mass_center);
  const S two(2.0);
  const S rh = two * dot(r, h);
  const Symmetric3<S>& J = I.inertia;
  return {I.mass,
          multiply_add(I.mass, r, I.mass_center),
          {J.xx + fnma(two * r.x, h.x, rh), fnma(r.x, h.y, fnma(r.y, h.x, J.xy)),
           fnma(r.x, h.z, fnma(r.z, h.x, J.xz)), J.yy + fnma(two * r.y, h.y, rh),
           fnma(r.y, h.z, fnma(r.z, h.y, J.yz)), J.zz + fnma(two * r.z, h.z, rh)}};
}

/// What a body feels of itself and of all bodies that hang on it:
/// moment = A α + B a, force = Bᵀ α + C a.
template <Scalar S>
struct ArticulatedInertia {
  Symmetric3<S> angular;  ///< A [kg·m²]
  Matrix3<S> coupling;    ///< B [kg·m]
  Symmetric3<S> linear;   ///< C [kg]
};

template <Scalar S>
[[gnu::always_inline]] inline ArticulatedInertia<S> articulated(const RigidInertia<S>& I) {
  const Vector3<S>& h = I.mass_center;
  const S zero(0.0);
  return {I.inertia,
          {{zero, h.z, -h.y}, {-h.z, zero, h.x}, {h.y, -h.x, zero}},
          {I.mass, zero, zero, I.mass, zero, I.mass}};
}

template <Scalar S>
[[gnu::always_inline]] inline ArticulatedInertia<S> operator+(const ArticulatedInertia<S>& a,
                                                              const ArticulatedInertia<S>& b) {
  return {a.angular + b.angular, a.coupling + b.coupling, a.linear + b.linear};
}

/// Adds a rigid body's inertia at the same reference point.
template <Scalar S>
[[gnu::always_inline]] inline void add_rigid(ArticulatedInertia<S>& a, const RigidInertia<S>& I) {
  const Vector3<S>& h = I.mass_center;
  a.angular = a.angular + I.inertia;
  a.coupling.c0.y += h.z;
  a.coupling.c0.z -= h.y;
  a.coupling.c1.x -= h.z;
  a.coupling.c1.z += h.x;
  a.coupling.c2.x += h.y;
  a.coupling.c2.y -= h.x;
  a.linear.xx += I.mass;
  a.linear.yy += I.mass;
  a.linear.zz += I.mass;
}

template <Scalar S>
[[gnu::always_inline]] inline Force<S> operator*(const ArticulatedInertia<S>& I,
                                                 const Motion<S>& m) {
  return {multiply_add(I.coupling, m.linear, I.angular * m.angular),
          transpose_times(I.coupling, m.angular) + I.linear * m.linear};
}

/// I - U Uᵀ / d, with `scaled` = U / d.
template <Scalar S>
[[gnu::always_inline]] inline void subtract_outer(ArticulatedInertia<S>& I, const Force<S>& U,
                                                  const Force<S>& scaled) {
  const Vector3<S>& a = U.angular;
  const Vector3<S>& l = U.linear;
  const Vector3<S>& sa = scaled.angular;
  const Vector3<S>& sl = scaled.linear;
  I.angular.xx = fnma(sa.x, a.x, I.angular.xx);
  I.angular.xy = fnma(sa.x, a.y, I.angular.xy);
  I.angular.xz = fnma(sa.x, a.z, I.angular.xz);
  I.angular.yy = fnma(sa.y, a.y, I.angular.yy);
  I.angular.yz = fnma(sa.y, a.z, I.angular.yz);
  I.angular.zz = fnma(sa.z, a.z, I.angular.zz);
  I.coupling.c0 = multiply_subtract(sl.x, a, I.coupling.c0);
  I.coupling.c1 = multiply_subtract(sl.y, a, I.coupling.c1);
  I.coupling.c2 = multiply_subtract(sl.z, a, I.coupling.c2);
  I.linear.xx = fnma(sl.x, l.x, I.linear.xx);
  I.linear.xy = fnma(sl.x, l.y, I.linear.xy);
  I.linear.xz = fnma(sl.x, l.z, I.linear.xz);
  I.linear.yy = fnma(sl.y, l.y, I.linear.yy);
  I.linear.yz = fnma(sl.y, l.z, I.linear.yz);
  I.linear.zz = fnma(sl.z, l.z, I.linear.zz);
}

/// The same inertia about a reference point that lies at -r from the present one.
/// With motions a' = a + α x r: B⁺ = B + [r]C, A⁺ = A + [r]B⁺ᵀ - B[r].
template <Scalar S>
[[gnu::always_inline]] inline ArticulatedInertia<S> shift(const ArticulatedInertia<S>& I,
                                                          const Vector3<S>& r) {
  const Symmetric3<S>& C = I.linear;
  const Matrix3<S>& B = I.coupling;
  const Matrix3<S> P{cross_add(r, Vector3<S>{C.xx, C.xy, C.xz}, B.c0),
                     cross_add(r, Vector3<S>{C.xy, C.yy, C.yz}, B.c1),
                     cross_add(r, Vector3<S>{C.xz, C.yz, C.zz}, B.c2)};
  // ([r] Pᵀ)_{ij} = (r x row_j(P))_i; (-B[r])_{ij} = (r x row_i(B))_j
  const Symmetric3<S>& A = I.angular;
  const auto x_of = [&r](const S& my, const S& mz, const S& start) {
    return fnma(r.z, my, fma(r.y, mz, start));
  };
  const auto y_of = [&r](const S& mx, const S& mz, const S& start) {
    return fnma(r.x, mz, fma(r.z, mx, start));
  };
  const auto z_of = [&r](const S& mx, const S& my, const S& start) {
    return fnma(r.y, mx, fma(r.x, my, start));
  };
  // rows: row_i(M) = (M.c0[i], M.c1[i], M.c2[i])
  Symmetric3<S> result;
  result.xx = x_of(P.c1.x, P.c2.x, x_of(B.c1.x, B.c2.x, A.xx));
  result.xy = x_of(P.c1.y, P.c2.y, y_of(B.c0.x, B.c2.x, A.xy));
  result.xz = x_of(P.c1.z, P.c2.z, z_of(B.c0.x, B.c1.x, A.xz));
  result.yy = y_of(P.c0.y, P.c2.y, y_of(B.c0.y, B.c2.y, A.yy));
  result.yz = y_of(P.c0.z, P.c2.z, z_of(B.c0.y, B.c1.y, A.yz));
  result.zz = z_of(P.c0.z, P.c1.z, z_of(B.c0.z, B.c1.z, A.zz));
  return {result, P, C};
}

}  // namespace stiction
