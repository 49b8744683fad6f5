#pragma once

/// \file
/// The one-contact solvers as functors, each of its own type, so that sweeps can inline them.

#include "stiction/contact/convex_contact.hpp"
#include "stiction/contact/one_contact.hpp"
#include "stiction/contact/slip_bisection.hpp"
#include "stiction/contact/slip_bisection_printed.hpp"
#include "stiction/contact/slip_golden_section.hpp"
#include "stiction/contact/slip_newton.hpp"
#include "stiction/contact/slip_quartic.hpp"

namespace stiction {

namespace one_contact_detail {

/// From |c| ≈ 1e75 on, fourth powers overflow: then the impulse without friction is returned, which
/// the certificate rejects.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> finite_or_normal(const Vector3<S>& impulse,
                                                          const S& normal) {
  const auto finite =
      abs(impulse.x) + abs(impulse.y) + impulse.z <= S(std::numeric_limits<double>::max());
  return select(finite, impulse, Vector3<S>{S(0.0), S(0.0), maximum(normal, S(0.0))});
}

/// Makes every zero positive: its sign depends on how the compiler fuses negations, and lanes and
/// doubles must give the same bits.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> plain_zeros(const Vector3<S>& v) {
  return {v.x + S(0.0), v.y + S(0.0), v.z + S(0.0)};
}

}  // namespace one_contact_detail

/// Opening, sticking or slipping, the last by `Slip` (a functor of slip_*.hpp).
template <class Slip>
struct OneContactSolver {
  Slip slip;

  /// The answer for the velocity c without this contact's impulse. `warm` is the impulse so far:
  /// Newton starts from it, so it selects the branch where Coulomb's law has several.
  template <Scalar S>
  [[gnu::always_inline]] ContactAnswer<S> operator()(const ContactFactor<S>& factor,
                                                     const Vector3<S>& c,
                                                     const Vector3<S>& warm) const {
    SlipProblem<S> problem = reduce(factor, c);
    const auto closing = c.z <= S(0.0) && factor.inverse_nn > S(0.0);
    const auto hardly_moves = closing && factor.rounding > S(0.0) && warm.z > S(0.0);
    if (any(hardly_moves)) {
      drop_rounding(factor, hardly_moves, problem);
      problem.stop = select(hardly_moves, stop_near(factor, problem, to_principal(factor, warm)),
                            problem.stop);
    }
    const auto sticking = closing && FrictionCone<S>{factor.friction}.contains(problem.stop);
    const auto slipping = closing && !sticking;
    ContactAnswer<S> answer;
    answer.impulse = select(sticking, problem.stop, Vector3<S>{});
    answer.mode = select(sticking, S(1.0), S(0.0));
    if (any(slipping)) {
      const Vector3<S> start = to_principal(factor, warm);
      const Vector3<S> edge =
          one_contact_detail::finite_or_normal(slip(problem, start, slipping), problem.normal);
      answer.impulse = select(slipping, edge, answer.impulse);
      answer.mode = select(slipping, S(2.0), answer.mode);
    }
    answer.impulse = one_contact_detail::plain_zeros(from_principal(factor, answer.impulse));
    return answer;
  }
};

/// One contact under the convex law.
struct ConvexContactSolver {
  template <Scalar S>
  [[gnu::always_inline]] ContactAnswer<S> operator()(const ContactFactor<S>& factor,
                                                     const Vector3<S>& c,
                                                     const Vector3<S>& warm) const {
    const SlipProblem<S> problem = reduce(factor, c);
    const FrictionCone<S> cone{factor.friction};
    const auto touching = !cone.dual_contains(c) && factor.inverse_nn > S(0.0);
    const auto sticking = touching && cone.contains(problem.stop);
    const auto slipping = touching && !sticking;
    ContactAnswer<S> answer;
    answer.impulse = select(sticking, from_principal(factor, problem.stop), Vector3<S>{});
    answer.mode = select(sticking, S(1.0), S(0.0));
    if (any(slipping)) {
      const Vector3<S> edge = one_contact_detail::finite_or_normal(
          convex_edge(factor, c, warm, slipping), problem.normal);
      answer.impulse = select(slipping, edge, answer.impulse);
      answer.mode = select(slipping, S(2.0), answer.mode);
    }
    answer.impulse = one_contact_detail::plain_zeros(answer.impulse);
    return answer;
  }
};

