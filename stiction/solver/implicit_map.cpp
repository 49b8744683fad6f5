#include "stiction/solver/implicit_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/dense_delassus.hpp"

namespace stiction {

namespace {

/// Appends the zeros of a + b t + c t² in (0, 1).
void add_roots(double a, double b, double c, std::vector<double>& roots) {
  const auto add = [&](double t) {
    if (t > 0.0 && t < 1.0) roots.push_back(t);
  };
  const double discriminant = b * b - 4.0 * a * c;
  if (!(discriminant >= 0.0)) return;
  const double half = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  if (c != 0.0) add(half / c);
  if (half != 0.0) add(a / half);
}

}  // namespace

void ImplicitMap::open(const ContactProblem& problem, const Judge& judge, double scaling,
                       bool common) {
  problem_ = &problem;
  judge_ = &judge;
  for (WorkVector* vector : {&scale_, &free_, &impulse_}) vector->resize(problem.row_count());
  double trace = 0.0;
  for (int i = 0; common && i < problem.block_count(); ++i) {
    trace += problem.diagonal_block(i).trace();
  }
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const double R = scaling * (common ? trace / problem.row_count()
                                       : problem.diagonal_block(i).trace() / block.rows);
    scale_.segment(block.row, block.rows).setConstant(R > 0.0 ? 1.0 / std::sqrt(R) : 1.0);
  }
  matrix_.resize(problem.row_count(), problem.row_count());
  copy_delassus(problem, matrix_);
  matrix_.array().colwise() *= scale_.array();
  matrix_.array().rowwise() *= scale_.transpose().array();
  free_ = scale_.cwiseProduct(problem.shifted_velocity());
}

void ImplicitMap::point_of(std::span<const double> impulses, WorkVector& x) {
  impulse_ = Eigen::Map<const Eigen::VectorXd>(impulses.data(), size()).cwiseQuotient(scale_);
  x = free_ - impulse_;
  x.noalias() += matrix_ * impulse_;
}

void ImplicitMap::impulses_of(const WorkVector& x, std::span<double> impulses) const {
  Eigen::Map<Eigen::VectorXd> result(impulses.data(), size());
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    std::array<double, max_block_rows> f{};
    impulse_of(i, x.data() + block.row, f.data());
    for (int row = 0; row < block.rows; ++row) {
      result[block.row + row] = scale_[block.row + row] * f[index(row)];
    }
  }
}

double ImplicitMap::evaluate(const WorkVector& x, WorkVector& r) {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const int row = problem_->blocks()[index(i)].row;
    impulse_of(i, x.data() + row, impulse_.data() + row);
  }
  r = free_ - x - impulse_;
  r.noalias() += matrix_ * impulse_;
  return 0.5 * r.squaredNorm();
}

Block ImplicitMap::scaled_block(int i) const {
  const Block& block = problem_->blocks()[index(i)];
  return in_unit(block, scale_[block.row]);
}

void ImplicitMap::impulse_of(int i, const double* x, double* f) const {
  const Block block = scaled_block(i);
  if (judge_->skips(i)) {
    std::fill_n(f, block.rows, 0.0);
    return;
  }
  if (!has_cone(block)) {
    for (int row = 0; row < block.rows; ++row) f[row] = project_row(block, -x[row]);
    return;
  }
  f[2] = std::max(0.0, -x[2]);
  const double s = friction_scale(block, std::hypot(x[0], x[1]), f[2]);
  f[0] = -s * x[0];
  f[1] = -s * x[1];
}

