#include "stiction/solver/body_equations.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/scalar.hpp"

namespace stiction {

namespace {

using Matrix6 = ContactProblem::Matrix6;
constexpr std::size_t block_size = BlockLu::block_size;

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

[[gnu::always_inline]] inline double dot6(const double* a, const double* b) {
  return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])) +
         fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]));
}

/// C += left rightᵀ, column by column.
[[gnu::always_inline]] inline void add_outer(const double* __restrict left,
                                             const double* __restrict right, double* __restrict C) {
  for (int column = 0; column < 6; ++column) add_scaled(right[column], left, C + 6 * column);
}

/// C += k A.
[[gnu::always_inline]] inline void add_block(double k, const double* __restrict A,
                                             double* __restrict C) {
  for (std::size_t e = 0; e < block_size; ++e) C[e] = fma(k, A[e], C[e]);
}

}  // namespace

bool BodyEquations::suits(const ContactProblem& problem) {
  constexpr int most_bodies = 20000;  // of EliminationOrder's bits: 50 MB
  return problem.storage() == DelassusStorage::bodies && !problem.has_turns() &&
         problem.body_count() <= most_bodies;
}

void BodyEquations::start(const ContactProblem& problem, const Judge& judge) {
  problem_ = &problem;
  const auto shifted = problem.shifted_velocity();
  free_.resize(index(problem.row_count()));
  std::copy_n(shifted.data(), free_.size(), free_.begin());
  read_parts(judge);
  scale_jacobians();
  places_.assign(parts_.size(), {});
  has_gram_.assign(parts_.size(), 0);
  if (grams_.size() < 4 * block_size * parts_.size()) {
    grams_.resize(4 * block_size * parts_.size());
  }
  has_order_ = false;
}

void BodyEquations::read_parts(const Judge& judge) {
  parts_.resize(index(problem_->block_count()));
  double roots = 0.0;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    const auto couplings = problem_->couplings(i);
    Part& part = parts_[index(i)];
    part = {.row = block.row,
            .rows = block.rows,
            .body = {couplings[0].body, couplings[1].body},
            .friction = block.friction,
            .cone = has_cone(block),
            .skipped = judge.skips(i)};
    const double mean = problem_->diagonal_block(i).trace() / block.rows;
    if (mean > 0.0) part.R = mean;
    roots += std::sqrt(part.R);
  }
  mean_root_ = roots / static_cast<double>(parts_.size());
}

void BodyEquations::scale_jacobians() {
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

void BodyEquations::apply(std::span<const double> impulses, std::span<double> z) const {
  std::ranges::fill(z, 0.0);
  for (const Part& part : parts_) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (part.body[side] < 0) continue;
      const double* J = jacobian(part, side);
      double* own = z.data() + 6 * part.body[side];
      for (int k = 0; k < part.rows; ++k) add_scaled(impulses[index(part.row + k)], J + 6 * k, own);
    }
  }
}

void BodyEquations::take_out(const Part& part, const double* impulse, std::span<double> z) const {
  for (std::size_t side = 0; side < 2; ++side) {
    if (part.body[side] < 0) continue;
    const double* J = jacobian(part, side);
    double* own = z.data() + 6 * part.body[side];
    for (int k = 0; k < part.rows; ++k) add_scaled(-impulse[k], J + 6 * k, own);
  }
}

void BodyEquations::read(const Part& part, std::span<const double> z, double* velocity) const {
  std::fill_n(velocity, part.rows, 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    if (part.body[side] < 0) continue;
    const double* J = jacobian(part, side);
    const double* body = z.data() + 6 * part.body[side];
    for (int k = 0; k < part.rows; ++k) velocity[k] += dot6(J + 6 * k, body);
  }
}

void BodyEquations::read(std::span<const double> z, std::span<double> velocities) const {
  for (const Part& part : parts_) read(part, z, velocities.data() + part.row);
}

