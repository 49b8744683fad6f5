#pragma once

/// \file
/// Dense factorizations for the Newton steps of the solvers: systems of a few to a few hundred
/// rows. Unlike Eigen's, whose blocked products use the heap, they allocate nothing at a size seen
/// before, and at these sizes they are as fast.

#include <Eigen/Core>
#include <vector>

#include "stiction/solver/work_array.hpp"

namespace stiction {

/// A = P L U with partial pivoting, for square A.
class LuFactor {
 public:
  /// A rows × rows matrix for the caller to fill; its previous content is lost.
  WorkMatrix& matrix(Eigen::Index rows);
  /// Factorizes matrix() in place. False if a pivot is zero, NaN or infinite.
  bool compute();
  /// x ← A⁻¹ x.
  void solve(Eigen::Ref<Eigen::VectorXd> x) const;

 private:
  bool factorize_panel(Eigen::Index first, Eigen::Index width);
  void update_right_of(Eigen::Index first, Eigen::Index width);

  WorkMatrix lu_;
  std::vector<Eigen::Index> pivots_;  ///< row k was exchanged with row pivots_[k]
};

}  // namespace stiction
