#include "stiction/rigid/lock_targets.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/cholesky.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

/// Below this pivot a target is no longer asked of a row for its own sake.
constexpr double least_pivot = 1e-10;
/// Rows with larger pivots than this can meet any targets.
constexpr double independent = 1e-6;
/// Rows with smaller pivots than this, or less of the mobility of their lock than that, may repeat
/// others, which geometry decides.
constexpr double doubtful_pivot = 1e-4;
constexpr double doubtful_mobility = 1e-6;
/// Pivots up to this are rounding errors: the rows repeat the others exactly, if they also move as
/// the others make them, up to this fraction of the largest velocity.
constexpr double exact = 1e-12;
constexpr double agreeing = 1e-12;
/// Weight of the size of an answer against its distance: near a dead point of a linkage, errors are
/// taken back slowly instead of by large velocities.
constexpr double damping = 1e-8;
/// A row that keeps less than this fraction of its mobility is held by the locks.
constexpr double least_mobility = 1e-9;

/// The rows stay in the problem and move nothing; whether there are any.
bool leave_out(std::span<const int> rows, ContactProblem& problem) {
  if (rows.empty()) return false;
  auto G = problem.edit_delassus();
  for (const int row : rows) {
    G.row(row).setZero();
    G.col(row).setZero();
    problem.edit_free_velocity()[row] = 0.0;
    problem.edit_target()[row] = 0.0;
  }
  return true;
}

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

/// Whether some row hardly moves beside the others of its lock, and would take a larger impulse
/// than all rows that move.
bool LockTargets::has_immovable_rows(const ContactProblem& problem) {
  const auto G = problem.delassus();
  double usual = 0.0;     // impulse that stops a row [N·s]
  double doubtful = 0.0;  // the same of rows that hardly move
  for (const Block& block : problem.blocks()) {
    if (!is_bilateral(block)) continue;
    // Rows along axes and rows about axes have different units.
    for (int first = block.row; first < block.row + block.rows; first += 3) {
      const int end = std::min(first + 3, block.row + block.rows);
      double largest = 0.0;
      for (int row = first; row < end; ++row) largest = std::max(largest, G(row, row));
      for (int row = first; row < end; ++row) {
        if (!(G(row, row) > exact * largest)) continue;  // it is not asked to move
        const double stopping = std::abs(problem.shifted_velocity()[row]) / G(row, row);
        double& most = G(row, row) < doubtful_mobility * largest ? doubtful : usual;
        most = std::max(most, stopping);
      }
    }
  }
  return doubtful > usual;
}

/// Whether some row seems to repeat others, but not exactly.
bool LockTargets::has_repeated_rows(const ContactProblem& problem) {
  const int count = static_cast<int>(factor_.rows().size());
  const int kept = factor_.rank_above(doubtful_pivot);
  if (kept == count) return false;
  start_.resize(factor_.rows().size());
  factor_.forward(problem.shifted_velocity().data(), start_.data());
  const double slowest = agreeing * problem.shifted_velocity().cwiseAbs().maxCoeff();
  for (int i = kept; i < count; ++i) {
    if (!(factor_.scale(i) > 0.0)) continue;
    double velocity = 0.0;  // that the kept rows leave to this one
    for (int k = 0; k < kept; ++k) velocity = fma(factor_.entry(i, k), start_[index(k)], velocity);
    const double own = problem.shifted_velocity()[factor_.rows()[index(i)]];
    const bool repeats =
        i >= factor_.rank() || !(factor_.entry(i, i) * factor_.entry(i, i) > exact);
    if (!repeats || !(std::abs(velocity / factor_.scale(i) - own) <= slowest)) return true;
  }
  return false;
}

/// Rows that repeat others up to a small angle are left out of problems with a dense matrix.
bool LockTargets::release(const LockScene& locks, ContactProblem& problem) {
  released_ = {};
  if (problem.storage() != DelassusStorage::dense) return false;
  if (!has_immovable_rows(problem) && !has_repeated_rows(problem)) return false;
  released_ = repeats_.find(locks);
  return leave_out(released_, problem);
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

void LockTargets::reconcile(const LockScene& locks, ContactProblem& problem) {
  factor_.factorize(problem);
  if (project(problem)) problem.prepare();
  if (release(locks, problem)) {
    problem.prepare();
    factor_.factorize(problem);
  }
  start_.resize(factor_.rows().size());
  factor_.forward(problem.shifted_velocity().data(), start_.data());
  if (yield_to_locks(problem)) problem.prepare();
}

}  // namespace stiction