/// One contact under a law that has no solver for sweeps of its own: its exact answer, lane by
/// lane.
struct ExactContactSolver {
  Law law = Law::coulomb;

  ContactAnswer<double> operator()(const ContactFactor<double>& factor, const Vector3<double>& c,
                                   const Vector3<double>& warm) const {
    return exact_answer(law, factor, c, warm);
  }
  ContactAnswer<Lane> operator()(const ContactFactor<Lane>& factor, const Vector3<Lane>& c,
                                 const Vector3<Lane>& warm) const {
    ContactAnswer<Lane> result;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      const auto at = [slot](const Lane& x) { return lane_value(x, slot); };
      const Symmetric3<Lane>& W = factor.W;
      const ContactFactor<double> one = factorize_contact<double>(
          {at(W.xx), at(W.xy), at(W.xz), at(W.yy), at(W.yz), at(W.zz)}, at(factor.friction));
      const ContactAnswer<double> answer =
          (*this)(one, {at(c.x), at(c.y), at(c.z)}, {at(warm.x), at(warm.y), at(warm.z)});
      set_lane(result.impulse.x, slot, answer.impulse.x);
      set_lane(result.impulse.y, slot, answer.impulse.y);
      set_lane(result.impulse.z, slot, answer.impulse.z);
      set_lane(result.mode, slot, answer.mode);
    }
    return result;
  }
};

namespace one_contact_detail {

template <class Visit>
void visit_printed(const OneContactOptions& options, const Visit& visit) {
  const auto with = [&]<PrintedGradient gradient>() {
    visit(SlipBisectionPrinted<gradient>{options.tolerance, options.beta1, options.beta2,
                                         options.beta3});
  };
  switch (options.gradient) {
    case PrintedGradient::hybrid:
      return with.template operator()<PrintedGradient::hybrid>();
    case PrintedGradient::full:
      return with.template operator()<PrintedGradient::full>();
    case PrintedGradient::polar:
      return with.template operator()<PrintedGradient::polar>();
  }
}

}  // namespace one_contact_detail

/// Calls `visitor(solve)` with the functor of a law and method; `solve(factor, c, warm)` returns a
/// ContactAnswer. Returns false and calls nothing if supports() is false.
template <class Visitor>
bool visit_one_contact_solver(Law law, const OneContactOptions& options, Visitor&& visitor) {
  if (!supports(law, options.method)) return false;
  const auto visit = [&](auto slip) { visitor(OneContactSolver<decltype(slip)>{slip}); };
  const auto both = [&]<template <Law> class Slip>() {
    if (law == Law::coulomb) {
      visit(Slip<Law::coulomb>{options.tolerance});
    } else {
      visit(Slip<Law::max_dissipation>{options.tolerance});
    }
  };
  if (law == Law::convex) {
    visitor(ConvexContactSolver{});
    return true;
  }
  if (law != Law::coulomb && law != Law::max_dissipation) {
    visitor(ExactContactSolver{law});
    return true;
  }
  switch (options.method) {
    case SlipMethod::newton:
      both.template operator()<SlipNewton>();
      return true;
    case SlipMethod::quartic:
      both.template operator()<SlipQuartic>();
      return true;
    case SlipMethod::golden_section:
      visit(SlipGoldenSection{options.tolerance});
      return true;
    case SlipMethod::bisection_printed:
      one_contact_detail::visit_printed(options, visit);
      return true;
    case SlipMethod::bisection:
      both.template operator()<SlipBisection>();
      return true;
  }
  return false;
}

}  // namespace stiction
