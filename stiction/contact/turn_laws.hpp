#pragma once

/// \file
/// Torsional and rolling friction: an impulse in a disc whose radius follows the normal impulse of
/// a contact, or of several points that turn alike. It opposes the angular velocity w at the edge,
/// and w = 0 inside. The same under every law of contact.

#include <algorithm>
#include <cmath>
#include <span>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// The impulse or velocity of a turn; the second number of a spin is zero.
struct TurnPair {
  double x = 0.0;
  double y = 0.0;
  [[nodiscard]] double size() const { return std::sqrt(x * x + y * y); }
};

/// The `rows` numbers of a turn.
[[nodiscard]] inline TurnPair read_turn(const Block& turn, const double* numbers) {
  return {numbers[0], turn.rows > 1 ? numbers[1] : 0.0};
}

/// Largest impulse that a turn may have at these impulses (all rows).
[[nodiscard]] inline double turn_bound(const ContactProblem& problem, const Block& turn,
                                       std::span<const double> impulses) {
  double pressed = 0.0;
  for (int i = turn.contact; i < turn.contact + turn.contacts; ++i) {
    pressed += std::max(0.0, impulses[index(normal_row(problem.blocks()[index(i)]))]);
  }
  return turn.friction * pressed;
}

/// The impulse, shortened to the bound if it is longer.
[[nodiscard]] inline TurnPair shorten(const TurnPair& impulse, double bound) {
  const double size = impulse.size();
  if (!(size > bound)) return impulse;
  const double scale = bound / size;
  return {scale * impulse.x, scale * impulse.y};
}

/// Shortens all turns to what the normal impulses of their contacts allow.
inline void clip_turns(const ContactProblem& problem, std::span<double> impulses) {
  for (const Block& block : problem.blocks()) {
    if (!is_turn(block)) continue;
    double* impulse = impulses.data() + block.row;
    const TurnPair inside =
        shorten(read_turn(block, impulse), turn_bound(problem, block, impulses));
    impulse[0] = inside.x;
    if (block.rows > 1) impulse[1] = inside.y;
  }
}

/// What the law requires of a turn alone: λ with |λ| ≤ bound, w = G λ + c, λ against w at the
/// bound. `G` is the diagonal block, `c` the velocity without its impulse.
[[nodiscard]] TurnPair turn_answer(const Block& turn, const ContactProblem::Matrix6& G,
                                   const TurnPair& c, double bound);

}  // namespace stiction
