#include "stiction/solver/frozen_turns.hpp"

#include "stiction/contact/dense_delassus.hpp"
#include "stiction/contact/turn_laws.hpp"

namespace stiction {

void FrozenTurns::freeze(const ContactProblem& problem, std::span<const double> impulses,
                         double impulse_scale) {
  frozen_.clear();
  rows_.clear();
  for (const Block& block : problem.blocks()) {
    const int first = frozen_.row_count();
    for (int k = 0; k < block.rows; ++k) rows_.push_back(first + k);
    if (block.kind == BlockKind::spin) {
      frozen_.add_joint_friction(turn_bound(problem, block, impulses));
    } else if (block.kind == BlockKind::roll) {
      frozen_.add_contact(1.0);
    } else {
      frozen_.add_block(block);
    }
  }
  frozen_.use_dense();
  impulses_.assign(index(frozen_.row_count()), 0.0);
  delassus_.resize(problem.row_count(), problem.row_count());
  copy_delassus(problem, delassus_);
  ContactProblem::DenseMap G = frozen_.edit_delassus();
  ContactProblem::VectorMap free = frozen_.edit_free_velocity();
  ContactProblem::VectorMap target = frozen_.edit_target();
  for (int i = 0; i < problem.row_count(); ++i) {
    const int to = rows_[index(i)];
    for (int k = 0; k < problem.row_count(); ++k) G(rows_[index(k)], to) = delassus_(k, i);
    free[to] = problem.free_velocity()[i];
    target[to] = problem.target()[i];
    impulses_[index(to)] = impulses[index(i)];
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (block.kind != BlockKind::roll) continue;
    const double bound = turn_bound(problem, block, impulses);
    const double response = 0.5 * problem.diagonal_block(i).trace();
    const double own = response > 0.0 ? response : 1.0;
    const int normal = rows_[index(block.row)] + 2;
    G(normal, normal) = own;
    free[normal] = own * (bound > 0.0 ? -bound : impulse_scale);
    impulses_[index(normal)] = bound;
  }
  frozen_.prepare();
}

void FrozenTurns::thaw(const ContactProblem& problem, std::span<double> impulses) const {
  for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i] = impulses_[index(rows_[i])];
  clip_turns(problem, impulses);
}

}  // namespace stiction
