#include "stiction/contact/islands.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {

namespace {
std::size_t index(int i) { return static_cast<std::size_t>(i); }
}  // namespace

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
    const Block& block = problem_->blocks()[index(i)];
    switch (block.kind) {
      case BlockKind::contact:
        part.add_contact(block.friction);
        break;
      case BlockKind::limit:
        part.add_limit();
        break;
      case BlockKind::joint_friction:
        part.add_joint_friction(block.bound);
        break;
      case BlockKind::lock:
        part.add_lock(block.rows);
        break;
    }
  }
  part.use_dense();
  ContactProblem::DenseMap G = part.edit_delassus();
  if (problem_->storage() == DelassusStorage::dense) {
    fill_dense(chosen, G);
  } else {
    fill_from_bodies(chosen, G);
  }
  gather(island, {problem_->free_velocity().data(), index(problem_->row_count())},
         {part.edit_free_velocity().data(), index(part.row_count())});
  gather(island, {problem_->target().data(), index(problem_->row_count())},
         {part.edit_target().data(), index(part.row_count())});
  part.prepare();
}

void Islands::fill_dense(std::span<const int> chosen, ContactProblem::DenseMap& G) const {
  const ContactProblem::ConstDenseMap whole = problem_->delassus();
  Eigen::Index column = 0;
  for (const int k : chosen) {
    const Block& b = problem_->blocks()[index(k)];
    Eigen::Index row = 0;
    for (const int i : chosen) {
      const Block& a = problem_->blocks()[index(i)];
      G.block(row, column, a.rows, b.rows) = whole.block(a.row, b.row, a.rows, b.rows);
      row += a.rows;
    }
    column += b.rows;
  }
}

void Islands::fill_from_bodies(std::span<const int> chosen, ContactProblem::DenseMap& G) const {
  Eigen::Index column = 0;
  for (const int k : chosen) {
    const Block& b = problem_->blocks()[index(k)];
    Eigen::Index row = 0;
    for (const int i : chosen) {
      const Block& a = problem_->blocks()[index(i)];
      for (const ContactProblem::Coupling& one : problem_->couplings(i)) {
        for (const ContactProblem::Coupling& other : problem_->couplings(k)) {
          if (one.body < 0 || one.body != other.body) continue;
          G.block(row, column, a.rows, b.rows) +=
              one.jacobian.lazyProduct(other.response.transpose());
        }
      }
      row += a.rows;
    }
    column += b.rows;
  }
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
