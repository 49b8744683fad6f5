#include "stiction/solver/lock_elimination.hpp"

#include <algorithm>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"
#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

/// A row that keeps less than this fraction of its mobility is held by the locks; what is left is
/// rounding.
constexpr double least_mobility = 1e-10;
/// Repetitions that remove the rounding errors of the locks' own velocities.
constexpr int refinements = 2;

/// a · b, a multiple of the lane width.
double dot(std::size_t count, const double* a, const double* b) {
  Lane sum(0.0);
  for (std::size_t k = 0; k < count; k += lane_width) {
    sum = fma(Lane::load_unaligned(a + k), Lane::load_unaligned(b + k), sum);
  }
  double parts[lane_width];
  sum.store_unaligned(parts);
  double result = 0.0;
  for (const double part : parts) result += part;
  return result;
}

}  // namespace

void LockElimination::eliminate(const ContactProblem& problem) {
  problem_ = &problem;
  factor_.factorize(problem);
  rest_.clear();
  rows_.clear();
  place_.assign(index(problem.block_count()), -1);
  for (int i = 0; i < problem.block_count(); ++i) {
    Block block = problem.blocks()[index(i)];
    if (is_bilateral(block)) continue;
    if (block.contact >= 0) block.contact = place_[index(block.contact)];
    place_[index(i)] = rest_.add_block(block);
    for (int k = 0; k < block.rows; ++k) rows_.push_back(block.row + k);
  }
  rest_.use_dense();
  height_ = (index(factor_.rank()) + lane_width - 1) / lane_width * lane_width;
  start_.assign(height_, 0.0);
  side_.assign(height_, 0.0);
  factor_.forward(problem.shifted_velocity().data(), start_.data());
  multiply_out();
  rest_.prepare();
}

/// G', v*' and the targets.
void LockElimination::multiply_out() {
  Y_.assign(rows_.size() * height_, 0.0);
  ContactProblem::DenseMap G = rest_.edit_delassus();
  ContactProblem::VectorMap free = rest_.edit_free_velocity();
  ContactProblem::VectorMap target = rest_.edit_target();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double* column = factor_.column(rows_[i]);
    const auto to = static_cast<Eigen::Index>(i);
    double* Y = Y_.data() + i * height_;
    factor_.forward(column, Y);
    target[to] = problem_->target()[rows_[i]];
    free[to] = problem_->free_velocity()[rows_[i]] - dot(height_, Y, start_.data());
    for (std::size_t k = 0; k <= i; ++k) {
      const double value = column[rows_[k]] - dot(height_, Y, Y_.data() + k * height_);
      G(to, static_cast<Eigen::Index>(k)) = G(static_cast<Eigen::Index>(k), to) = value;
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto to = static_cast<Eigen::Index>(i);
    if (G(to, to) > least_mobility * factor_.column(rows_[i])[rows_[i]]) continue;
    G.row(to).setZero();
    G.col(to).setZero();
  }
}

double LockElimination::work() const {
  const double locks = static_cast<double>(factor_.rows().size());
  const double rows = static_cast<double>(rows_.size());
  return factor_work(locks) + 0.5 * locks * rows * (locks + rows);
}

void LockElimination::gather(std::span<const double> impulses, std::span<double> of_rest) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) of_rest[i] = impulses[index(rows_[i])];
}

void LockElimination::complete(std::span<const double> of_rest, std::span<double> impulses) {
  std::ranges::fill(impulses, 0.0);
  for (std::size_t k = 0; k < side_.size(); ++k) side_[k] = -start_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    impulses[index(rows_[i])] = of_rest[i];
    if (of_rest[i] == 0.0) continue;
    const double* Y = Y_.data() + i * height_;
    for (std::size_t k = 0; k < height_; ++k) side_[k] = fnma(of_rest[i], Y[k], side_[k]);
  }
  factor_.add_backward(side_.data(), impulses.data());
  for (int k = 0; k < refinements; ++k) refine(impulses);
}

/// One more solve for what rounding has left of the velocities of the locks.
void LockElimination::refine(std::span<double> impulses) {
  velocity_.resize(impulses.size());
  problem_->multiply(impulses, velocity_);
  const double* shifted = problem_->shifted_velocity().data();
  for (std::size_t row = 0; row < velocity_.size(); ++row) {
    velocity_[row] = -velocity_[row] - shifted[row];
  }
  factor_.forward(velocity_.data(), side_.data());
  factor_.add_backward(side_.data(), impulses.data());
}

}  // namespace stiction
