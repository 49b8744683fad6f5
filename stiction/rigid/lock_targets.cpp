#include "stiction/rigid/lock_targets.hpp"

#include <algorithm>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/cholesky.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

/// Below this pivot a target is no longer asked of a row for its own sake.
constexpr double least_pivot = 1e-10;
/// Rows with larger pivots than this can meet any targets.
constexpr double independent = 1e-6;
/// Weight of the size of an answer against its distance: near a dead point of a linkage, errors are
/// taken back slowly instead of by large velocities.
constexpr double damping = 1e-8;
/// A row that keeps less than this fraction of its mobility is held by the locks.
constexpr double least_mobility = 1e-9;

}  // namespace

/// The nearest targets in the span of L; whether any was changed.
bool LockTargets::project(ContactProblem& problem) {
  const int count = static_cast<int>(factor_.rows().size());
  if (factor_.rank_above(independent) == count) return false;
  const int rank = factor_.rank_above(least_pivot);
  ContactProblem::VectorMap target = problem.edit_target();
  wanted_.resize(count);
  for (int i = 0; i < count; ++i) {
    wanted_[i] = factor_.scale(i) * target[factor_.rows()[index(i)]];
  }
  weights_.resize(rank);
  normal_.resize(rank, rank);
  using Column = Eigen::Map<const Eigen::VectorXd>;
  const auto column = [&](int k) { return Column(factor_.factor_column(k), count); };
  for (int k = 0; k < rank; ++k) {
    weights_[k] = column(k).dot(wanted_);
    for (int i = k; i < rank; ++i) {
      normal_(i, k) = column(k).tail(count - i).dot(column(i).tail(count - i));
    }
    normal_(k, k) += damping;
  }
  if (rank > 0 && !factorize_cholesky(normal_)) return false;
  const auto L = normal_.triangularView<Eigen::Lower>();
  L.solveInPlace(weights_);
  L.transpose().solveInPlace(weights_);
  wanted_.setZero();
  for (int k = 0; k < rank; ++k) wanted_ += weights_[k] * column(k);
  for (int i = 0; i < count; ++i) {
    const double scale = factor_.scale(i);
    target[factor_.rows()[index(i)]] = scale > 0.0 ? wanted_[i] / scale : 0.0;
  }
  return true;
}

/// One-sided rows that nothing but a lock could move do not ask for more than the locks give;
/// whether any did.
bool LockTargets::yield_to_locks(ContactProblem& problem) {
  bool changed = false;
  held_.resize(factor_.rows().size());
  const std::size_t rank = index(factor_.rank());
  is_held_.assign(index(problem.block_count()), 0);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (!is_one_sided(block)) continue;
    const int row = normal_row(block);
    const double* column = factor_.column(row);
    factor_.forward(column, held_.data());
    double mobility = column[row];
    for (std::size_t k = 0; k < rank; ++k) mobility = fnma(held_[k], held_[k], mobility);
    if (!(mobility <= least_mobility * column[row])) continue;
    is_held_[index(i)] = 1;
    double velocity = problem.free_velocity()[row];
    for (std::size_t k = 0; k < rank; ++k) velocity = fnma(held_[k], start_[k], velocity);
    if (!(velocity < problem.target()[row])) continue;
    problem.edit_target()[row] = velocity;
    changed = true;
  }
  return changed;
}

void LockTargets::reconcile(ContactProblem& problem) {
  factor_.factorize(problem);
  if (project(problem)) problem.prepare();
  start_.resize(factor_.rows().size());
  factor_.forward(problem.shifted_velocity().data(), start_.data());
  if (yield_to_locks(problem)) problem.prepare();
}

}  // namespace stiction
