#include "stiction/solver/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

void forget_absurd_start(const ContactProblem& problem, const Judge& judge,
                         std::span<double> impulses) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  const Scales scales = judge.scales(impulses);
  const double bound = scales.velocity / rounding;
  // Mostly all blocks at once are far below it.
  if (judge.skipped_count() == 0 && !(scales.impulse * problem.largest_trace() > bound)) return;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const double response = problem.diagonal_block(i).trace();
    const double* impulse = impulses.data() + block.row;
    double largest = 0.0;
    for (int row = 0; row < block.rows; ++row) largest = std::max(largest, std::abs(impulse[row]));
    if (!(largest * response > bound)) continue;
    std::ranges::fill(impulses, 0.0);
    return;
  }
}

}  // namespace stiction
