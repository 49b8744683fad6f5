#pragma once

/// \file
/// The rows of all locks of a problem, factorized at once and in the order that shows which of them
/// depend on the others.
///
/// Closed loops have redundant rows: a planar loop cannot move out of its plane, and two welds in a
/// row repeat each other. Then G is singular on the locks, and iterations over them are slow. A
/// Cholesky factorization with pivoting needs no iteration: P D G_LL D Pᵀ = L Lᵀ, where D scales
/// the diagonal to one, P orders the rows by what is left of them, and L has one column for each
/// independent row.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

/// Keeps its memory.
class LockFactor {
 public:
  /// Whether a problem has locks, and few enough rows for this.
  [[nodiscard]] static bool suits(const ContactProblem& problem);

  /// The problem must suit, and must not be moved or changed while the functions below are used.
  void factorize(const ContactProblem& problem);

  /// Rows of the problem that belong to locks, in the order of P: first `rank()` independent ones.
  [[nodiscard]] std::span<const int> rows() const { return rows_; }
  [[nodiscard]] int rank() const { return rank_; }
  /// Number of first rows whose pivots are larger than `least`: what is left of the mobility of a
  /// row while the rows before it are held, relative to the mobility of the row.
  [[nodiscard]] int rank_above(double least) const;

  /// A column of G, with both triangles; also for problems of bodies.
  [[nodiscard]] const double* column(int row) const { return matrix_ + index(row) * stride_; }

  /// y = L⁻¹ P D b, `rank()` numbers; b has all rows of the problem.
  void forward(const double* b, double* y) const;
  /// impulse += D Pᵀ L⁻ᵀ y, all rows of the problem; `y` is overwritten. The impulses of dependent
  /// rows stay as they are.
  void add_backward(double* y, double* impulse) const;

  /// Entry of L: row `i` in the order of P.
  [[nodiscard]] double entry(int i, int k) const { return L_[index(k) * height_ + index(i)]; }
  /// Column k of L: all rows in the order of P; zero above the diagonal.
  [[nodiscard]] const double* factor_column(int k) const { return L_.data() + index(k) * height_; }
  /// D of a row in the order of P; 0 if the row cannot move.
  [[nodiscard]] double scale(int i) const { return scale_[index(i)]; }

 private:
  void find_matrix(const ContactProblem& problem);
  void find_rows(const ContactProblem& problem);
  void exchange(int i, int k);
  void add_column(int k);

  const double* matrix_ = nullptr;  ///< columns of G
  std::size_t stride_ = 0;          ///< of them
  WorkMatrix copy_;                 ///< of G, where the problem has only its factors
  int rank_ = 0;
  std::size_t height_ = 0;        ///< of L: rows, rounded up to whole lanes
  std::vector<int> rows_;         ///< in the order of P
  std::vector<double> scale_;     ///< in the order of P
  std::vector<double> rest_;      ///< diagonal that is left, in the order of P
  std::vector<double> L_;         ///< column by column
  std::vector<double> diagonal_;  ///< inverse diagonal of L
  std::vector<double> across_;    ///< scratch of add_column(): a row of L
};

}  // namespace stiction
