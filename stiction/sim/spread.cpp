#include "stiction/sim/spread.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// A first step that changes the impulses by no more than this share finds them settled.
constexpr double steady = 1e-5;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Onto what the block's law can give at most.
void project(const Block& block, double* impulse) {
  switch (block.kind) {
    case BlockKind::contact: {
      impulse[2] = std::max(0.0, impulse[2]);
      const double bound = block.friction * impulse[2];
      const double size = std::sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]);
      if (size <= bound) return;
      impulse[0] *= bound / size;
      impulse[1] *= bound / size;
      return;
    }
    case BlockKind::limit:
      impulse[0] = std::max(0.0, impulse[0]);
      return;
    case BlockKind::joint_friction:
      impulse[0] = std::clamp(impulse[0], -block.bound, block.bound);
      return;
    case BlockKind::lock:
      return;
  }
}

}  // namespace

/// Row sums of |G|: with steps of their inverses the gradient cannot overshoot.
void ImpulseSpreading::measure(const ContactProblem& problem) {
  const ContactProblem::ConstDenseMap G = problem.delassus();
  mobility_.assign(index(problem.block_count()), 0.0);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    for (int row = block.row; row < block.row + block.rows; ++row) {
      const double* column = G.data() + row * G.outerStride();
      double sum = 0.0;
      for (int k = 0; k < problem.row_count(); ++k) sum += std::abs(column[k]);
      mobility_[index(i)] = std::max(mobility_[index(i)], sum);
    }
  }
}

void ImpulseSpreading::spread(const ContactProblem& problem, int steps,
                              std::span<double> impulses) {
  if (problem.storage() != DelassusStorage::dense) return;
  measure(problem);
  const double* shifted = problem.shifted_velocity().data();
  velocity_.resize(impulses.size());
  ahead_.assign(impulses.begin(), impulses.end());
  double momentum = 1.0;
  for (int step = 0; step < steps; ++step) {
    problem.multiply(ahead_, velocity_);
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double share = (momentum - 1.0) / next;
    momentum = next;
    last_.assign(impulses.begin(), impulses.end());
    double change = 0.0;
    double largest = 0.0;
    for (int i = 0; i < problem.block_count(); ++i) {
      const Block& block = problem.blocks()[index(i)];
      if (!(mobility_[index(i)] > 0.0)) continue;
      const std::size_t row = index(block.row);
      for (std::size_t k = row; k < row + index(block.rows); ++k) {
        impulses[k] = ahead_[k] - (velocity_[k] + shifted[k]) / mobility_[index(i)];
      }
      project(block, impulses.data() + row);
      for (std::size_t k = row; k < row + index(block.rows); ++k) {
        change = std::max(change, std::abs(impulses[k] - last_[k]));
        largest = std::max(largest, std::abs(impulses[k]));
        ahead_[k] = impulses[k] + share * (impulses[k] - last_[k]);
      }
    }
    if (change > steady * largest) continue;
    // The load is as it was: what the solver reached before is better than this.
    if (step == 0) std::ranges::copy(last_, impulses.begin());
    return;
  }
}

}  // namespace stiction
