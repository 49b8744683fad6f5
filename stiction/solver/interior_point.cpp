#include "stiction/solver/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"

namespace stiction {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A step may cover this fraction of the distance to the boundary of a cone.
constexpr double wall_distance = 0.995;
/// Smaller friction counts as none: the cone is a half-line.
constexpr double least_friction = 1e-10;
/// Regularization for redundant locks, relative to the mean diagonal.
constexpr double regularization = 1e-13;

double determinant(const Vector3d& a) {
  const double tangential = a.tail<2>().norm();
  return (a[0] - tangential) * (a[0] + tangential);
}

/// The product a ∘ b of the cone's Jordan algebra.
Vector3d circle_product(const Vector3d& a, const Vector3d& b) {
  Vector3d result;
  result[0] = a.dot(b);
  result.tail<2>() = a[0] * b.tail<2>() + b[0] * a.tail<2>();
  return result;
}

/// x with middle ∘ x = d.
Vector3d circle_quotient(const Vector3d& middle, const Vector3d& d) {
  Vector3d x;
  x[0] = (middle[0] * d[0] - middle.tail<2>().dot(d.tail<2>())) / determinant(middle);
  x.tail<2>() = (d.tail<2>() - x[0] * middle.tail<2>()) / middle[0];
  return x;
}

/// Largest t for which a + t d stays in the cone.
double cone_step(const Vector3d& a, const Vector3d& d) {
  const double A = d[0] * d[0] - d.tail<2>().squaredNorm();
  const double B = a[0] * d[0] - a.tail<2>().dot(d.tail<2>());
  const double C = determinant(a);
  double t = std::numeric_limits<double>::infinity();
  const double discriminant = B * B - A * C;
  if (discriminant >= 0.0) {
    // Both roots without cancellation.
    const double q = -(B + std::copysign(std::sqrt(discriminant), B));
    for (const double root : {q / A, C / q}) {
      if (root > 0.0) t = std::min(t, root);
    }
  }
  if (d[0] < 0.0) t = std::min(t, -a[0] / d[0]);
  return t;
}

double line_step(double a, double d) {
  return d < 0.0 ? -a / d : std::numeric_limits<double>::infinity();
}

}  // namespace

void InteriorPoint::add_part(Bound bound, int row) {
  parts_.push_back({.bound = bound, .row = row});
  if (bound == Bound::cone || bound == Bound::half_line) ++cone_count_;
  if (bound == Bound::box) cone_count_ += 2;
}

Vector3d InteriorPoint::cone_of(const WorkVector& x, const Part& part) const {
  return {x[part.row + 2], x[part.row], x[part.row + 1]};
}

void InteriorPoint::set_cone(const Vector3d& value, const Part& part, WorkVector& x) const {
  x[part.row + 2] = value[0];
  x[part.row] = value[1];
  x[part.row + 1] = value[2];
}

void InteriorPoint::start(const ContactProblem& problem, Law law, const Scales& scales,
                          bool follow_slip) {
  problem_ = &problem;
  slips_ = law == Law::coulomb;
  follow_slip_ = follow_slip && slips_;
  const int n = problem.row_count();
  for (WorkVector* x : {&scaling_, &q_, &a_, &b_, &da_, &db_, &residual_, &rhs_, &zeta_}) {
    x->resize(n);
    x->setZero();
  }
  scaling_.setOnes();
  parts_.clear();
  cone_count_ = 0;
  last_length_ = 1.0;
  const double least_trace = 1e-12 * problem.largest_trace();
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const ContactProblem::Matrix6& G = problem.diagonal_block(i);
    switch (impulse_set(block)) {
      case ImpulseSet::cone: {
        const bool locked = !(G(2, 2) > 1e-12 * G.trace());
        if (block.friction >= least_friction && !locked) {
          add_part(Bound::cone, block.row);
          parts_.back().friction = block.friction;
          scaling_[block.row + 2] = 1.0 / block.friction;
          a_[block.row + 2] = block.friction * scales.impulse;
          b_[block.row + 2] = scales.velocity / block.friction;
        } else {
          add_part(Bound::frozen, block.row);
          add_part(Bound::frozen, block.row + 1);
          add_part(locked ? Bound::frozen : Bound::half_line, block.row + 2);
        }
        break;
      }
      case ImpulseSet::half_line:
        add_part(G(0, 0) > least_trace ? Bound::half_line : Bound::frozen, block.row);
        break;
      case ImpulseSet::interval:
        add_part(block.bound > 0.0 && G(0, 0) > least_trace ? Bound::box : Bound::frozen,
                 block.row);
        parts_.back().reach = block.bound;
        parts_.back().upper = parts_.back().lower = scales.velocity;
        break;
      case ImpulseSet::all:
        for (int k = 0; k < block.rows; ++k) add_part(Bound::free, block.row + k);
        break;
      case ImpulseSet::disc:  // never here: FrozenTurns replaces them
        for (int k = 0; k < block.rows; ++k) add_part(Bound::frozen, block.row + k);
        break;
    }
  }
  for (const Part& part : parts_) {
    if (part.bound != Bound::half_line) continue;
    a_[part.row] = scales.impulse;
    b_[part.row] = scales.velocity;
  }
  G_.resize(n, n);
  system_.resize(n, n);
  shift_.resize(n);
  G_ = scaling_.asDiagonal() * problem.delassus() * scaling_.asDiagonal();
  q_ = scaling_.cwiseProduct(problem.shifted_velocity());
  shift_.setConstant(regularization * G_.diagonal().mean());
}

