#include "stiction/solver/dense_delassus.hpp"

#include <cstddef>

namespace stiction {

namespace {

/// G_ik = Σ J_i M⁻¹ J_kᵀ over the bodies that both blocks touch.
void add_block(const ContactProblem& problem, int i, int k, WorkMatrix& result) {
  const Block& left = problem.blocks()[static_cast<std::size_t>(i)];
  const Block& right = problem.blocks()[static_cast<std::size_t>(k)];
  for (const ContactProblem::Coupling& a : problem.couplings(i)) {
    for (const ContactProblem::Coupling& b : problem.couplings(k)) {
      if (a.body < 0 || a.body != b.body) continue;
      for (int row = 0; row < left.rows; ++row) {
        for (int column = 0; column < right.rows; ++column) {
          const double product = a.jacobian.row(row).dot(b.response.row(column));
          result(left.row + row, right.row + column) += product;
        }
      }
    }
  }
}

}  // namespace

void copy_delassus(const ContactProblem& problem, WorkMatrix& result) {
  result.resize(problem.row_count(), problem.row_count());
  if (problem.storage() == DelassusStorage::dense) {
    result = problem.delassus();
    return;
  }
  result.setZero();
  for (int i = 0; i < problem.block_count(); ++i) {
    for (int k = 0; k < problem.block_count(); ++k) add_block(problem, i, k, result);
  }
}

}  // namespace stiction
