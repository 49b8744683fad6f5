#pragma once

/// \file
/// The islands of a contact problem: groups of blocks that do not act on each other.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Finds the islands of a problem and extracts them as dense problems. Reuses its memory.
class Islands {
 public:
  void find(const ContactProblem& problem);

  [[nodiscard]] int count() const { return static_cast<int>(first_.size()) - 1; }
  /// Blocks of an island in ascending order; islands are ordered by their first block.
  [[nodiscard]] std::span<const int> blocks(int island) const;
  [[nodiscard]] int row_count(int island) const;

  /// Makes `part` the problem of the island alone: with a dense matrix, and prepared.
  void extract(int island, ContactProblem& part) const;
  /// Copies the island's rows of a vector of the whole problem to a vector of the part, and back.
  void gather(int island, std::span<const double> whole, std::span<double> part) const;
  void scatter(int island, std::span<const double> part, std::span<double> whole) const;

 private:
  int root(int block);
  void join(int a, int b);
  void join_neighbours();
  void join_by_bodies();

  const ContactProblem* problem_ = nullptr;
  std::vector<int> parent_;      ///< forest of blocks
  std::vector<int> body_block_;  ///< a block that touches the body; -1: none yet
  std::vector<int> island_of_;
  std::vector<int> first_;  ///< count + 1 offsets into blocks_
  std::vector<int> blocks_;
};

}  // namespace stiction
