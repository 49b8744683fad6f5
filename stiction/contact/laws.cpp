#include "stiction/contact/laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "stiction/contact/one_contact_solvers.hpp"

namespace stiction {

namespace {

using Vector = Vector3<double>;
using Factor = ContactFactor<double>;

ContactMode mode_of(bool open, bool inside) {
  if (open) return ContactMode::open;
  return inside ? ContactMode::stick : ContactMode::slip;
}

/// The slip answer on the branch of `near`, by Newton's method without a bracket, started at the
/// direction of `near`. Also covers c_n > 0, beyond the asymptote: with a' = |a|, A = a'S and
/// x = a't, |p| + b·p = ±det(A + x).
std::optional<Vector> slip_on_branch(SlipProblem<double> p, const Vector& near) {
  const double side = p.a < 0.0 ? -1.0 : 1.0;
  const Vector2<double> u = unit(Vector2<double>{near.x, near.y});
  const double D = side * p.focal(u);
  p.a = std::abs(p.a);
  if (!(p.a > 0.0) || !(D > 0.0)) return std::nullopt;
  const CoulombSecular<double> f(p);
  double x = std::max(0.0, -(D * dot(p.d, u) + p.a * dot(u, p.mobility(u))));
  for (int k = 0; k < 30; ++k) {
    const Vector2<double> q = f.direction(x);
    const double m = std::sqrt(dot(q, q));
    const double gap = m + dot(f.b, q) - side * f.norm(x);
    const double slope = -dot(q, f.d) / m - dot(f.b, f.d) - side * f.slope(x);
    const double step = gap / slope;
    x -= step;
    if (!(x >= 0.0)) return std::nullopt;
    if (std::abs(step) > 1e-15 * (x + f.norm(x) / f.slope(x))) continue;
    const double size = p.a / f.norm(x);
    return Vector{size * q.x, size * q.y, size * m / p.friction};
  }
  return std::nullopt;
}

double distance(const Vector& a, const Vector& b) { return norm(a - b); }

}  // namespace

ContactMode CoulombLaw::classify(const Factor& factor, const Vector& c) {
  const bool open = c.z > 0.0 || factor.inverse_nn == 0.0;
  return mode_of(open, FrictionCone<double>{factor.friction}.contains(reduce(factor, c).stop));
}

ContactAnswer<double> CoulombLaw::project(const Factor& factor, const Vector& c,
                                          const Vector& near) {
  const OneContactSolver<SlipNewton<Law::coulomb>> solve{{exact_tolerance}};
  ContactAnswer<double> best = solve(factor, c, near);
  double least = distance(best.impulse, near);
  const bool close = least <= 1e-6 * norm(near);
  if (close || !(near.z > 0.0) || factor.inverse_nn == 0.0 || !may_have_several(factor)) {
    return best;
  }
  const auto consider = [&](const Vector& impulse, double mode) {
    if (const double away = distance(impulse, near); away < least) {
      best = {impulse, mode};
      least = away;
    }
  };
  const SlipProblem<double> problem = reduce(factor, c);
  if (FrictionCone<double>{factor.friction}.contains(problem.stop)) {
    consider(from_principal(factor, problem.stop), 1.0);
  }
  if (const auto slip = slip_on_branch(problem, to_principal(factor, near))) {
    consider(from_principal(factor, *slip), 2.0);
  }
  return best;
}

double CoulombLaw::measure(const Factor& factor, const Vector& c, const Vector& impulse) {
  return distance(impulse, project(factor, c, impulse).impulse);
}

ContactMode MaxDissipationLaw::classify(const Factor& factor, const Vector& c) {
  return CoulombLaw::classify(factor, c);
}

ContactAnswer<double> MaxDissipationLaw::project(const Factor& factor, const Vector& c,
                                                 const Vector& near) {
  const OneContactSolver<SlipNewton<Law::max_dissipation>> solve{{exact_tolerance}};
  return solve(factor, c, near);
}

double MaxDissipationLaw::measure(const Factor& factor, const Vector& c, const Vector& impulse) {
  return distance(impulse, project(factor, c, impulse).impulse);
}

ContactMode ConvexLaw::classify(const Factor& factor, const Vector& c) {
  const FrictionCone<double> cone{factor.friction};
  const bool open = cone.dual_contains(c) || factor.inverse_nn == 0.0;
  return mode_of(open, cone.contains(reduce(factor, c).stop));
}

ContactAnswer<double> ConvexLaw::project(const Factor& factor, const Vector& c,
                                         const Vector& near) {
  return ConvexContactSolver{}(factor, c, near);
}

double ConvexLaw::measure(const Factor& factor, const Vector& c, const Vector& impulse) {
  return distance(impulse, project(factor, c, impulse).impulse);
}

// ---- the table ---------------------------------------------------------------------------------

namespace {

template <class L>
constexpr LawFunctions row() {
  return {L::law, L::project};
}

/// In the order of the enum.
constexpr std::array functions{row<CoulombLaw>(), row<MaxDissipationLaw>(), row<ConvexLaw>()};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].law != law_table[i].law) return false;
  }
  return functions.size() == law_table.size();
}
static_assert(is_in_order(), "every row of law_table has its functions, in the same order");

}  // namespace

const LawFunctions& functions_of(Law law) { return functions[static_cast<std::size_t>(law)]; }

}  // namespace stiction
