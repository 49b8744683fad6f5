#include "stiction/contact/dense_delassus.hpp"

namespace stiction {

namespace {

/// Writes G_ik at (row, column) of `result`: of bodies Σ J_i M⁻¹ J_kᵀ over those that both blocks
/// touch.
void copy_block(const ContactProblem& problem, int i, int k, Eigen::Index row, Eigen::Index column,
                Eigen::Ref<Eigen::MatrixXd>& result) {
  const Block& a = problem.blocks()[index(i)];
  const Block& b = problem.blocks()[index(k)];
  auto block = result.block(row, column, a.rows, b.rows);
  if (problem.storage() == DelassusStorage::dense) {
    block = problem.delassus().block(a.row, b.row, a.rows, b.rows);
    return;
  }
  block.setZero();
  for (const ContactProblem::Coupling& one : problem.couplings(i)) {
    for (const ContactProblem::Coupling& other : problem.couplings(k)) {
      if (one.body < 0 || one.body != other.body) continue;
      block += one.jacobian.lazyProduct(other.response.transpose());
    }
  }
}

}  // namespace

void copy_delassus(const ContactProblem& problem, std::span<const int> blocks,
                   Eigen::Ref<Eigen::MatrixXd> result) {
  Eigen::Index column = 0;
  for (const int k : blocks) {
    Eigen::Index row = 0;
    for (const int i : blocks) {
      copy_block(problem, i, k, row, column, result);
      row += problem.blocks()[index(i)].rows;
    }
    column += problem.blocks()[index(k)].rows;
  }
}

void copy_delassus(const ContactProblem& problem, Eigen::Ref<Eigen::MatrixXd> result) {
  if (problem.storage() == DelassusStorage::dense) {
    result = problem.delassus();
    return;
  }
  for (int k = 0; k < problem.block_count(); ++k) {
    for (int i = 0; i < problem.block_count(); ++i) {
      copy_block(problem, i, k, problem.blocks()[index(i)].row, problem.blocks()[index(k)].row,
                 result);
    }
  }
}

}  // namespace stiction