/// f'(x) of one block, in the upper-left `rows` rows and columns.
ImplicitMap::BlockMatrix ImplicitMap::impulse_derivative(int i, const double* x) const {
  BlockMatrix D = BlockMatrix::Zero();
  const Block block = scaled_block(i);
  if (judge_->skips(i)) return D;
  if (!has_cone(block)) {
    for (int row = 0; row < block.rows; ++row) {
      if (is_inside(block, -x[row])) D(row, row) = -1.0;
    }
    return D;
  }
  const double normal = std::max(0.0, -x[2]);
  const double tangential = std::hypot(x[0], x[1]);
  if (normal == 0.0) return D;
  D(2, 2) = -1.0;
  if (tangential < block.friction * normal) {
    D(0, 0) = D(1, 1) = -1.0;
  } else if (tangential > 0.0) {
    const Eigen::Vector2d u(x[0] / tangential, x[1] / tangential);
    const double s = block.friction * normal / tangential;
    D.topLeftCorner<2, 2>() = -s * (Eigen::Matrix2d::Identity() - u * u.transpose());
    D.block<2, 1>(0, 2) = block.friction * u;
  }
  return D;
}

void ImplicitMap::derivative(const WorkVector& x, double proximal, WorkMatrix& result) const {
  result.resize(size(), size());
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const BlockMatrix D = impulse_derivative(i, x.data() + block.row);
    for (int column = 0; column < block.rows; ++column) {
      auto target = result.col(block.row + column);
      target.setZero();
      for (int row = 0; row < block.rows; ++row) {
        if (D(row, column) == 0.0) continue;
        target += D(row, column) * matrix_.col(block.row + row);
        target[block.row + row] -= (1.0 - proximal) * D(row, column);
      }
      target[block.row + column] -= 1.0;
    }
  }
}

void ImplicitMap::find_freedoms(const WorkVector& x, std::vector<Freedom>& freedoms) const {
  freedoms.clear();
  const auto free_row = [&freedoms](int row) {
    freedoms.push_back({.row = row,
                        .rows = 1,
                        .along = Eigen::Vector3d::UnitX(),
                        .across = Eigen::Vector3d::UnitX()});
  };
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block block = scaled_block(i);
    const int row = block.row;
    if (judge_->skips(i)) continue;
    if (!has_cone(block)) {
      for (int k = 0; k < block.rows; ++k) {
        if (is_inside(block, -x[row + k])) free_row(row + k);
      }
      continue;
    }
    const double normal = std::max(0.0, -x[row + 2]);
    const double tangential = std::hypot(x[row], x[row + 1]);
    if (normal == 0.0) continue;
    if (tangential <= block.friction * normal) {
      for (int k = 0; k < 3; ++k) free_row(row + k);
      continue;
    }
    const Eigen::Vector3d u(x[row] / tangential, x[row + 1] / tangential, 0.0);
    const Eigen::Vector3d n = Eigen::Vector3d::UnitZ();
    freedoms.push_back({.row = row, .rows = 3, .along = n - block.friction * u, .across = n});
    if (block.friction == 0.0) continue;
    const Eigen::Vector3d around(-u.y(), u.x(), 0.0);
    freedoms.push_back({.row = row,
                        .rows = 3,
                        .along = around,
                        .across = around,
                        .compliance = tangential / (block.friction * normal) - 1.0});
  }
}

void ImplicitMap::find_edges(const WorkVector& x, const WorkVector& step,
                             std::vector<double>& edges) const {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block block = scaled_block(i);
    const double* a = x.data() + block.row;
    const double* d = step.data() + block.row;
    if (judge_->skips(i)) continue;
    if (has_cone(block)) {
      const double m = block.friction * block.friction;
      add_roots(a[2], d[2], 0.0, edges);
      add_roots(a[0] * a[0] + a[1] * a[1] - m * a[2] * a[2],
                2.0 * (a[0] * d[0] + a[1] * d[1] - m * a[2] * d[2]),
                d[0] * d[0] + d[1] * d[1] - m * d[2] * d[2], edges);
      continue;
    }
    const RowBounds bounds = row_bounds(block);
    for (int k = 0; k < block.rows; ++k) {
      for (const double bound : {bounds.lower, bounds.upper}) {
        if (std::isfinite(bound)) add_roots(a[k] + bound, d[k], 0.0, edges);  // where −x = bound
      }
    }
  }
}

}  // namespace stiction
