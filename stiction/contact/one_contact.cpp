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

/// Lifts the smaller eigenvalue to `least`.
template <Scalar S>
Symmetric2<S> regularise(const Symmetric2<S>& m, const S& least) {
  const S half = S(0.5) * (m.xx + m.yy);
  const S difference = S(0.5) * (m.xx - m.yy);
  const S larger = half + sqrt(fma(difference, difference, m.xy * m.xy));
  const S determinant = difference_of_products(m.xx, m.yy, m.xy, m.xy);
  const S smaller = determinant / select(larger > S(0.0), larger, S(1.0));
  const S lift = maximum(least - smaller, S(0.0));
  return {m.xx + lift, m.xy, m.yy + lift};
}

}  // namespace

template <Scalar S>
ContactFactor<S> factorize_contact(const Symmetric3<S>& W, const S& friction) {
  ContactFactor<S> f;
  f.W = W;
  f.friction = friction;
  const S least = S(singular / 3.0) * (W.xx + W.yy + W.zz);
  const auto locked = !(W.zz > least);
  f.inverse_nn = select(locked, S(0.0), S(1.0) / select(locked, S(1.0), W.zz));
  f.slope_x = W.xz * f.inverse_nn;
  f.slope_y = W.yz * f.inverse_nn;
  f.schur = regularise(
      {fnma(f.slope_x, W.xz, W.xx), fnma(f.slope_x, W.yz, W.xy), fnma(f.slope_y, W.yz, W.yy)},
      least);
  const Symmetric2<S>& m = f.schur;
  const S determinant = difference_of_products(m.xx, m.yy, m.xy, m.xy);
  const auto regular = determinant > S(0.0);
  const S inverse = select(regular, S(1.0) / select(regular, determinant, S(1.0)), S(0.0));
  f.schur_inverse = {inverse * m.yy, -(inverse * m.xy), inverse * m.xx};
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
