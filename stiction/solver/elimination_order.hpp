#pragma once

/// \file
/// In which order to eliminate the unknowns of a sparse system with symmetric pattern, so that few
/// blocks fill in.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stiction/core/index.hpp"

namespace stiction {

/// The minimum degree order: the node with the fewest neighbours goes first, and its neighbours
/// become neighbours of each other. The rows of the graph are bits, so that joining two of them
/// takes one operation for 64 nodes. Reuses its memory.
class EliminationOrder {
 public:
  /// A graph of this many nodes without edges.
  void start(int nodes);
  void join(int a, int b);
  /// Finds the order. The edges are lost.
  void eliminate();

  [[nodiscard]] int size() const { return nodes_; }
  /// When a node is eliminated.
  [[nodiscard]] int position(int node) const { return position_[index(node)]; }
  /// Positions after `position` that are its neighbours when it is eliminated, ascending: the
  /// blocks of its column of the factor.
  [[nodiscard]] std::span<const int> later(int position) const {
    const std::size_t first = first_[index(position)];
    return {later_.data() + first, first_[index(position) + 1] - first};
  }
  /// Where the list of later() begins among those of all positions.
  [[nodiscard]] std::size_t first(int position) const { return first_[index(position)]; }
  /// Where a pair of nodes stands among those of all lists; nothing if its block stays zero.
  [[nodiscard]] std::optional<std::size_t> find(int node, int other) const;
  /// Blocks below the diagonal.
  [[nodiscard]] std::size_t fill() const { return later_.size(); }
  /// Approximate products of blocks in a factorization.
  [[nodiscard]] double products() const { return products_; }

 private:
  using Word = std::uint64_t;
  [[nodiscard]] Word* row(int node) { return bits_.data() + index(node) * words_; }
  void count(int node);
  [[nodiscard]] int least() const;
  void remove(int node);

  int nodes_ = 0;
  std::size_t words_ = 0;    ///< of a row
  std::vector<Word> bits_;   ///< neighbours that are not eliminated yet
  std::vector<int> degree_;  ///< their number; eliminated nodes: the largest int
  std::vector<int> position_;
  std::vector<std::size_t> first_;
  std::vector<int> later_;
  double products_ = 0.0;
};

}  // namespace stiction
