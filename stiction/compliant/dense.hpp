#pragma once

/// \file
/// Products and factorizations of small dense matrices in columns padded to whole lanes. They
/// allocate only when a larger size comes.

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// A square matrix, column by column; the rows from size() to stride() are zero.
class PaddedMatrix {
 public:
  using Index = Eigen::Index;

  void reserve(Index rows);
  /// All elements zero.
  void resize(Index rows);

  [[nodiscard]] Index size() const { return rows_; }
  [[nodiscard]] Index stride() const { return stride_; }
  double* column(Index j) { return memory_.data() + j * stride_; }
  [[nodiscard]] const double* column(Index j) const { return memory_.data() + j * stride_; }
  double& operator()(Index i, Index j) {
    return memory_[static_cast<std::size_t>(j * stride_ + i)];
  }
  double operator()(Index i, Index j) const {
    return memory_[static_cast<std::size_t>(j * stride_ + i)];
  }

  /// this ← this + a X.
  void add(double a, const PaddedMatrix& X);
  /// this ← this + a I.
  void add_identity(double a);
  void scale(double a);
  /// this ← A B; neither may be this.
  void set_product(const PaddedMatrix& A, const PaddedMatrix& B);
  /// y ← A x for padded vectors, which must differ.
  void multiply(const double* x, double* y) const;
  void swap(PaddedMatrix& other);

 private:
  Index rows_ = 0;
  Index stride_ = 0;
  std::vector<double> memory_;
};

/// A = P L U with partial pivoting, in place.
class SmallLu {
 public:
  void reserve(Eigen::Index rows);
  /// For the caller to fill.
  PaddedMatrix& matrix() { return lu_; }
  /// False if a pivot is zero, NaN or infinite.
  bool factorize();
  /// x ← A⁻¹ x for a padded vector.
  void solve(double* x) const;

 private:
  PaddedMatrix lu_;
  std::vector<Eigen::Index> pivots_;
};

/// A = L Lᵀ in place, L in the lower triangle; only that one is read. False if A is not positive
/// definite.
bool factorize_cholesky_in_place(PaddedMatrix& A);
/// x ← (L Lᵀ)⁻¹ x for a padded vector.
void solve_cholesky(const PaddedMatrix& L, double* x);

}  // namespace stiction
