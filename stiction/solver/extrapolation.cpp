#include "stiction/solver/extrapolation.hpp"

#include <algorithm>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/turn_laws.hpp"

namespace stiction {

namespace {

/// Rates at which extrapolation helps: below, the sweeps are fast enough; above, the limit is too
/// uncertain.
constexpr double least_rate = 0.05;
constexpr double largest_rate = 0.97;
/// The square of the largest fraction of a step that may point in another direction.
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
  if (problem_->has_turns()) clip_turns(*problem_, impulses);
  std::ranges::copy(impulses, before_.begin());
  steps_ = 0;
  return true;
}

/// Remaining distance as a multiple of the last step; 0 if the last two steps do not agree.
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
  double moved[max_block_rows];
  for (int k = 0; k < block.rows; ++k) moved[k] = impulse[k] + length * step[k];
  // Contacts neither open nor close by extrapolation.
  if (has_cone(block) && (!(moved[2] > 0.0) || impulse[2] == 0.0)) return;
  clip(block, moved);
  std::copy_n(moved, block.rows, impulse);
}

}  // namespace stiction
