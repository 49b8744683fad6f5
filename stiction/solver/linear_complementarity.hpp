#pragma once

/// \file
/// A linear complementarity problem: 0 ≤ z ⊥ w = M z + q ≥ 0.

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stiction {

/// M and q. Keeps its memory, so that a size seen before allocates nothing.
class LinearComplementarity {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// All numbers zero.
  void resize(int size);

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Eigen::Map<Matrix> M() { return {matrix_.data(), size_, size_}; }
  [[nodiscard]] Eigen::Map<const Matrix> M() const { return {matrix_.data(), size_, size_}; }
  [[nodiscard]] Eigen::Map<Eigen::VectorXd> q() { return {vector_.data(), size_}; }
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> q() const { return {vector_.data(), size_}; }

  /// w = M z + q.
  void evaluate(std::span<const double> z, std::span<double> w) const;

  /// max |min(z, w)|, relative to the larger of 1 and max |z|; infinite if z or w contains NaN or
  /// infinity.
  [[nodiscard]] static double residual(std::span<const double> z, std::span<const double> w);

 private:
  int size_ = 0;
  std::vector<double> matrix_;
  std::vector<double> vector_;
};

}  // namespace stiction
