#include "stiction/solver/proximal_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The proximal term relative to R: where it begins, and where it ends.
constexpr double first_rho = 1e-3;
constexpr double least_rho = 1e-11;

/// A point whose normal moves less than this share of its trace cannot move along it.
constexpr double locked_share = 1e-12;

}  // namespace

void ProximalNewton::start(const ContactProblem& problem, std::span<const double> impulse,
                           double scaling) {
  problem_ = &problem;
  const int n = problem.row_count();
  R_.resize(index(problem.block_count()));
  for (WorkVector* x : {&row_R_, &x_, &f_, &r_, &dx_, &df_, &trial_x_, &trial_f_, &trial_r_}) {
    x->resize(n);
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const ContactProblem::Matrix6& G = problem.diagonal_block(i);
    const double mean = G.trace() / block.rows;
    const bool fixed = block.kind == BlockKind::contact && !(G(2, 2) > locked_share * G.trace());
    R_[index(i)] = fixed || !(mean > locked_share * problem.largest_trace()) ? 0.0 : scaling * mean;
    row_R_.segment(block.row, block.rows)
        .setConstant(R_[index(i)] > 0.0 ? R_[index(i)] : problem.largest_trace());
  }
  const Eigen::Map<const Eigen::VectorXd> lambda(impulse.data(), n);
  x_.noalias() = problem.delassus() * lambda;
  x_ += problem.shifted_velocity();
  x_.array() -= row_R_.array() * lambda.array();
  evaluate(x_, f_, r_);
  merit_ = merit_of(r_);
  rho_ = first_rho;
}

double ProximalNewton::merit_of(const WorkVector& r) const {
  return 0.5 * (r.array().square() / row_R_.array()).sum();
}

void ProximalNewton::evaluate(const WorkVector& x, WorkVector& f, WorkVector& r) const {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const int row = block.row;
    if (R_[index(i)] == 0.0) {
      f.segment(row, block.rows).setZero();
      continue;
    }
    const double inverse = 1.0 / R_[index(i)];
    switch (block.kind) {
      case BlockKind::contact: {
        const double normal = std::max(0.0, -x[row + 2]) * inverse;
        const double length = std::sqrt(x[row] * x[row] + x[row + 1] * x[row + 1]);
        const double limit = block.friction * normal;
        const double s = length * inverse <= limit ? inverse : limit / length;
        f[row] = -s * x[row];
        f[row + 1] = -s * x[row + 1];
        f[row + 2] = normal;
        break;
      }
      case BlockKind::limit:
        f[row] = std::max(0.0, -x[row]) * inverse;
        break;
      case BlockKind::joint_friction:
        f[row] = std::clamp(-x[row] * inverse, -block.bound, block.bound);
        break;
      case BlockKind::lock:
        f.segment(row, block.rows) = -inverse * x.segment(row, block.rows);
        break;
    }
  }
  r.noalias() = problem_->delassus() * f;
  r += problem_->shifted_velocity();
  r -= x;
  r.array() -= row_R_.array() * f.array();
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (R_[index(i)] == 0.0) r.segment(block.row, block.rows).setZero();
  }
}

void ProximalNewton::linearize() {
  freedoms_.clear();
  const auto free_row = [this](int row) {
    freedoms_.push_back({.row = row,
                         .rows = 1,
                         .along = Eigen::Vector3d::UnitX(),
                         .across = Eigen::Vector3d::UnitX()});
  };
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const double R = R_[index(i)];
    const int row = block.row;
    if (R == 0.0) continue;
    switch (block.kind) {
      case BlockKind::contact: {
        if (!(x_[row + 2] < 0.0)) break;
        const double normal = -x_[row + 2] / R;
        const double length = std::hypot(x_[row], x_[row + 1]);
        if (length <= block.friction * normal * R) {
          for (int k = 0; k < 3; ++k) free_row(row + k);
          break;
        }
        const double ux = x_[row] / length;
        const double uy = x_[row + 1] / length;
        freedoms_.push_back({.row = row,
                             .rows = 3,
                             .along = {-block.friction * ux, -block.friction * uy, 1.0},
                             .across = {0.0, 0.0, 1.0}});
        if (block.friction * normal > 0.0) {
          const Eigen::Vector3d around(-uy, ux, 0.0);
          freedoms_.push_back({.row = row,
                               .rows = 3,
                               .along = around,
                               .across = around,
                               .compliance = length / (block.friction * normal) - R});
        }
        break;
      }
      case BlockKind::limit:
        if (x_[row] < 0.0) free_row(row);
        break;
      case BlockKind::joint_friction:
        if (std::abs(x_[row]) < R * block.bound) free_row(row);
        break;
      case BlockKind::lock:
        for (int k = 0; k < block.rows; ++k) free_row(row + k);
        break;
    }
  }
}

bool ProximalNewton::solve_direction() {
  const Eigen::Index n = x_.size();
  const auto m = static_cast<Eigen::Index>(freedoms_.size());
  const ContactProblem::ConstDenseMap G = problem_->delassus();
  GB_.resize(n, m);
  WorkMatrix& A = lu_.matrix(m);
  y_.resize(m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const Freedom& freedom = freedoms_[static_cast<std::size_t>(j)];
    GB_.col(j) = freedom.along[0] * G.col(freedom.row);
    for (int k = 1; k < freedom.rows; ++k) GB_.col(j) += freedom.along[k] * G.col(freedom.row + k);
    for (int k = 0; k < freedom.rows; ++k) {
      GB_(freedom.row + k, j) += rho_ * row_R_[freedom.row + k] * freedom.along[k];
    }
  }
  for (Eigen::Index i = 0; i < m; ++i) {
    const Freedom& freedom = freedoms_[static_cast<std::size_t>(i)];
    A.row(i) = freedom.across[0] * GB_.row(freedom.row);
    for (int k = 1; k < freedom.rows; ++k) {
      A.row(i) += freedom.across[k] * GB_.row(freedom.row + k);
    }
    A(i, i) += freedom.compliance;
    y_[i] = -freedom.across.head(freedom.rows).dot(r_.segment(freedom.row, freedom.rows));
  }
  df_.setZero();
  if (m > 0) {
    if (!lu_.compute()) return false;
    lu_.solve(y_);
    if (!y_.allFinite()) return false;
    for (Eigen::Index j = 0; j < m; ++j) {
      const Freedom& freedom = freedoms_[static_cast<std::size_t>(j)];
      df_.segment(freedom.row, freedom.rows) += y_[j] * freedom.along.head(freedom.rows);
    }
    dx_.noalias() = GB_ * y_;
    dx_.array() -= row_R_.array() * df_.array();
    dx_ += r_;
  } else {
    dx_ = r_;
  }
  return dx_.allFinite();
}

bool ProximalNewton::step() {
  linearize();
  if (solve_direction()) {
    double length = 1.0;
    for (int k = 0; k < 8; ++k, length *= 0.5) {
      trial_x_ = x_ + length * dx_;
      evaluate(trial_x_, trial_f_, trial_r_);
      const double trial = merit_of(trial_r_);
      if (trial < (1.0 - 1e-4 * length) * merit_) {
        x_.exchange(trial_x_);
        f_.exchange(trial_f_);
        r_.exchange(trial_r_);
        merit_ = trial;
        rho_ = std::max(least_rho, rho_ * (length == 1.0 ? 0.1 : 1.0));
        return true;
      }
    }
  }
  rho_ *= 30.0;
  return false;
}

}  // namespace stiction
