#include "stiction/solver/body_newton.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

using Matrix6 = ContactProblem::Matrix6;

/// R relative to the mean diagonal of each block, one value after another.
constexpr std::array scalings{0.2, 0.05, 0.2, 3.0, 1.0, 0.05, 0.2, 3.0, 1.0};
/// ρ/R: initial value, bounds, factor if a centre took at most `quick` steps, factor after a
/// failure.
constexpr double first_rho = 1e-3;
constexpr double least_rho = 1e-9;
constexpr double largest_rho = 1.0;
constexpr double fall = 0.1;
constexpr double growth = 10.0;
constexpr int quick = 3;
/// The centre moves once the merit is this part of what it was, or after this number of steps.
constexpr double centred = 0.1;
constexpr int most_steps_to_centre = 8;
/// Lengths that must reduce the merit, and the one that is taken otherwise.
constexpr std::array lengths{1.0, 0.5};
constexpr double forced_length = 0.25;
constexpr double least_decrease = 1e-4;

/// L with L Lᵀ = A, for A that may be singular.
Matrix6 root_of(const Matrix6& A) {
  Matrix6 L = Matrix6::Zero();
  const double least = 1e-14 * A.trace();
  for (int k = 0; k < 6; ++k) {
    double square = A(k, k);
    for (int j = 0; j < k; ++j) square -= L(k, j) * L(k, j);
    if (!(square > least)) continue;
    L(k, k) = std::sqrt(square);
    for (int row = k + 1; row < 6; ++row) {
      double sum = A(row, k);
      for (int j = 0; j < k; ++j) sum -= L(row, j) * L(k, j);
      L(row, k) = sum / L(k, k);
    }
  }
  return L;
}

/// y[k] += a x[k], six numbers.
[[gnu::always_inline]] inline void add_scaled(double a, const double* __restrict x,
                                              double* __restrict y) {
  for (int k = 0; k < 6; ++k) y[k] = fma(a, x[k], y[k]);
}

/// The 6×6 block C, column by column, += left rightᵀ.
[[gnu::always_inline]] inline void add_outer(const double* __restrict left,
                                             const double* __restrict right, double* __restrict C) {
  for (int column = 0; column < 6; ++column) add_scaled(right[column], left, C + 6 * column);
}

[[gnu::always_inline]] inline double dot6(const double* a, const double* b) {
  return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])) +
         fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]));
}

}  // namespace

bool BodyNewton::suits(const ContactProblem& problem) {
  constexpr int most_bodies = 20000;  // of EliminationOrder's bits: 50 MB
  return problem.storage() == DelassusStorage::bodies && !problem.has_turns() &&
         problem.body_count() <= most_bodies;
}

void BodyNewton::start(const ContactProblem& problem, const Judge& judge,
                       std::span<const double> impulses) {
  problem_ = &problem;
  judge_ = &judge;
  const std::size_t rows = index(problem.row_count());
  for (Vector* v : {&R_, &x_, &r_, &dx_, &df_, &centre_, &impulses_, &velocity_, &trial_x_,
                    &trial_r_, &trial_impulses_, &row_stiffness_}) {
    v->resize(rows);
  }
  K_.resize(index(problem.block_count()));
  body_.resize(6 * index(problem.body_count()));
  parts_.resize(index(problem.block_count()));
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const auto couplings = problem.couplings(i);
    parts_[index(i)] = {block.row, block.rows, {couplings[0].body, couplings[1].body}, false};
  }
  pattern_.clear();
  scale_jacobians();
  scaling_ = 0;
  scale_rows();
  set(impulses);
}

void BodyNewton::scale_jacobians() {
  roots_.resize(index(problem_->body_count()));
  for (int b = 0; b < problem_->body_count(); ++b) {
    roots_[index(b)] = root_of(problem_->inverse_mass(b));
  }
  jacobians_.resize(12 * index(problem_->row_count()));
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    const auto couplings = problem_->couplings(i);
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* from = couplings[side].jacobian.data();
      double* to = jacobians_.data() + 12 * index(part.row) + 6 * index(part.rows) * side;
      const double* L = roots_[index(part.body[side])].data();
      for (int row = 0; row < part.rows; ++row) {
        for (int column = 0; column < 6; ++column) {
          to[6 * row + column] = dot6(from + 6 * row, L + 6 * column);
        }
      }
    }
  }
}

void BodyNewton::scale_rows() {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    const double mean = problem_->diagonal_block(i).trace() / part.rows;
    const double R = scalings[index(scaling_)] * mean;
    for (int k = 0; k < part.rows; ++k) R_[index(part.row + k)] = R > 0.0 ? R : 1.0;
  }
}

void BodyNewton::set(std::span<const double> impulses) {
  rho_ = first_rho;
  std::ranges::copy(impulses, df_.begin());
  multiply(df_, velocity_);
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = fnma(R_[k], df_[k], velocity_[k]);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const int row = parts_[index(i)].row;
    impulse_of(i, &x_[index(row)], &impulses_[index(row)]);
  }
  recenter();
}

