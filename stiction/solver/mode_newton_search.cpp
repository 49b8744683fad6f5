/// \file
/// Newton's method on guessed modes with shortened steps. Impulses and velocities both change in
/// proportion to the length of a step, so trying another length costs no more than guessing modes.

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/core/finite.hpp"
#include "stiction/solver/mode_newton.hpp"

namespace stiction {

namespace {

/// The shortest step, and the gain for which a step is taken, relative to its length.
constexpr double shortest_step = 0.01;
constexpr double least_gain = 0.1;

}  // namespace

bool ModeNewton::search(const ContactProblem& problem, const Judge& judge,
                        const VelocityTracker& velocities, double goal,
                        const NewtonSettings& settings, std::span<double> impulses) {
  settings_ = settings;
  open(problem, judge, velocities, impulses);
  steps_ = 0;
  if (!all_finite(std::span(velocity_).first(impulses.size()))) return false;
  for (;; ++steps_) {
    const Point from{impulse_, velocity_};
    guess();
    if (steps_ > 0 && residual_ <= goal) break;
    if (!std::isfinite(merit_) || steps_ >= settings_.steps) return false;
    const double merit = merit_;
    gather();
    solved_guesses_ = guesses_;
    multiply_out();
    if (!eliminate()) return false;
    substitute();
    take();
    shorten_step(from, merit);
  }
  write(impulses);
  return true;
}

/// Goes from the point before towards the one after the step, as far as that makes the merit
/// smaller; if nothing does, where it is least.
void ModeNewton::shorten_step(const Point& from, double merit) {
  const Point to{impulse_, velocity_};
  double least = std::numeric_limits<double>::infinity();
  double best = 1.0;
  const auto go = [&](double share) {
    for (std::size_t i = 0; i < stride_; ++i) {
      impulse_[i] = fma(share, to.impulse[i] - from.impulse[i], from.impulse[i]);
      velocity_[i] = fma(share, to.velocity[i] - from.velocity[i], from.velocity[i]);
    }
  };
  for (double share = 1.0; share > shortest_step; share *= 0.5) {
    go(share);
    guess();
    if (merit_ < least) {
      least = merit_;
      best = share;
    }
    if (merit_ < (1.0 - least_gain * share) * merit) break;
  }
  go(best);
}

}  // namespace stiction
