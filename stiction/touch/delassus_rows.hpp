#pragma once

/// \file
/// The Delassus matrix of many rows at once: column r is the sum of y_r · (y / D) over the
/// velocities on the way of row r, for all rows side by side in lanes. Walking along the ways of
/// each pair of entries is faster for few contacts, but its branches cannot be predicted.

#include <cstddef>
#include <span>
#include <vector>

#include "stiction/dynamics/delassus.hpp"

namespace stiction {

/// Rows of the problem that one entry of the kernel stands for: 1 to 3.
struct KernelEntry {
  int first = 0;
  int rows = 0;
};

/// Keeps its memory. One per thread.
class DelassusRows {
 public:
  /// Writes G of all entries of the kernel, column by column with this stride, a multiple of four.
  /// Rows between the last one and the stride stay zero.
  void fill(const Model& model, const DelassusKernel<double>& kernel,
            std::span<const KernelEntry> entries, std::size_t stride, double* G);

 private:
  /// One velocity on the way of an entry.
  struct Share {
    const double* scaled;  ///< y / D of all rows
    double y[3];           ///< of the rows of the entry
  };

  void gather(const Model& model, const DelassusKernel<double>& kernel,
              std::span<const KernelEntry> entries, std::size_t stride);

  std::vector<double> scaled_;  ///< y / D: `stride` rows for each velocity of the model
  std::vector<Share> shares_;
  std::vector<std::size_t> share_ends_;  ///< by entry
};

}  // namespace stiction