void BodyNewton::change_scaling() {
  const double rho = rho_;
  scaling_ = (scaling_ + 1) % static_cast<int>(scalings.size());
  scale_rows();
  trial_impulses_ = impulses_;
  set(trial_impulses_);
  rho_ = rho;
}

/// The present impulses become the centre.
void BodyNewton::recenter() {
  centre_ = impulses_;
  merit_ = evaluate(x_, impulses_, r_);
  merit_then_ = merit_;
  steps_ = 0;
  residual_ = 0.0;
  for (std::size_t k = 0; k < r_.size(); ++k) {
    residual_ = std::max(residual_, std::abs(r_[k]) / R_[k]);
  }
}

void BodyNewton::impulse_of(int i, const double* x, double* f) const {
  const Block& block = problem_->blocks()[index(i)];
  if (judge_->skips(i)) {
    std::fill_n(f, block.rows, 0.0);
    return;
  }
  const double inverse = 1.0 / R_[index(block.row)];
  if (!has_cone(block)) {
    for (int k = 0; k < block.rows; ++k) f[k] = project_row(block, -x[k] * inverse);
    return;
  }
  f[2] = std::max(0.0, -x[2] * inverse);
  const double tangential = std::sqrt(x[0] * x[0] + x[1] * x[1]) * inverse;
  const double scale = inverse * friction_scale(block, tangential, f[2]);
  f[0] = -scale * x[0];
  f[1] = -scale * x[1];
}

/// w = G f + v* − target.
void BodyNewton::multiply(const Vector& f, Vector& w) {
  std::ranges::fill(body_, 0.0);
  for (const Part& part : parts_) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      double* z = body_.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) add_scaled(f[index(part.row + k)], J + 6 * k, z);
    }
  }
  const double* free = problem_->shifted_velocity().data();
  for (const Part& part : parts_) {
    double* own = w.data() + part.row;
    for (int k = 0; k < part.rows; ++k) own[k] = free[part.row + k];
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      const double* z = body_.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) own[k] += dot6(J + 6 * k, z);
    }
  }
}

/// f(x) and r(x) + ρR (f − c); returns the merit.
double BodyNewton::evaluate(const Vector& x, Vector& f, Vector& r) {
  for (int i = 0; i < problem_->block_count(); ++i) {
    const int row = parts_[index(i)].row;
    impulse_of(i, &x[index(row)], &f[index(row)]);
  }
  multiply(f, r);
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    r[k] -= x[k] + R_[k] * (f[k] - rho_ * (f[k] - centre_[k]));
    sum += r[k] * r[k] / R_[k];
  }
  return 0.5 * sum;
}

/// K of a block at x; whether its impulse can change.
bool BodyNewton::find_stiffness(int i) {
  const Block& block = problem_->blocks()[index(i)];
  if (judge_->skips(i)) return false;
  const double* x = &x_[index(block.row)];
  const double R = R_[index(block.row)];
  const double stiffness = 1.0 / (rho_ * R);
  if (!has_cone(block)) {
    bool any = false;
    for (int k = 0; k < block.rows; ++k) {
      const bool inside = is_inside(block, -x[k] / R);
      row_stiffness_[index(block.row + k)] = inside ? stiffness : 0.0;
      any |= inside;
    }
    return any;
  }
  const double normal = std::max(0.0, -x[2] / R);
  if (normal == 0.0) return false;
  Matrix3& K = K_[index(i)];
  K.setZero();
  const double tangential = std::sqrt(x[0] * x[0] + x[1] * x[1]);
  const double mu = block.friction;
  if (tangential <= mu * normal * R) {
    K.diagonal().setConstant(stiffness);
    return true;
  }
  const double ux = x[0] / tangential;
  const double uy = x[1] / tangential;
  K(0, 2) = -mu * ux * stiffness;
  K(1, 2) = -mu * uy * stiffness;
  K(2, 2) = stiffness;
  if (mu == 0.0) return true;
  const double around = 1.0 / (rho_ * R + tangential / (mu * normal) - R);
  K(0, 0) = uy * uy * around;
  K(0, 1) = K(1, 0) = -ux * uy * around;
  K(1, 1) = ux * ux * around;
  return true;
}

/// The order of elimination, if other blocks are active than in the last step.
void BodyNewton::find_pattern() {
  bool same = pattern_.size() == parts_.size();
  pattern_.resize(parts_.size());
  for (int i = 0; i < problem_->block_count(); ++i) {
    Part& part = parts_[index(i)];
    part.active = find_stiffness(i);
    same = same && part.active == (pattern_[index(i)] != 0);
    pattern_[index(i)] = part.active ? 1 : 0;
  }
  if (same) return;
  order_.start(problem_->body_count());
  for (const Part& part : parts_) {
    if (part.active && part.body[0] >= 0 && part.body[1] >= 0) {
      order_.join(part.body[0], part.body[1]);
    }
  }
  order_.eliminate();
}