double InteriorPoint::part_gap(const Part& part) const {
  switch (part.bound) {
    case Bound::cone:
      return a_.segment<3>(part.row).dot(b_.segment<3>(part.row));
    case Bound::half_line:
      return a_[part.row] * b_[part.row];
    case Bound::box:
      return part.upper * (part.reach - a_[part.row]) + part.lower * (part.reach + a_[part.row]);
    case Bound::free:
    case Bound::frozen:
      return 0.0;
  }
  return 0.0;
}

/// The scaling point of Nesterov and Todd of each cone [Vandenberghe2010, 4.2].
void InteriorPoint::scale() {
  gap_ = 0.0;
  for (Part& part : parts_) {
    gap_ += part_gap(part) / std::max(1, cone_count_);
    if (part.bound != Bound::cone) continue;
    const Vector3d a = cone_of(a_, part);
    const Vector3d b = cone_of(b_, part);
    const double size_a = std::sqrt(determinant(a));
    const double size_b = std::sqrt(determinant(b));
    const Vector3d unit_a = a / size_a;
    const Vector3d unit_b = b / size_b;
    const double cosine = std::sqrt(0.5 * (1.0 + unit_a.dot(unit_b)));
    const Vector3d mirror(1.0, -1.0, -1.0);
    const Vector3d w = (unit_b + mirror.cwiseProduct(unit_a)) / (2.0 * cosine);
    Vector3d v = w;
    v[0] += 1.0;
    v /= std::sqrt(2.0 * (w[0] + 1.0));
    const Vector3d mirrored = mirror.cwiseProduct(v);
    const double ratio = size_b / size_a;
    const Matrix3d J = mirror.asDiagonal();
    part.W = std::sqrt(ratio) * (2.0 * v * v.transpose() - J);
    part.inverse_W = (2.0 * mirrored * mirrored.transpose() - J) / std::sqrt(ratio);
    part.squared_W = ratio * (2.0 * w * w.transpose() - J);
    part.middle = part.W * a;
    const double slip = b.tail<2>().norm();
    part.slip_direction.setZero();
    if (follow_slip_ && slip > 0.0) part.slip_direction = b.tail<2>() / slip;
  }
}

/// Ĝa + q̂ + s e₀ − b, row by row.
void InteriorPoint::update_residual() {
  residual_.noalias() = G_ * a_;
  residual_ += q_;
  for (const Part& part : parts_) {
    switch (part.bound) {
      case Bound::cone:
        residual_.segment<3>(part.row) -= b_.segment<3>(part.row);
        if (slips_) residual_[part.row + 2] += b_.segment<2>(part.row).norm();
        break;
      case Bound::half_line:
        residual_[part.row] -= b_[part.row];
        break;
      case Bound::box:
        residual_[part.row] -= part.lower - part.upper;
        break;
      case Bound::free:
        break;
      case Bound::frozen:
        residual_[part.row] = 0.0;
        break;
    }
  }
}

bool InteriorPoint::factorize() {
  WorkMatrix& A = follow_slip_ ? lu_.matrix(a_.size()) : system_;
  A = G_;
  for (const Part& part : parts_) {
    const int row = part.row;
    switch (part.bound) {
      case Bound::cone: {
        Matrix3d H = part.squared_W;
        H.row(0) -= part.slip_direction.transpose() * part.squared_W.bottomRows<2>();
        constexpr int order[] = {2, 0, 1};  // n, t1, t2 in the rows of a contact
        for (int i = 0; i < 3; ++i) {
          for (int k = 0; k < 3; ++k) A(row + order[i], row + order[k]) += H(i, k);
        }
        break;
      }
      case Bound::half_line:
        A(row, row) += b_[row] / a_[row];
        break;
      case Bound::box:
        A(row, row) += part.upper / (part.reach - a_[row]) + part.lower / (part.reach + a_[row]);
        break;
      case Bound::free:
        break;
      case Bound::frozen:
        A.row(row).setZero();
        A.col(row).setZero();
        A(row, row) = 1.0;
        break;
    }
  }
  if (!follow_slip_) return cholesky_.factorize(system_, shift_);
  A.diagonal() += shift_;
  return lu_.compute();
}

