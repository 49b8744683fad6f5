#include "stiction/contact/one_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/contact/laws.hpp"
#include "stiction/contact/slip_problem.hpp"

namespace stiction {

namespace {

constexpr std::array slip_methods{SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed};

/// An eigenvalue below this fraction of the mean eigenvalue of W counts as zero. A singular S is
/// raised to it, so a W with a condition number below 1e12 is not changed, and no W by more than
/// 1e-12 of its norm.
constexpr double singular = 1e-12;

/// Below this fraction of the mean eigenvalue, rounding errors of c matter along the minor axis of
/// S; and the velocity that counts as zero then, as a fraction of W times the impulse: more than
/// rounding errors of c by large impulses of other contacts, less than the certificate sees.
constexpr double ill_conditioned = 1e-6;
constexpr double negligible = 1e-10;

/// 1/x; 0 where x is not positive.
template <Scalar S>
S inverse_or_zero(const S& x) {
  const auto positive = x > S(0.0);
  return select(positive, S(1.0) / select(positive, x, S(1.0)), S(0.0));
}

}  // namespace

template <Scalar S>
ContactFactor<S> factorize_contact(const Symmetric3<S>& W, const S& friction) {
  ContactFactor<S> f;
  f.W = W;
  f.friction = friction;
  const S least = S(singular / 3.0) * (W.xx + W.yy + W.zz);
  const auto locked = !(W.zz > least);
  f.inverse_nn = select(locked, S(0.0), inverse_or_zero(W.zz));
  const Vector2<S> slope = {W.xz * f.inverse_nn, W.yz * f.inverse_nn};
  const PrincipalAxes<S> principal(fnma(slope.x, W.xz, W.xx), fnma(slope.x, W.yz, W.xy),
                                   fnma(slope.y, W.yz, W.yy));
  f.axis = principal.axis;
  f.minor = maximum(principal.minor, least);
  f.singular = select(principal.minor > least, S(0.0), S(1.0));
  f.major = maximum(principal.major, f.minor);
  f.inverse_major = inverse_or_zero(f.major);
  f.inverse_minor = inverse_or_zero(f.minor);
  f.slope = turn(slope, f.axis.x, -f.axis.y);
  f.rounding = select(f.minor < S(ill_conditioned / singular) * least,
                      S(negligible / singular) * least, S(0.0));
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

namespace {

bool is_moderate(double size) { return size <= moderate_size && size >= 1.0 / moderate_size; }

Vector3<double> scaled(const Vector3<double>& v, int exponent) {
  return {std::ldexp(v.x, exponent), std::ldexp(v.y, exponent), std::ldexp(v.z, exponent)};
}

/// Where a slip answer overflowed, the solver returns an impulse without friction. That is not an
/// answer of the law, so it is replaced by infinity: no impulse is near to it.
ContactAnswer<double> without_fallback(const ContactFactor<double>& factor,
                                       const ContactAnswer<double>& answer) {
  const Vector3<double>& l = answer.impulse;
  const bool fallback = answer.mode == 2.0 && l.x == 0.0 && l.y == 0.0 &&
                        factor.friction * l.z > std::numeric_limits<double>::min();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return fallback ? ContactAnswer<double>{{infinity, infinity, infinity}, 2.0} : answer;
}

/// The answer with c and W scaled to order one by powers of two: v 2ⁱ = c 2ⁱ + W 2ʲ λ 2ⁱ⁻ʲ.
ContactAnswer<double> answer_at_unit_scale(Law law, const ContactFactor<double>& factor,
                                           const Vector3<double>& c, const Vector3<double>& near,
                                           double size, double trace) {
  const int i = size > 0.0 ? -std::ilogb(size) : 0;
  const int j = trace > 0.0 ? -std::ilogb(trace) : 0;
  const Symmetric3<double>& W = factor.W;
  const Symmetric3<double> unit_W = {std::ldexp(W.xx, j), std::ldexp(W.xy, j), std::ldexp(W.xz, j),
                                     std::ldexp(W.yy, j), std::ldexp(W.yz, j), std::ldexp(W.zz, j)};
  const ContactFactor<double> unit = factorize_contact(unit_W, factor.friction);
  ContactAnswer<double> answer =
      without_fallback(unit, functions_of(law).project(unit, scaled(c, i), scaled(near, i - j)));
  answer.impulse = scaled(answer.impulse, j - i);
  return answer;
}

}  // namespace

ContactAnswer<double> exact_answer(Law law, const ContactFactor<double>& factor,
                                   const Vector3<double>& c, const Vector3<double>& near) {
  const double size = std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)});
  const double trace = factor.W.xx + factor.W.yy + factor.W.zz;
  if (is_moderate(size) && is_moderate(trace)) {
    return without_fallback(factor, functions_of(law).project(factor, c, near));
  }
  constexpr double largest = std::numeric_limits<double>::max();
  if (size <= largest && trace <= largest) {
    return answer_at_unit_scale(law, factor, c, near, size, trace);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {{infinity, infinity, infinity}, 0.0};
}

}  // namespace stiction