/// 1 + J̃ᵀ K J̃ and −J̃ᵀ K r.
void BodyNewton::assemble() {
  lu_.start(order_);
  std::ranges::fill(body_, 0.0);
  for (int b = 0; b < problem_->body_count(); ++b) {
    double* diagonal = lu_.block(b, b);
    for (int k = 0; k < 6; ++k) diagonal[7 * k] = 1.0;
  }
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    if (!part.active) continue;
    if (has_cone(problem_->blocks()[index(i)])) {
      add_contact(part, K_[index(i)]);
      continue;
    }
    for (int k = 0; k < part.rows; ++k) {
      const double stiffness = row_stiffness_[index(part.row + k)];
      if (stiffness > 0.0) add_row(part, k, stiffness);
    }
  }
}

void BodyNewton::add_contact(const Part& part, const Matrix3& K) {
  const Eigen::Vector3d Kr = K * Eigen::Map<const Eigen::Vector3d>(r_.data() + part.row);
  for (std::size_t right = 0; right < 2; ++right) {
    if (part.body[right] < 0) continue;
    const double* J = jacobian(part, right);
    double KJ[3][6] = {};
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) add_scaled(K(k, j), J + 6 * j, KJ[k]);
    }
    double* z = body_.data() + 6 * part.body[right];
    for (int k = 0; k < 3; ++k) add_scaled(-Kr[k], J + 6 * k, z);
    for (std::size_t left = 0; left < 2; ++left) {
      if (part.body[left] < 0) continue;
      double* target = lu_.block(part.body[left], part.body[right]);
      for (int k = 0; k < 3; ++k) add_outer(jacobian(part, left) + 6 * k, KJ[k], target);
    }
  }
}

void BodyNewton::add_row(const Part& part, int row, double stiffness) {
  for (std::size_t right = 0; right < 2; ++right) {
    if (part.body[right] < 0) continue;
    const double* J = jacobian(part, right) + 6 * row;
    add_scaled(-stiffness * r_[index(part.row + row)], J, body_.data() + 6 * part.body[right]);
    double KJ[6] = {};
    add_scaled(stiffness, J, KJ);
    for (std::size_t left = 0; left < 2; ++left) {
      if (part.body[left] < 0) continue;
      add_outer(jacobian(part, left) + 6 * row, KJ, lu_.block(part.body[left], part.body[right]));
    }
  }
}

/// Δλ = −K (r + J̃ Δz).
void BodyNewton::follow_bodies() {
  std::ranges::fill(df_, 0.0);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Part& part = parts_[index(i)];
    if (!part.active) continue;
    double moved[max_block_rows];
    for (int k = 0; k < part.rows; ++k) moved[k] = r_[index(part.row + k)];
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      const double* z = body_.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) moved[k] += dot6(J + 6 * k, z);
    }
    double* change = df_.data() + part.row;
    if (has_cone(problem_->blocks()[index(i)])) {
      const Matrix3& K = K_[index(i)];
      for (int k = 0; k < 3; ++k) {
        change[k] = -fma(K(k, 2), moved[2], fma(K(k, 1), moved[1], K(k, 0) * moved[0]));
      }
      continue;
    }
    for (int k = 0; k < part.rows; ++k) change[k] = -row_stiffness_[index(part.row + k)] * moved[k];
  }
}

bool BodyNewton::find_direction() {
  find_pattern();
  assemble();
  if (!lu_.compute()) return false;
  lu_.solve(body_);
  follow_bodies();
  multiply(df_, dx_);
  const double* free = problem_->shifted_velocity().data();
  bool finite = true;
  for (std::size_t k = 0; k < dx_.size(); ++k) {
    dx_[k] += r_[k] - free[k] - (1.0 - rho_) * R_[k] * df_[k];
    finite = finite && std::isfinite(dx_[k]);
  }
  return finite;
}

void BodyNewton::try_length(double length) {
  for (std::size_t k = 0; k < x_.size(); ++k) trial_x_[k] = fma(length, dx_[k], x_[k]);
  trial_merit_ = evaluate(trial_x_, trial_impulses_, trial_r_);
}

bool BodyNewton::step() {
  if (!find_direction()) {
    rho_ = std::min(largest_rho, growth * rho_);
    recenter();
    return false;
  }
  bool smaller = false;
  for (const double length : lengths) {
    try_length(length);
    smaller = trial_merit_ < (1.0 - least_decrease * length) * merit_;
    if (smaller) break;
  }
  if (!smaller) try_length(forced_length);
  x_.swap(trial_x_);
  r_.swap(trial_r_);
  impulses_.swap(trial_impulses_);
  merit_ = trial_merit_;
  ++steps_;
  const bool near = smaller && merit_ < centred * merit_then_;
  if (!smaller || (!near && steps_ > most_steps_to_centre)) {
    rho_ = std::min(largest_rho, growth * rho_);
  } else if (!near) {
    return true;
  } else if (steps_ <= quick) {
    rho_ = std::max(least_rho, fall * rho_);
  }
  recenter();
  return true;
}

double BodyNewton::work() const {
  constexpr double product = 216.0;
  constexpr double block = 1500.0;  // K, its share of the matrix, and evaluations
  return product *
             (order_.products() + 4.0 * static_cast<double>(order_.fill()) + 2.0 * order_.size()) +
         block * static_cast<double>(parts_.size());
}

}  // namespace stiction
