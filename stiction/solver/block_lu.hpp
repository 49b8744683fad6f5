#pragma once

/// \file
/// LU factorization of a sparse matrix of 6×6 blocks with symmetric pattern, for equations of many
/// bodies. Pivoting is within the blocks of the diagonal only.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/solver/elimination_order.hpp"

namespace stiction {

class BlockLu {
 public:
  static constexpr int side = 6;  ///< of a block
  static constexpr std::size_t block_size = 36;
  using Matrix = Eigen::Matrix<double, side, side>;
  using Block = Eigen::Map<Matrix>;

  /// A zero matrix. The order, which has found its positions, must not change as long as this is
  /// used.
  void start(const EliminationOrder& order);
  /// A block to add to, by nodes of the order; both or their neighbours must have been joined.
  [[nodiscard]] double* block(int row_node, int column_node);
  /// \name Blocks by their place in the order; below the diagonal, the row is eliminated later
  /// @{
  [[nodiscard]] double* lower_block(std::size_t place) { return lower(place); }
  [[nodiscard]] double* upper_block(std::size_t place) { return upper(place); }
  [[nodiscard]] double* diagonal_block(int node) { return diagonal(order_->position(node)); }
  /// @}
  /// Factorizes in place. False if a pivot is zero, NaN or infinite.
  bool compute();
  /// x ← A⁻¹ x; six numbers a node, in the order of the nodes.
  void solve(std::span<double> x);

 private:
  [[nodiscard]] double* lower(std::size_t k) { return lower_.data() + block_size * k; }
  [[nodiscard]] double* upper(std::size_t k) { return upper_.data() + block_size * k; }
  [[nodiscard]] double* diagonal(int k) { return diagonal_.data() + block_size * index(k); }
  bool invert_pivot(int position);
  void eliminate(int position);

  const EliminationOrder* order_ = nullptr;
  std::vector<double> diagonal_;  ///< later the inverse pivots
  std::vector<double> lower_;     ///< below the diagonal, by column
  std::vector<double> upper_;     ///< right of it, by row, in the same order
  std::vector<double> sorted_;    ///< right-hand side by positions
};

}  // namespace stiction
