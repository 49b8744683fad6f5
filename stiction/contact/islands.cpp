#include "stiction/contact/islands.hpp"

#include <algorithm>
#include <numeric>

#include "stiction/contact/dense_delassus.hpp"

namespace stiction {

int Islands::root(int block) {
  while (parent_[index(block)] != block) {
    parent_[index(block)] = parent_[index(parent_[index(block)])];
    block = parent_[index(block)];
  }
  return block;
}

void Islands::join(int a, int b) {
  a = root(a);
  b = root(b);
  // The smaller index stays the root, so that islands are ordered by their first block.
  if (a < b) {
    parent_[index(b)] = a;
  } else {
    parent_[index(a)] = b;
  }
}

void Islands::find(const ContactProblem& problem) {
  problem_ = &problem;
  const int count = problem.block_count();
  parent_.resize(index(count));
  std::iota(parent_.begin(), parent_.end(), 0);
  if (problem.storage() == DelassusStorage::dense) {
    join_neighbours();
  } else {
    join_by_bodies();
  }
  for (int block = 0; block < count && problem.has_turns(); ++block) {
    const Block& turn = problem.blocks()[index(block)];
    if (turn.contact < 0) continue;
    for (int i = turn.contact; i < turn.contact + turn.contacts; ++i) join(block, i);
  }
  island_of_.assign(index(count), -1);
  first_.assign(1, 0);
  for (int block = 0; block < count; ++block) {
    const int top = root(block);
    if (top == block) {
      island_of_[index(block)] = static_cast<int>(first_.size()) - 1;
      first_.push_back(0);
    }
    island_of_[index(block)] = island_of_[index(top)];
    ++first_[index(island_of_[index(block)]) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  blocks_.resize(index(count));
  parent_.assign(first_.begin(), first_.end());  // from here on: where each island goes on
  for (int block = 0; block < count; ++block) {
    blocks_[index(parent_[index(island_of_[index(block)])]++)] = block;
  }
}

void Islands::join_neighbours() {
  for (int block = 0; block < problem_->block_count(); ++block) {
    for (const int neighbour : problem_->neighbours(block)) join(block, neighbour);
  }
}

void Islands::join_by_bodies() {
  body_block_.assign(index(problem_->body_count()), -1);
  for (int block = 0; block < problem_->block_count(); ++block) {
    for (const ContactProblem::Coupling& coupling : problem_->couplings(block)) {
      if (coupling.body < 0 || problem_->inverse_mass(coupling.body).isZero(0.0)) continue;
      int& first = body_block_[index(coupling.body)];
      if (first < 0) first = block;
      join(first, block);
    }
  }
}

std::span<const int> Islands::blocks(int island) const {
  const int first = first_[index(island)];
  return {blocks_.data() + first, index(first_[index(island) + 1]) - index(first)};
}

int Islands::row_count(int island) const {
  int rows = 0;
  for (const int block : blocks(island)) rows += problem_->blocks()[index(block)].rows;
  return rows;
}

void Islands::extract(int island, ContactProblem& part) const {
  part.clear();
  const std::span<const int> chosen = blocks(island);
  for (const int i : chosen) {
    Block block = problem_->blocks()[index(i)];
    if (block.contact >= 0) {
      const auto place = std::ranges::lower_bound(chosen, block.contact);
      block.contact = static_cast<int>(place - chosen.begin());
    }
    part.add_block(block);
  }
  part.use_dense();
  copy_delassus(*problem_, chosen, part.edit_delassus());
  gather(island, {problem_->free_velocity().data(), index(problem_->row_count())},
         {part.edit_free_velocity().data(), index(part.row_count())});
  gather(island, {problem_->target().data(), index(problem_->row_count())},
         {part.edit_target().data(), index(part.row_count())});
  part.prepare();
}

void Islands::gather(int island, std::span<const double> whole, std::span<double> part) const {
  double* to = part.data();
  for (const int i : blocks(island)) {
    const Block& block = problem_->blocks()[index(i)];
    to = std::copy_n(whole.data() + block.row, block.rows, to);
  }
}

void Islands::scatter(int island, std::span<const double> part, std::span<double> whole) const {
  const double* from = part.data();
  for (const int i : blocks(island)) {
    const Block& block = problem_->blocks()[index(i)];
    std::copy_n(from, block.rows, whole.data() + block.row);
    from += block.rows;
  }
}

}  // namespace stiction
