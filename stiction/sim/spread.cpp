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
  inertia_.resize(index(problem.row_count()));
  for (const Block& block : problem.blocks()) {
    double mobility = 0.0;
    for (int row = block.row; row < block.row + block.rows; ++row) {
      // Columns end in zeros up to a multiple of four.
      const double* column = G.data() + row * G.outerStride();
      double sums[4] = {0.0, 0.0, 0.0, 0.0};
      for (int k = 0; k < G.outerStride(); k += 4) {
        for (int lane = 0; lane < 4; ++lane) sums[lane] += std::abs(column[k + lane]);
      }
      mobility = std::max(mobility, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
    std::fill_n(inertia_.begin() + block.row, block.rows, mobility > 0.0 ? 1.0 / mobility : 0.0);
  }
}

/// One step down the gradient from `ahead_`, and back to what the laws can give.
void ImpulseSpreading::descend(const ContactProblem& problem, std::span<double> impulses) {
  problem.multiply(ahead_, velocity_);
  const double* shifted = problem.shifted_velocity().data();
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    impulses[k] = ahead_[k] - inertia_[k] * (velocity_[k] + shifted[k]);
  }
  for (const Block& block : problem.blocks()) project(block, impulses.data() + block.row);
}

void ImpulseSpreading::spread(const ContactProblem& problem, int steps,
                              std::span<double> impulses) {
  if (problem.storage() != DelassusStorage::dense) return;
  measure(problem);
  velocity_.resize(impulses.size());
  ahead_.assign(impulses.begin(), impulses.end());
  double momentum = 1.0;
  for (int step = 0; step < steps; ++step) {
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double share = (momentum - 1.0) / next;
    momentum = next;
    last_.assign(impulses.begin(), impulses.end());
    descend(problem, impulses);
    double change = 0.0;
    double largest = 0.0;
    for (std::size_t k = 0; k < impulses.size(); ++k) {
      const double moved = impulses[k] - last_[k];
      change = std::max(change, std::abs(moved));
      largest = std::max(largest, std::abs(impulses[k]));
      ahead_[k] = impulses[k] + share * moved;
    }
    if (change > steady * largest) continue;
    // The load is as it was: what the solver reached before is better than this.
    if (step == 0) std::ranges::copy(last_, impulses.begin());
    return;
  }
}

}  // namespace stiction