/// What middle ∘ (W da + W⁻¹ db) should be.
Vector3d InteriorPoint::cone_target(const Part& part, double centre, bool corrected) const {
  Vector3d target = -circle_product(part.middle, part.middle);
  if (corrected) {
    target -= circle_product(part.inverse_W * cone_of(db_, part), part.W * cone_of(da_, part));
  }
  target[0] += centre;
  return target;
}

void InteriorPoint::solve_direction(double sigma, bool corrected) {
  const double centre = sigma * gap_;
  rhs_ = -residual_;
  for (Part& part : parts_) {
    const int row = part.row;
    if (part.bound == Bound::cone) {
      const Vector3d zeta =
          part.W * circle_quotient(part.middle, cone_target(part, centre, corrected));
      set_cone(zeta, part, zeta_);
      rhs_.segment<3>(row) += zeta_.segment<3>(row);
      rhs_[row + 2] -= part.slip_direction.dot(zeta.tail<2>());
    } else if (part.bound == Bound::half_line) {
      const double second = corrected ? da_[row] * db_[row] : 0.0;
      zeta_[row] = (centre - second) / a_[row] - b_[row];
      rhs_[row] += zeta_[row];
    } else if (part.bound == Bound::box) {
      const double up = part.reach - a_[row];
      const double down = part.reach + a_[row];
      const double second_up = corrected ? -da_[row] * part.upper_change : 0.0;
      const double second_down = corrected ? da_[row] * part.lower_change : 0.0;
      part.upper_change = (centre - second_up) / up - part.upper;
      part.lower_change = (centre - second_down) / down - part.lower;
      rhs_[row] += part.lower_change - part.upper_change;
    }
  }
  da_ = rhs_;
  if (follow_slip_) {
    lu_.solve(da_);
  } else {
    cholesky_.solve_in_place(da_);
  }
  for (Part& part : parts_) {
    const int row = part.row;
    if (part.bound == Bound::cone) {
      set_cone(cone_of(zeta_, part) - part.squared_W * cone_of(da_, part), part, db_);
    } else if (part.bound == Bound::half_line) {
      db_[row] = zeta_[row] - b_[row] / a_[row] * da_[row];
    } else if (part.bound == Bound::box) {
      part.upper_change += part.upper / (part.reach - a_[row]) * da_[row];
      part.lower_change -= part.lower / (part.reach + a_[row]) * da_[row];
    }
  }
}

double InteriorPoint::step_length() const {
  double t = std::numeric_limits<double>::infinity();
  for (const Part& part : parts_) {
    const int row = part.row;
    if (part.bound == Bound::cone) {
      t = std::min({t, cone_step(cone_of(a_, part), cone_of(da_, part)),
                    cone_step(cone_of(b_, part), cone_of(db_, part))});
    } else if (part.bound == Bound::half_line) {
      t = std::min({t, line_step(a_[row], da_[row]), line_step(b_[row], db_[row])});
    } else if (part.bound == Bound::box) {
      t = std::min(
          {t, line_step(part.reach - a_[row], -da_[row]), line_step(part.reach + a_[row], da_[row]),
           line_step(part.upper, part.upper_change), line_step(part.lower, part.lower_change)});
    }
  }
  return t;
}

void InteriorPoint::move(double length) {
  a_ += length * da_;
  b_ += length * db_;
  for (Part& part : parts_) {
    part.upper += length * part.upper_change;
    part.lower += length * part.lower_change;
  }
}

bool InteriorPoint::step() {
  scale();
  update_residual();
  if (!factorize()) return false;
  solve_direction(0.0, false);
  if (!da_.allFinite() || !db_.allFinite()) return false;
  const double reach = std::min(1.0, step_length());
  double sigma = std::pow(1.0 - reach, 3);
  if (last_length_ < 0.1)
    sigma = std::max(sigma, 0.5);  // stuck at the boundary: back to the centre
  solve_direction(sigma, true);
  if (!da_.allFinite() || !db_.allFinite()) return false;
  last_length_ = std::min(1.0, wall_distance * step_length());
  move(last_length_);
  return last_length_ > 1e-8;
}

void InteriorPoint::impulses(std::span<double> result) const {
  for (std::size_t row = 0; row < result.size(); ++row) {
    const auto i = static_cast<Eigen::Index>(row);
    result[row] = scaling_[i] * a_[i];
  }
}

}  // namespace stiction
