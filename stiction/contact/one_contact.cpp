#include "stiction/contact/one_contact.hpp"

#include <array>

#include "stiction/contact/laws.hpp"
#include "stiction/contact/slip_problem.hpp"

namespace stiction {

namespace {

constexpr std::array slip_methods{SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed};

/// Below this share of the mean eigenvalue of W a stiffness counts as zero. It is also what a
/// singular S is lifted to, so no W with a condition below 1e12 is changed, and none by more than
/// 1e-12 of its norm.
constexpr double singular = 1e-12;

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
  f.major = maximum(principal.major, f.minor);
  f.inverse_major = inverse_or_zero(f.major);
  f.inverse_minor = inverse_or_zero(f.minor);
  f.slope = turn(slope, f.axis.x, -f.axis.y);
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

ContactAnswer<double> exact_answer(Law law, const ContactFactor<double>& factor,
                                   const Vector3<double>& c, const Vector3<double>& near) {
  switch (law) {
    case Law::coulomb:
      return CoulombLaw::project(factor, c, near);
    case Law::max_dissipation:
      return MaxDissipationLaw::project(factor, c, near);
    case Law::convex:
      return ConvexLaw::project(factor, c, near);
  }
  return {};
}

}  // namespace stiction
