#include "stiction/rigid/load_spreading.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/turn_laws.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// A first step that changes the impulses by no more than this fraction finds them settled.
constexpr double steady = 1e-5;

double largest_of(const Lane& lane) {
  double values[lane_width];
  lane.store_unaligned(values);
  return *std::max_element(values, values + lane_width);
}

/// Of `count` numbers, a multiple of four.
double sum_of_magnitudes(const double* numbers, std::size_t count) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  if constexpr (lane_width == 4) {
    Lane lane(0.0);
    for (std::size_t k = 0; k < count; k += 4) lane += abs(Lane::load_unaligned(numbers + k));
    lane.store_unaligned(sums);
  } else {
    for (std::size_t k = 0; k < count; ++k) sums[k % 4] += std::abs(numbers[k]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Where the last step led, with momentum; whether it led as good as nowhere.
bool look_ahead(double momentum_weight, std::span<const double> last,
                std::span<const double> impulses, std::span<double> ahead) {
  const auto larger = [](const Lane& a, const Lane& b) { return select(a > b, a, b); };
  Lane changes(0.0);
  Lane sizes(0.0);
  const std::size_t whole = impulses.size() / lane_width * lane_width;
  for (std::size_t k = 0; k < whole; k += lane_width) {
    const Lane impulse = Lane::load_unaligned(impulses.data() + k);
    const Lane moved = impulse - Lane::load_unaligned(last.data() + k);
    changes = larger(abs(moved), changes);
    sizes = larger(abs(impulse), sizes);
    (impulse + Lane(momentum_weight) * moved).store_unaligned(ahead.data() + k);
  }
  double change = largest_of(changes);
  double size = largest_of(sizes);
  for (std::size_t k = whole; k < impulses.size(); ++k) {
    const double moved = impulses[k] - last[k];
    change = std::max(change, std::abs(moved));
    size = std::max(size, std::abs(impulses[k]));
    ahead[k] = impulses[k] + momentum_weight * moved;
  }
  return !(change > steady * size);
}

}  // namespace

/// Row sums of |G|: with steps of their inverses the gradient cannot overshoot.
void LoadSpreading::measure(const ContactProblem& problem) {
  const ContactProblem::ConstDenseMap G = problem.delassus();
  // Columns end in zeros up to a multiple of four.
  const std::size_t stride = static_cast<std::size_t>(G.outerStride());
  inertia_.resize(index(problem.row_count()));
  for (const Block& block : problem.blocks()) {
    double mobility = 0.0;
    for (int row = block.row; row < block.row + block.rows; ++row) {
      mobility = std::max(mobility, sum_of_magnitudes(G.data() + index(row) * stride, stride));
    }
    std::fill_n(inertia_.begin() + block.row, block.rows, mobility > 0.0 ? 1.0 / mobility : 0.0);
  }
}

/// One step down the gradient from `ahead_`, and back to what the laws can give; `last_` is before.
void LoadSpreading::descend(const ContactProblem& problem, std::span<double> impulses) {
  problem.multiply(ahead_, velocity_);
  const double* shifted = problem.shifted_velocity().data();
  const std::size_t whole = impulses.size() / lane_width * lane_width;
  for (std::size_t k = 0; k < whole; k += lane_width) {
    const auto read = [k](const double* from) { return Lane::load_unaligned(from + k); };
    read(impulses.data()).store_unaligned(last_.data() + k);
    const Lane step = read(inertia_.data()) * (read(velocity_.data()) + read(shifted));
    (read(ahead_.data()) - step).store_unaligned(impulses.data() + k);
  }
  for (std::size_t k = whole; k < impulses.size(); ++k) {
    last_[k] = impulses[k];
    impulses[k] = ahead_[k] - inertia_[k] * (velocity_[k] + shifted[k]);
  }
  for (const Block& block : problem.blocks()) clip(block, impulses.data() + block.row);
  if (problem.has_turns()) clip_turns(problem, impulses);
}

void LoadSpreading::spread(const ContactProblem& problem, int steps, std::span<double> impulses) {
  if (problem.storage() != DelassusStorage::dense) return;
  measure(problem);
  velocity_.resize(impulses.size());
  last_.resize(impulses.size());
  ahead_.assign(impulses.begin(), impulses.end());
  double momentum = 1.0;
  for (int step = 0; step < steps; ++step) {
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double momentum_weight = (momentum - 1.0) / next;
    momentum = next;
    descend(problem, impulses);
    if (!look_ahead(momentum_weight, last_, impulses, ahead_)) continue;
    // The load is as it was: what the solver reached before is better than this.
    if (step == 0) std::ranges::copy(last_, impulses.begin());
    return;
  }
}

}  // namespace stiction
