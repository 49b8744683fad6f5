#include "stiction/solver/active_blocks.hpp"

#include <algorithm>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/dense_delassus.hpp"

namespace stiction {

void ActiveBlocks::choose(const ContactProblem& problem, std::span<const double> impulses,
                          std::span<const double> velocity, double slow) {
  problem_ = &problem;
  acts_.assign(index(problem.block_count()), 1);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (!is_one_sided(block)) continue;
    const std::size_t row = index(normal_row(block));
    acts_[index(i)] = impulses[row] > 0.0 || !(velocity[row] > slow) ? 1 : 0;
  }
  finish_choice();
}

bool ActiveBlocks::add_closing(std::span<const double> velocity) {
  bool added = false;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (acts_[index(i)] != 0 || !is_one_sided(block)) continue;
    if (velocity[index(normal_row(block))] >= 0.0) continue;
    acts_[index(i)] = 1;
    added = true;
  }
  if (added) finish_choice();
  return added;
}

/// A turn acts with the contacts that it belongs to.
void ActiveBlocks::finish_choice() {
  blocks_.clear();
  left_out_rows_ = 0;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (is_turn(block)) {
      const auto first = acts_.begin() + block.contact;
      acts_[index(i)] = std::any_of(first, first + block.contacts, [](char c) { return c != 0; });
    }
    if (acts_[index(i)] != 0) {
      blocks_.push_back(i);
    } else {
      left_out_rows_ += block.rows;
    }
  }
}

const ContactProblem& ActiveBlocks::extract() {
  part_.clear();
  for (const int i : blocks_) {
    Block block = problem_->blocks()[index(i)];
    if (is_turn(block)) {
      const auto first = std::ranges::lower_bound(blocks_, block.contact);
      const auto end = std::ranges::lower_bound(blocks_, block.contact + block.contacts);
      block.contact = static_cast<int>(first - blocks_.begin());
      block.contacts = static_cast<int>(end - first);
    }
    part_.add_block(block);
  }
  part_.use_dense();
  copy_delassus(*problem_, blocks_, part_.edit_delassus());
  Eigen::Index to = 0;
  for (const int i : blocks_) {
    const Block& block = problem_->blocks()[index(i)];
    part_.edit_free_velocity().segment(to, block.rows) =
        problem_->free_velocity().segment(block.row, block.rows);
    part_.edit_target().segment(to, block.rows) = problem_->target().segment(block.row, block.rows);
    to += block.rows;
  }
  part_.prepare();
  return part_;
}

void ActiveBlocks::gather(std::span<const double> whole, std::vector<double>& part) const {
  part.clear();
  for (const int i : blocks_) {
    const Block& block = problem_->blocks()[index(i)];
    const double* from = whole.data() + block.row;
    part.insert(part.end(), from, from + block.rows);
  }
}

void ActiveBlocks::scatter(std::span<const double> part, std::span<double> whole) const {
  std::ranges::fill(whole, 0.0);
  const double* from = part.data();
  for (const int i : blocks_) {
    const Block& block = problem_->blocks()[index(i)];
    std::copy_n(from, block.rows, whole.data() + block.row);
    from += block.rows;
  }
}

}  // namespace stiction
