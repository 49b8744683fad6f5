#pragma once

/// \file
/// Random problems of one contact, each from its own seed: every conic, every mode, friction from
/// 0 to 1e8, condition of W from 1 to 1e12.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "stiction/contact/one_contact.hpp"
#include "stiction/core/random.hpp"

namespace stiction::test {

struct OneContactProblem {
  std::uint64_t seed = 0;
  Symmetric3<double> W;
  double largest = 1.0;    ///< eigenvalue of W
  double condition = 1.0;  ///< of W
  double friction = 0.0;
  Vector3<double> c;

  /// |b|: below 1 an ellipse, at 1 a parabola, above a hyperbola.
  [[nodiscard]] double eccentricity() const { return friction * std::hypot(W.xz, W.yz) / W.zz; }
};

namespace one_contact_detail {

inline Vector3<double> random_unit(Random& random) {
  Vector3<double> v;
  do {
    v = {random.normal(), random.normal(), random.normal()};
  } while (!(norm(v) > 1e-3));
  return (1.0 / norm(v)) * v;
}

/// Q diag(eigenvalues) Qᵀ with random axes, now and then the axes of the contact.
inline Symmetric3<double> random_matrix(Random& random, const double (&eigenvalues)[3]) {
  Matrix3<double> Q = identity3<double>();
  if (random.uniform() < 0.9) {
    Q.c0 = random_unit(random);
    const Vector3<double> y = cross(Q.c0, random_unit(random));
    Q.c1 = (1.0 / norm(y)) * y;
    Q.c2 = cross(Q.c0, Q.c1);
  }
  return rotate(Q, Symmetric3<double>{eigenvalues[0], 0, 0, eigenvalues[1], 0, eigenvalues[2]});
}

/// Zero, ordinary, of any size up to 1e8, or such that the conic is a parabola or close to one.
inline double random_friction(Random& random, const Symmetric3<double>& W) {
  const double kind = random.uniform();
  const double slope = std::hypot(W.xz, W.yz) / W.zz;
  if (kind < 0.02) return 0.0;
  if (kind < 0.5) return random.uniform(0.0, 2.0);
  if (kind < 0.6) return std::min(1e8, slope > 0.0 ? 1.0 / slope : 1.0);
  if (kind < 0.75) return std::min(1e8, slope > 0.0 ? random.uniform(0.5, 3.0) / slope : 1.0);
  return std::pow(10.0, random.uniform(-8.0, 8.0));
}

/// Free, or aimed at an impulse P on either side of the edge of the cone, as close as 1e-12.
inline Vector3<double> random_velocity(Random& random, const Symmetric3<double>& W,
                                       double friction) {
  const double kind = random.uniform();
  const double size = std::pow(10.0, random.uniform(-3.0, 3.0));
  Vector3<double> c = size * Vector3<double>{random.normal(), random.normal(), random.normal()};
  if (kind < 0.1) return c;
  if (kind < 0.13) return {c.x, c.y, 0.0};
  if (kind < 0.15) return {0.0, 0.0, c.z};
  if (kind < 0.6) return {c.x, c.y, -std::abs(c.z)};
  const double angle = random.uniform(0.0, 6.283185307179586);
  const double away = std::pow(10.0, random.uniform(-12.0, 1.0));
  const double n = size * random.uniform(0.1, 1.0);
  const double t = friction * n * (random.uniform() < 0.3 ? 1.0 - std::min(1.0, away) : 1.0 + away);
  return -(W * Vector3<double>{t * std::cos(angle), t * std::sin(angle), n});
}

}  // namespace one_contact_detail

inline OneContactProblem random_one_contact(std::uint64_t seed) {
  using namespace one_contact_detail;
  Random random(seed);
  OneContactProblem p;
  p.seed = seed;
  const double exponent = random.uniform(0.0, 12.0);
  p.condition = std::pow(10.0, exponent);
  p.largest = std::pow(10.0, random.uniform(-3.0, 3.0));
  double eigenvalues[3] = {p.largest, p.largest / p.condition,
                           p.largest / std::pow(10.0, random.uniform(0.0, exponent))};
  std::swap(eigenvalues[0], eigenvalues[random.index(3)]);
  std::swap(eigenvalues[1], eigenvalues[random.index(3)]);
  p.W = random_matrix(random, eigenvalues);
  p.friction = random_friction(random, p.W);
  p.c = random_velocity(random, p.W, p.friction);
  return p;
}

}  // namespace stiction::test
