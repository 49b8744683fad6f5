#include "stiction/contact/one_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction {

namespace {

constexpr std::array slip_methods{SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed};

/// Bisection between two unit vectors on (a S u + D d) · direction(u)^⊥, which vanishes at the slip
/// direction of Coulomb (direction u) and of maximum dissipation (direction u + b).
ContactAnswer<double> slip_answer(Law law, const ContactFactor<double>& f, const Vector3<double>& c,
                                  const Vector3<double>& P) {
  const double a = -f.friction * c.z * f.inverse_nn;
  const double bx = f.friction * f.slope_x, by = f.friction * f.slope_y;
  const double dx = c.x - f.slope_x * c.z, dy = c.y - f.slope_y * c.z;
  const auto H = [&](double ux, double uy) {
    const double D = 1.0 + bx * ux + by * uy;
    const double gx = a * (f.schur.xx * ux + f.schur.xy * uy) + D * dx;
    const double gy = a * (f.schur.xy * ux + f.schur.yy * uy) + D * dy;
    const double qx = law == Law::coulomb ? ux : ux + bx;
    const double qy = law == Law::coulomb ? uy : uy + by;
    return -gx * qy + gy * qx;
  };
  const double p = std::hypot(P.x, P.y), d = std::hypot(dx, dy);
  double lx = P.x / p, ly = P.y / p, hx = -dx / d, hy = -dy / d;
  if (law == Law::max_dissipation) {
    const double half = std::acos(std::clamp(f.friction * P.z / p, -1.0, 1.0));
    const double side = H(lx, ly) > 0.0 ? -1.0 : 1.0;
    hx = lx * std::cos(half) - side * ly * std::sin(half);
    hy = ly * std::cos(half) + side * lx * std::sin(half);
  }
  const double start = H(lx, ly);
  double ux = lx, uy = ly;
  for (int k = 0; k < 80; ++k) {
    const double n = std::hypot(lx + hx, ly + hy);
    ux = (lx + hx) / n, uy = (ly + hy) / n;
    const bool same = H(ux, uy) * start > 0.0 && 1.0 + bx * ux + by * uy > 0.0;
    (same ? lx : hx) = ux;
    (same ? ly : hy) = uy;
  }
  const double r = a / (1.0 + bx * ux + by * uy);
  return {{r * ux, r * uy, r / f.friction}, 2.0};
}

/// Accelerated projected gradient on ½λᵀWλ + cᵀλ.
ContactAnswer<double> convex_answer(const ContactFactor<double>& f, const Vector3<double>& c) {
  const double L = f.W.xx + f.W.yy + f.W.zz;
  Vector3<double> x, y;
  for (int k = 1; k < 3000; ++k) {
    const Vector3<double> g = f.W * y + c;
    Vector3<double> z = y - (1.0 / L) * g;
    const double t = std::hypot(z.x, z.y), mu = f.friction;
    if (t * mu <= -z.z) {
      z = {};
    } else if (t > mu * z.z) {
      const double n = (mu * t + z.z) / (1.0 + mu * mu);
      z = {z.x / t * mu * n, z.y / t * mu * n, n};
    }
    y = z + ((k - 1.0) / (k + 2.0)) * (z - x);
    x = z;
  }
  return {x, 2.0};
}

}  // namespace

template <Scalar S>
ContactFactor<S> factorize_contact(const Symmetric3<S>& W, const S& friction) {
  ContactFactor<S> f;
  f.W = W;
  f.friction = friction;
  const S trace = W.xx + W.yy + W.zz;
  const auto locked = !(W.zz > S(1e-12) * trace);
  f.inverse_nn = select(locked, S(0.0), S(1.0) / select(locked, S(1.0), W.zz));
  f.slope_x = W.xz * f.inverse_nn;
  f.slope_y = W.yz * f.inverse_nn;
  f.schur.xx = fnma(f.slope_x, W.xz, W.xx);
  f.schur.xy = fnma(f.slope_x, W.yz, W.xy);
  f.schur.yy = fnma(f.slope_y, W.yz, W.yy);
  const S det = fnma(f.schur.xy, f.schur.xy, f.schur.xx * f.schur.yy);
  f.schur_inverse = {f.schur.yy / det, -f.schur.xy / det, f.schur.xx / det};
  return f;
}

template ContactFactor<double> factorize_contact(const Symmetric3<double>&, const double&);
template ContactFactor<Lane> factorize_contact(const Symmetric3<Lane>&, const Lane&);

std::string_view to_string(SlipMethod method) {
  switch (method) {
    case SlipMethod::newton:
      return "newton";
    case SlipMethod::quartic:
      return "quartic";
    case SlipMethod::bisection:
      return "bisection";
    case SlipMethod::golden_section:
      return "golden_section";
    case SlipMethod::bisection_printed:
      return "bisection_printed";
  }
  return "?";
}

std::optional<SlipMethod> parse_slip_method(std::string_view word) {
  for (const SlipMethod method : slip_methods) {
    if (to_string(method) == word) return method;
  }
  return std::nullopt;
}

ContactAnswer<double> exact_answer(Law law, const ContactFactor<double>& f,
                                   const Vector3<double>& c, const Vector3<double>&) {
  if (f.inverse_nn == 0.0) return {};
  if (f.friction == 0.0) {
    const double n = std::max(0.0, -c.z * f.inverse_nn);
    return {{0.0, 0.0, n}, n > 0.0 ? 2.0 : 0.0};
  }
  const double dx = c.x - f.slope_x * c.z, dy = c.y - f.slope_y * c.z;
  Vector3<double> P;
  P.x = -(f.schur_inverse.xx * dx + f.schur_inverse.xy * dy);
  P.y = -(f.schur_inverse.xy * dx + f.schur_inverse.yy * dy);
  P.z = -c.z * f.inverse_nn - f.slope_x * P.x - f.slope_y * P.y;
  if (std::hypot(P.x, P.y) <= f.friction * P.z) return {P, 1.0};
  if (law == Law::convex) {
    if (c.z >= f.friction * std::hypot(c.x, c.y)) return {};
    return convex_answer(f, c);
  }
  if (c.z > 0.0) return {};
  return slip_answer(law, f, c, P);
}

}  // namespace stiction
