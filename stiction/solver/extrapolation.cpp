#include "stiction/solver/extrapolation.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Rates between which it pays: below, the sweeps are quick enough; above, the limit is a guess.
constexpr double least_rate = 0.05;
constexpr double largest_rate = 0.97;
/// The largest part of a step that may point elsewhere, squared.
constexpr double largest_deviation = 0.15;

}  // namespace

void SweepExtrapolation::start(const ContactProblem& problem, std::span<const double> impulses) {
  problem_ = &problem;
  before_.assign(impulses.begin(), impulses.end());
  step_.resize(before_.size());
  last_step_.resize(before_.size());
  steps_ = 0;
}

bool SweepExtrapolation::advance(std::span<double> impulses) {
  step_.swap(last_step_);
  for (std::size_t k = 0; k < before_.size(); ++k) {
    step_[k] = impulses[k] - before_[k];
    before_[k] = impulses[k];
  }
  if (++steps_ < 2) return false;
  const double length = factor();
  if (length == 0.0) return false;
  for (const Block& block : problem_->blocks()) {
    move_block(block, length, impulses.data() + block.row, step_.data() + block.row);
  }
  std::ranges::copy(impulses, before_.begin());
  steps_ = 0;
  return true;
}

/// Steps still to go, in multiples of the last one; 0 if the last two do not agree.
double SweepExtrapolation::factor() const {
  double old = 0.0;
  double both = 0.0;
  double now = 0.0;
  for (std::size_t k = 0; k < step_.size(); ++k) {
    old += last_step_[k] * last_step_[k];
    both += last_step_[k] * step_[k];
    now += step_[k] * step_[k];
  }
  if (!(old > 0.0) || !(now > 0.0)) return 0.0;
  const double rate = both / old;
  if (!(rate > least_rate) || rate > largest_rate) return 0.0;
  if (now - rate * both > largest_deviation * now) return 0.0;
  return rate / (1.0 - rate);
}

void SweepExtrapolation::move_block(const Block& block, double length, double* impulse,
                                    const double* step) const {
  switch (block.kind) {
    case BlockKind::contact: {
      const double normal = impulse[2] + length * step[2];
      if (!(normal > 0.0) || impulse[2] == 0.0) return;
      const double x = impulse[0] + length * step[0];
      const double y = impulse[1] + length * step[1];
      const double size = std::sqrt(x * x + y * y);
      const double bound = block.friction * normal;
      const double scale = size > bound ? bound / size : 1.0;
      impulse[0] = scale * x;
      impulse[1] = scale * y;
      impulse[2] = normal;
      return;
    }
    case BlockKind::limit:
      impulse[0] = std::max(0.0, impulse[0] + length * step[0]);
      return;
    case BlockKind::joint_friction:
      impulse[0] = std::clamp(impulse[0] + length * step[0], -block.bound, block.bound);
      return;
    case BlockKind::lock:
      for (int k = 0; k < block.rows; ++k) impulse[k] += length * step[k];
      return;
  }
}

}  // namespace stiction
