#include "stiction/sim/position_push.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// Sweeps end where none changes a velocity by more than this share of the largest lack.
constexpr double settled = 0.01;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::span<double> PositionPush::start(int blocks) {
  lack_.assign(index(blocks), 0.0);
  return lack_;
}

std::span<const double> PositionPush::push(const ContactProblem& problem, int sweeps) {
  impulses_.assign(index(problem.row_count()), 0.0);
  velocities_.start(problem, impulses_);
  const double enough = settled * *std::ranges::max_element(lack_);
  for (int k = 0; k < sweeps; ++k) {
    const double change = problem.storage() == DelassusStorage::dense
                              ? sweep<DelassusStorage::dense>(problem)
                              : sweep<DelassusStorage::bodies>(problem);
    if (change <= enough) break;
  }
  return impulses_;
}

template <DelassusStorage storage>
double PositionPush::sweep(const ContactProblem& problem) {
  double largest = 0.0;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    switch (block.kind) {
      case BlockKind::contact:
      case BlockKind::limit:
        largest = std::max(largest, update<storage>(problem, i, block.rows - 1, true));
        break;
      case BlockKind::lock:
        for (int row = 0; row < block.rows; ++row) {
          largest = std::max(largest, update<storage>(problem, i, row, false));
        }
        break;
      case BlockKind::joint_friction:
        break;
    }
  }
  return largest;
}

template <DelassusStorage storage>
double PositionPush::update(const ContactProblem& problem, int i, int row, bool one_sided) {
  const int all = problem.blocks()[index(i)].row + row;
  const double pushed = velocities_.read_row<storage>(i, row) - problem.shifted_velocity()[all];
  double& impulse = impulses_[index(all)];
  const double lack = lack_[index(i)] - pushed;
  if (one_sided && lack <= 0.0 && impulse == 0.0) return 0.0;
  const double mobility = problem.diagonal_block(i)(row, row);
  if (!(mobility > 0.0)) return 0.0;
  const double unbounded = impulse + lack / mobility;
  const double answer = one_sided ? std::max(0.0, unbounded) : unbounded;
  const double change = answer - impulse;
  velocities_.apply_row<storage>(i, row, change);
  impulse = answer;
  return mobility * std::abs(change);
}

}  // namespace stiction