/// Finds a new order if a block acts for which the present one has no place. Blocks that are open
/// all the time, in a heap one in three, cost nothing that way. The order depends on the problem
/// and the impulses alone, so one for the same pairs may be kept.
void BodyEquations::make_room(std::span<const Stiffness> stiffness) {
  const auto couples = [&](std::size_t i) {
    return stiffness[i].kind != Stiffness::Kind::none && parts_[i].body[0] >= 0 &&
           parts_[i].body[1] >= 0;
  };
  bool misses = !has_order_;
  for (std::size_t i = 0; i < parts_.size() && !misses; ++i) misses = couples(i) && !has_place(i);
  if (!misses) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (couples(i)) places_[i].wanted = true;
  }
  find_order();
}

bool BodyEquations::has_place(std::size_t i) {
  Place& own = places_[i];
  if (own.known) return true;
  const auto found = order_.find(parts_[i].body[0], parts_[i].body[1]);
  if (!found) return false;
  own.place = *found;
  own.first_is_earlier = order_.position(parts_[i].body[0]) < order_.position(parts_[i].body[1]);
  own.known = true;
  return true;
}

void BodyEquations::find_order() {
  new_edges_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    places_[i].known = false;
    if (places_[i].wanted) new_edges_.push_back(parts_[i].body);
  }
  if (ordered_bodies_ != problem_->body_count() || new_edges_ != edges_) {
    edges_ = new_edges_;
    ordered_bodies_ = problem_->body_count();
    order_.start(ordered_bodies_);
    for (const auto& [a, b] : edges_) order_.join(a, b);
    order_.eliminate();
  }
  has_order_ = true;
}

const double* BodyEquations::gram(std::size_t i) {
  double* own = grams_.data() + 4 * block_size * i;
  if (has_gram_[i] != 0) return own;
  has_gram_[i] = 1;
  std::fill_n(own, 4 * block_size, 0.0);
  const Part& part = parts_[i];
  for (std::size_t left = 0; left < 2; ++left) {
    for (std::size_t right = 0; right < 2; ++right) {
      if (part.body[left] < 0 || part.body[right] < 0) continue;
      const double* A = jacobian(part, left);
      const double* B = jacobian(part, right);
      double* C = own + block_size * (2 * left + right);
      for (int row = 0; row < part.rows; ++row) add_outer(A + 6 * row, B + 6 * row, C);
    }
  }
  return own;
}

void BodyEquations::add_stick(std::size_t i, double k) {
  const Part& part = parts_[i];
  const double* products = gram(i);
  const auto& [a, b] = part.body;
  if (a >= 0) add_block(k, products, lu_.diagonal_block(a));
  if (b >= 0) add_block(k, products + 3 * block_size, lu_.diagonal_block(b));
  if (a < 0 || b < 0) return;
  const Place& own = places_[i];
  double* ab = own.first_is_earlier ? lu_.upper_block(own.place) : lu_.lower_block(own.place);
  double* ba = own.first_is_earlier ? lu_.lower_block(own.place) : lu_.upper_block(own.place);
  add_block(k, products + block_size, ab);
  add_block(k, products + 2 * block_size, ba);
}

/// Adds left rightᵀ: six numbers of each for the first body, and six for the second.
void BodyEquations::add_product(std::size_t i, const double* left, const double* right) {
  const auto& [a, b] = parts_[i].body;
  if (a >= 0) add_outer(left, right, lu_.diagonal_block(a));
  if (b >= 0) add_outer(left + 6, right + 6, lu_.diagonal_block(b));
  if (a < 0 || b < 0) return;
  const Place& own = places_[i];
  double* ab = own.first_is_earlier ? lu_.upper_block(own.place) : lu_.lower_block(own.place);
  double* ba = own.first_is_earlier ? lu_.lower_block(own.place) : lu_.upper_block(own.place);
  add_outer(left, right + 6, ab);
  add_outer(left + 6, right, ba);
}

