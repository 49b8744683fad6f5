#pragma once

/// \file
/// Products of small symmetric matrices with four vectors at once.

#include <cstddef>

#include "stiction/compliant/columns.hpp"
#include "stiction/compliant/dense.hpp"
#include "stiction/core/unroll.hpp"

namespace stiction::columns {

/// Four numbers, one of each vector.
struct Four {
  static constexpr std::size_t packs = 4 / static_cast<std::size_t>(width);
  Pack parts[packs];

  [[gnu::always_inline]] static Four load(const double* x) {
    Four result;
    unroll<packs>([&](auto k) __attribute__((always_inline)) {
      result.parts[k] = columns::load(x + k * static_cast<std::size_t>(width));
    });
    return result;
  }
  [[gnu::always_inline]] void store(double* x) const {
    unroll<packs>([&](auto k) __attribute__((always_inline)) {
      columns::store(x + k * static_cast<std::size_t>(width), parts[k]);
    });
  }
  /// this ← this + a b.
  [[gnu::always_inline]] void add_product(const Four& a, const Four& b) {
    unroll<packs>([&](auto k) __attribute__((always_inline)) {
      parts[k] = fma(a.parts[k], b.parts[k], parts[k]);
    });
  }
  [[gnu::always_inline]] void add_scaled(double a, const Four& b) {
    unroll<packs>([&](auto k) __attribute__((always_inline)) {
      parts[k] = fma(Pack(a), b.parts[k], parts[k]);
    });
  }
  [[gnu::always_inline]] Four operator-(const Four& b) const {
    Four result;
    unroll<packs>([&](auto k)
                      __attribute__((always_inline)) { result.parts[k] = parts[k] - b.parts[k]; });
    return result;
  }
};

template <std::size_t count, class Start>
[[gnu::always_inline]] inline void multiply_rows(const PaddedMatrix& A, Index row, const double* x,
                                                 double* y, const Start& start) {
  Four sums[count];
  unroll<count>([&](auto r) __attribute__((always_inline)) {
    sums[r] = start(row + static_cast<Index>(r.value));
  });
  for (Index j = 0; j < A.size(); ++j) {
    const Four right = Four::load(x + 4 * j);
    // Rows of A are its columns, which are read from top to bottom.
    unroll<count>([&](auto r) __attribute__((always_inline)) {
      sums[r].add_scaled(A.column(row + static_cast<Index>(r.value))[j], right);
    });
  }
  unroll<count>([&](auto r) __attribute__((always_inline)) {
    sums[r].store(y + 4 * (row + static_cast<Index>(r.value)));
  });
}

/// Y ← AᵀX + start for rows of four numbers; `start(row)` is a Four, and is asked
/// for before the row of Y is written. Y must not be X.
template <class Start>
[[gnu::always_inline]] inline void multiply(const PaddedMatrix& A, const double* x, double* y,
                                            const Start& start) {
  // As many sums as there are registers for: each waits for the one before of its own row.
  const Index rows = A.size();
  Index row = 0;
  for (; row + 6 <= rows; row += 6) multiply_rows<6>(A, row, x, y, start);
  if (row + 3 <= rows) {
    multiply_rows<3>(A, row, x, y, start);
    row += 3;
  }
  for (; row < rows; ++row) multiply_rows<1>(A, row, x, y, start);
}

}  // namespace stiction::columns
