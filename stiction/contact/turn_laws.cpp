#include "stiction/contact/turn_laws.hpp"

#include <limits>

namespace stiction {

namespace {

/// Newton's method needs five or six steps; more are never useful.
constexpr int most_steps = 40;

double square(double x) { return x * x; }

/// −c/(G + γ); 0 without a velocity, infinite if nothing resists it.
double respond(double c, double response) {
  if (c == 0.0) return 0.0;
  return response > 0.0 ? -c / response : -std::copysign(1e300, c);
}

/// Axes in which the 2×2 matrix of a roll is diagonal.
struct PrincipalAxes {
  explicit PrincipalAxes(const ContactProblem::Matrix6& G) {
    const double half = 0.5 * (G(0, 0) - G(1, 1));
    const double mean = 0.5 * (G(0, 0) + G(1, 1));
    const double radius = std::sqrt(half * half + G(0, 1) * G(0, 1));
    large = mean + radius;
    small = std::max(0.0, mean - radius);
    if (radius == 0.0) return;
    x = half >= 0.0 ? half + radius : G(0, 1);
    y = half >= 0.0 ? G(0, 1) : radius - half;
    const double size = std::sqrt(x * x + y * y);
    x /= size;
    y /= size;
  }

  [[nodiscard]] TurnPair to_axes(const TurnPair& v) const {
    return {x * v.x + y * v.y, x * v.y - y * v.x};
  }
  [[nodiscard]] TurnPair from_axes(const TurnPair& v) const {
    return {x * v.x - y * v.y, y * v.x + x * v.y};
  }

  double large = 0.0;  ///< response along (x, y)
  double small = 0.0;  ///< across
  double x = 1.0;
  double y = 0.0;
};

/// The impulse of length `bound` that slows the turn down most: (G + γ) λ = −c with the γ > 0 that
/// gives that length. 1/|λ| is nearly linear in γ, so Newton's method on it, from a γ that is too
/// small, converges from one side.
TurnPair slipping_answer(const PrincipalAxes& axes, const TurnPair& c, double bound) {
  double gamma = std::max({0.0, c.size() / bound - axes.large, std::abs(c.x) / bound - axes.large,
                           std::abs(c.y) / bound - axes.small});
  TurnPair answer;
  for (int step = 0; step < most_steps; ++step) {
    answer = {respond(c.x, axes.large + gamma), respond(c.y, axes.small + gamma)};
    const double size = answer.size();
    if (!(size > bound * (1.0 + 4.0 * std::numeric_limits<double>::epsilon()))) break;
    const double slope = (answer.x != 0.0 ? square(answer.x) / (axes.large + gamma) : 0.0) +
                         (answer.y != 0.0 ? square(answer.y) / (axes.small + gamma) : 0.0);
    gamma += (size - bound) / bound * square(size) / slope;
  }
  const double scale = bound / answer.size();
  return {scale * answer.x, scale * answer.y};
}

}  // namespace

TurnPair turn_answer(const Block& turn, const ContactProblem::Matrix6& G, const TurnPair& c,
                     double bound) {
  if (!(bound > 0.0)) return {};
  if (turn.rows == 1) return {std::clamp(respond(c.x, G(0, 0)), -bound, bound), 0.0};
  const PrincipalAxes axes(G);
  const TurnPair own = axes.to_axes(c);
  const TurnPair sticking{respond(own.x, axes.large), respond(own.y, axes.small)};
  if (sticking.size() <= bound) return axes.from_axes(sticking);
  return axes.from_axes(slipping_answer(axes, own, bound));
}

}  // namespace stiction