/// J̃ᵀ K J̃ of a block.
void BodyEquations::add(std::size_t i, const Stiffness& stiffness,
                        std::span<const double> row_stiffness) {
  const Part& part = parts_[i];
  if (stiffness.kind == Stiffness::Kind::stick) return add_stick(i, stiffness.k);
  double left[12] = {};
  double right[12] = {};
  if (stiffness.kind == Stiffness::Kind::rows) {
    for (int row = 0; row < part.rows; ++row) {
      const double k = row_stiffness[index(part.row + row)];
      if (k == 0.0) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        if (part.body[side] < 0) continue;
        const double* J = jacobian(part, side) + 6 * row;
        std::copy_n(J, 6, right + 6 * side);
        for (int e = 0; e < 6; ++e) left[6 * index(static_cast<int>(side)) + index(e)] = k * J[e];
      }
      add_product(i, left, right);
    }
    return;
  }
  double across_left[12] = {};
  double across_right[12] = {};
  for (std::size_t side = 0; side < 2; ++side) {
    if (part.body[side] < 0) continue;
    const double* J = jacobian(part, side);
    for (std::size_t e = 0; e < 6; ++e) {
      const double along = fma(stiffness.x, J[e], stiffness.y * J[6 + e]);
      const double across = fma(stiffness.x, J[6 + e], -stiffness.y * J[e]);
      left[6 * side + e] = stiffness.k * fma(stiffness.friction, along, J[12 + e]);
      right[6 * side + e] = J[12 + e];
      across_left[6 * side + e] = stiffness.across * across;
      across_right[6 * side + e] = across;
    }
  }
  add_product(i, left, right);
  if (stiffness.across > 0.0) add_product(i, across_left, across_right);
}

bool BodyEquations::solve(std::span<const Stiffness> stiffness,
                          std::span<const double> row_stiffness, std::span<double> x) {
  make_room(stiffness);
  lu_.start(order_);
  for (int b = 0; b < problem_->body_count(); ++b) {
    double* diagonal = lu_.diagonal_block(b);
    for (int k = 0; k < 6; ++k) diagonal[7 * k] = 1.0;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (stiffness[i].kind == Stiffness::Kind::none) continue;
    if (parts_[i].body[0] >= 0 && parts_[i].body[1] >= 0 && !has_place(i)) return false;
    add(i, stiffness[i], row_stiffness);
  }
  if (!lu_.compute()) return false;
  lu_.solve(x);
  return true;
}

void BodyEquations::respond(const Part& part, const Stiffness& stiffness,
                            const double* row_stiffness, const double* dw, double* impulse) {
  switch (stiffness.kind) {
    case Stiffness::Kind::none:
      return;
    case Stiffness::Kind::stick:
      for (int k = 0; k < 3; ++k) impulse[k] = fnma(stiffness.k, dw[k], impulse[k]);
      return;
    case Stiffness::Kind::rows:
      for (int k = 0; k < part.rows; ++k) impulse[k] = fnma(row_stiffness[k], dw[k], impulse[k]);
      return;
    case Stiffness::Kind::slip: {
      const double normal = stiffness.k * dw[2];
      const double along = stiffness.friction * normal;
      const double across = stiffness.across * fma(stiffness.x, dw[1], -stiffness.y * dw[0]);
      impulse[0] -= fma(stiffness.x, along, -stiffness.y * across);
      impulse[1] -= fma(stiffness.y, along, stiffness.x * across);
      impulse[2] -= normal;
      return;
    }
  }
}

double BodyEquations::step_work() const {
  constexpr double product = 216.0;
  constexpr double block = 1500.0;  // K, its share of the matrix, and evaluations
  return product * (2.0 * order_.products() + 4.0 * static_cast<double>(order_.fill()) +
                    2.0 * order_.size()) +
         block * static_cast<double>(parts_.size());
}

}  // namespace stiction
