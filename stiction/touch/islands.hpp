#pragma once

/// \file
/// Which blocks and trees act on each other.

#include <span>
#include <vector>

#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Blocks and trees of one island, both ascending.
struct IslandView {
  std::span<const int> blocks;
  std::span<const int> trees;
};

/// Islands: sets of trees that blocks connect, with those blocks. Trees in no block belong to none.
/// Islands are numbered by their first tree.
class IslandSet {
 public:
  explicit IslandSet(const SceneLayout& layout);

  void find(const ContactSet& blocks);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] IslandView view(int island) const {
    const Range& range = ranges_[static_cast<std::size_t>(island)];
    return {{blocks_.data() + range.block_first, static_cast<std::size_t>(range.block_count)},
            {trees_.data() + range.tree_first, static_cast<std::size_t>(range.tree_count)}};
  }
  /// The island of a tree; -1 for none.
  [[nodiscard]] int of_tree(int tree) const {
    return island_of_tree_[static_cast<std::size_t>(tree)];
  }

 private:
  struct Range {
    int block_first = 0;
    int block_count = 0;
    int tree_first = 0;
    int tree_count = 0;
  };

  void make_one_island(int block_count);
  void number_islands(const ContactSet& blocks);
  void gather(const ContactSet& blocks);

  int count_ = 0;
  std::vector<Range> ranges_;  ///< one per island
  std::vector<int> blocks_;
  std::vector<int> trees_;
  std::vector<int> island_of_tree_;
  std::vector<int> parent_;  ///< scratch of find(): union-find over trees
};

}  // namespace stiction
