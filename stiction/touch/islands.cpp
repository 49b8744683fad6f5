#include "stiction/touch/islands.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Root of a tree's set; halves the path on the way.
int find_root(std::vector<int>& parent, int tree) {
  while (parent[index(tree)] != tree) {
    parent[index(tree)] = parent[index(parent[index(tree)])];
    tree = parent[index(tree)];
  }
  return tree;
}

/// The smaller tree becomes the root, so that the result does not depend on the order.
void unite(std::vector<int>& parent, int a, int b) {
  if (a < 0 || b < 0) return;
  const auto [low, high] = std::minmax({find_root(parent, a), find_root(parent, b)});
  parent[index(high)] = low;
}

}  // namespace

IslandSet::IslandSet(const SceneLayout& layout)
    : island_of_tree_(layout.trees.size()), parent_(layout.trees.size()) {}

void IslandSet::find(const ContactSet& blocks) {
  if (parent_.size() == 1) {
    make_one_island(blocks.block_count());
    return;
  }
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Candidate& contact : blocks.contacts) unite(parent_, contact.tree_a, contact.tree_b);
  for (const Constraint& constraint : blocks.constraints) {
    unite(parent_, constraint.tree_a, constraint.tree_b);
    if (constraint.reach == nullptr) continue;
    for (const int tree : constraint.reach->trees) unite(parent_, constraint.tree_a, tree);
  }
  number_islands(blocks);
  gather(blocks);
}

/// All blocks of the only tree there is.
void IslandSet::make_one_island(int block_count) {
  island_of_tree_[0] = block_count > 0 ? 0 : -1;
  count_ = block_count > 0 ? 1 : 0;
  if (block_count == 0) return;
  ranges_.resize(1);
  ranges_[0] = {0, block_count, 0, 1};
  trees_.assign(1, 0);
  blocks_.resize(index(block_count));
  std::iota(blocks_.begin(), blocks_.end(), 0);
}

void IslandSet::number_islands(const ContactSet& blocks) {
  std::ranges::fill(island_of_tree_, -1);
  // Sets with a block are islands; trees in no block are not.
  for (int i = 0; i < blocks.block_count(); ++i) {
    island_of_tree_[index(find_root(parent_, blocks.tree_of(i)))] = 0;
  }
  count_ = 0;
  for (std::size_t t = 0; t < parent_.size(); ++t) {
    const std::size_t root = index(find_root(parent_, static_cast<int>(t)));
    if (island_of_tree_[root] < 0) continue;
    if (root == t) island_of_tree_[t] = count_++;
    island_of_tree_[t] = island_of_tree_[root];
  }
}

/// Lists blocks and trees island by island: counts, places, then fills.
void IslandSet::gather(const ContactSet& blocks) {
  ranges_.assign(index(count_), {});
  const auto range_of_block = [&](int block) -> Range& {
    return ranges_[index(island_of_tree_[index(blocks.tree_of(block))])];
  };
  for (int i = 0; i < blocks.block_count(); ++i) ++range_of_block(i).block_count;
  int tree_count = 0;
  for (const int island : island_of_tree_) {
    if (island < 0) continue;
    ++ranges_[index(island)].tree_count;
    ++tree_count;
  }
  blocks_.resize(index(blocks.block_count()));
  trees_.resize(index(tree_count));
  int first_block = 0;
  int first_tree = 0;
  for (Range& range : ranges_) {
    range.block_first = std::exchange(first_block, first_block + range.block_count);
    range.tree_first = std::exchange(first_tree, first_tree + range.tree_count);
    range.block_count = range.tree_count = 0;
  }
  for (int i = 0; i < blocks.block_count(); ++i) {
    Range& range = range_of_block(i);
    blocks_[index(range.block_first + range.block_count++)] = i;
  }
  for (std::size_t t = 0; t < island_of_tree_.size(); ++t) {
    if (island_of_tree_[t] < 0) continue;
    Range& range = ranges_[index(island_of_tree_[t])];
    trees_[index(range.tree_first + range.tree_count++)] = static_cast<int>(t);
  }
}

}  // namespace stiction
