#pragma once

/// \file
/// Cholesky factorization of dense matrices. Allocates nothing at a size seen before.

#include <Eigen/Core>

#include "stiction/solver/work_array.hpp"

namespace stiction {

class TiledCholesky {
 public:
  using Vector = Eigen::Ref<Eigen::VectorXd>;

  /// Factorizes `matrix` + diag(`shift`); only the lower triangle is read. False if it is not
  /// positive definite: then the factor has no meaning.
  bool factorize(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                 const Eigen::Ref<const Eigen::VectorXd>& shift);

  /// Overwrites the right-hand side with the solution.
  void solve_in_place(Vector right_hand_side) const;

  [[nodiscard]] Eigen::Index size() const { return factor_.rows(); }

 private:
  WorkMatrix factor_;  ///< L in its lower triangle
};

}  // namespace stiction
