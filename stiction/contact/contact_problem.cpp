#include "stiction/contact/contact_problem.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "stiction/contact/cholesky.hpp"
#include "stiction/contact/dense_delassus.hpp"
#include "stiction/core/finite.hpp"
#include "stiction/core/unroll.hpp"

namespace stiction {

namespace {

/// Largest difference between G and its transpose that counts as rounding, relative to the largest
/// entry.
constexpr double symmetry_tolerance = 1e-9;

/// How far below zero an eigenvalue may be, relative to the largest diagonal entry. Matrices from
/// single precision or from long chains, as other programs write them, are off by about 1e-8.
constexpr double definiteness_tolerance = 1e-6;

/// How far below zero a diagonal entry may be by rounding, relative to the largest one.
constexpr double diagonal_tolerance = 1e-12;

int round_up_to_four(int n) { return (n + 3) / 4 * 4; }

}  // namespace

std::string_view to_string(BlockKind kind) {
  switch (kind) {
    case BlockKind::contact:
      return "contact";
    case BlockKind::limit:
      return "limit";
    case BlockKind::joint_friction:
      return "joint friction";
    case BlockKind::lock:
      return "lock";
    case BlockKind::spin:
      return "spin";
    case BlockKind::roll:
      return "roll";
  }
  return "?";
}

void ContactProblem::clear() {
  blocks_.clear();
  target_.clear();
  rows_ = 0;
  turn_count_ = 0;
  prepared_ = false;
  inverse_mass_.clear();
  coupled_.clear();
  free_velocity_.clear();
  storage_ = DelassusStorage::dense;
  stride_ = 0;
  has_storage_ = false;
  misuse_ = Misuse::none;
}

void ContactProblem::note_misuse(Misuse misuse, int number, int block) {
  if (misuse_ != Misuse::none) return;
  misuse_ = misuse;
  misuse_number_ = number;
  misuse_block_ = block;
}

int ContactProblem::add_block(const Block& block, double last_target) {
  if (refuse(block.rows < 1 || block.rows > max_block_rows, Misuse::block_rows, block.rows) ||
      refuse(has_storage_, Misuse::late_block, block_count())) {
    return -1;
  }
  if (block.kind == BlockKind::spin || block.kind == BlockKind::roll) {
    const int last = block.contact + block.contacts;
    bool known = block.contact >= 0 && block.contacts >= 1 && last <= block_count();
    for (int i = block.contact; known && i < last; ++i) {
      known = blocks_[index(i)].kind == BlockKind::contact;
    }
    const int rows = block.kind == BlockKind::spin ? 1 : 2;
    if (refuse(!known, Misuse::turn_contact, block.contact, block_count()) ||
        refuse(block.rows != rows, Misuse::block_rows, block.rows)) {
      return -1;
    }
    ++turn_count_;
  }
  blocks_.push_back(block);
  blocks_.back().row = rows_;
  rows_ += block.rows;
  target_.resize(index(rows_), 0.0);
  target_.back() = last_target;
  prepared_ = false;
  return block_count() - 1;
}

int ContactProblem::add_contact(double friction, double normal_target) {
  if (!has_storage_) {  // the commonest block, straight on
    Block& block = blocks_.emplace_back();
    block.rows = 3;
    block.friction = friction;
    block.row = rows_;
    rows_ += 3;
    target_.insert(target_.end(), {0.0, 0.0, normal_target});
    prepared_ = false;
    return block_count() - 1;
  }
  return add_block({.kind = BlockKind::contact, .rows = 3, .friction = friction}, normal_target);
}

int ContactProblem::add_limit(double target) {
  return add_block({.kind = BlockKind::limit, .rows = 1}, target);
}

int ContactProblem::add_joint_friction(double bound, double target) {
  return add_block({.kind = BlockKind::joint_friction, .rows = 1, .bound = bound}, target);
}

int ContactProblem::add_lock(int rows) {
  return add_block({.kind = BlockKind::lock, .rows = rows});
}

int ContactProblem::add_spin(int contact, double coefficient, int contacts) {
  return add_block({.kind = BlockKind::spin,
                    .rows = 1,
                    .contact = contact,
                    .contacts = contacts,
                    .friction = coefficient});
}

int ContactProblem::add_roll(int contact, double coefficient, int contacts) {
  return add_block({.kind = BlockKind::roll,
                    .rows = 2,
                    .contact = contact,
                    .contacts = contacts,
                    .friction = coefficient});
}

void ContactProblem::use_dense() {
  use_dense_to_fill();
  std::ranges::fill(dense_, 0.0);
}

void ContactProblem::use_dense_to_fill() {
  has_storage_ = true;
  storage_ = DelassusStorage::dense;
  stride_ = round_up_to_four(rows_);
  const std::size_t size = index(stride_) * index(rows_);
  if (dense_.size() < size) dense_.resize(size);
  // Lanes read the rows behind the last one. Row by row: column by column, a compiler calls memset
  // for each column.
  for (std::size_t row = index(rows_); row < index(stride_); ++row) {
    for (std::size_t place = row; place < size; place += index(stride_)) dense_[place] = 0.0;
  }
  free_velocity_.assign(index(rows_), 0.0);
  prepared_ = false;
}

void ContactProblem::use_bodies(int count) {
  if (refuse(count < 0, Misuse::body_index, count)) count = 0;
  has_storage_ = true;
  storage_ = DelassusStorage::bodies;
  inverse_mass_.assign(index(count), Matrix6::Zero());
  coupled_.assign(blocks_.size(), {-1, -1});
  jacobians_.resize(12 * index(rows_));
  responses_.resize(12 * index(rows_));
  free_velocity_.assign(index(rows_), 0.0);
  prepared_ = false;
}

ContactProblem::DenseMap ContactProblem::edit_delassus() {
  prepared_ = false;
  if (refuse(!has_storage_, Misuse::no_storage, 0) ||
      refuse(storage_ != DelassusStorage::dense, Misuse::wrong_storage, 0)) {
    return {nullptr, 0, 0, Eigen::OuterStride<>(0)};
  }
  return {dense_.data(), rows_, rows_, Eigen::OuterStride<>(stride_)};
}

void ContactProblem::set_inverse_mass(int body, const Matrix6& inverse_mass) {
  prepared_ = false;
  if (refuse(!has_storage_, Misuse::no_storage, 0) ||
      refuse(storage_ != DelassusStorage::bodies, Misuse::wrong_storage, 0) ||
      refuse(body < 0 || body >= body_count(), Misuse::body_index, body)) {
    return;
  }
  inverse_mass_[index(body)] = inverse_mass;
}

void ContactProblem::couple(int block, int body, const Jacobian& jacobian) {
  prepared_ = false;
  if (refuse(!has_storage_, Misuse::no_storage, 0) ||
      refuse(storage_ != DelassusStorage::bodies, Misuse::wrong_storage, 0) ||
      refuse(block < 0 || block >= block_count(), Misuse::block_index, block) ||
      refuse(body < 0 || body >= body_count(), Misuse::body_index, body, block) ||
      refuse(jacobian.rows() != blocks_[index(block)].rows, Misuse::jacobian_rows,
             static_cast<int>(jacobian.rows()), block)) {
    return;
  }
  std::array<int, 2>& bodies = coupled_[index(block)];
  const std::size_t side = bodies[0] >= 0 && bodies[0] != body ? 1 : 0;
  if (refuse(bodies[side] >= 0 && bodies[side] != body, Misuse::third_body, body, block)) return;
  bodies[side] = body;
  const Block& b = blocks_[index(block)];
  const std::size_t count = 6 * index(b.rows);
  std::copy_n(jacobian.data(), count, jacobians_.data() + 12 * index(b.row) + side * count);
}

ContactProblem::VectorMap ContactProblem::edit_free_velocity() {
  prepared_ = false;
  refuse(!has_storage_, Misuse::no_storage, 0);
  return {free_velocity_.data(), static_cast<Eigen::Index>(free_velocity_.size())};
}

ContactProblem::VectorMap ContactProblem::edit_target() {
  prepared_ = false;
  return {target_.data(), rows_};
}

int ContactProblem::contact_count() const {
  return static_cast<int>(
      std::ranges::count(blocks_, BlockKind::contact, [](const Block& b) { return b.kind; }));
}

bool ContactProblem::contains(BlockKind kind) const {
  return std::ranges::any_of(blocks_, [kind](const Block& block) { return block.kind == kind; });
}

Symmetric3<double> ContactProblem::contact_matrix(int block) const {
  const Matrix6& m = diagonal_block(block);
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
}

std::span<const int> ContactProblem::neighbours(int block) const {
  assert(storage_ == DelassusStorage::dense);
  if (!has_neighbours_) find_neighbours();
  const int first = neighbour_first_[index(block)];
  return {neighbours_.data() + first, index(neighbour_first_[index(block) + 1]) - index(first)};
}

namespace {

/// Calls `run(rows)`; for three rows (contacts) with a compile-time constant.
template <class Run>
[[gnu::always_inline]] inline void with_rows(int rows, const Run& run) {
  if (rows == 3) {
    run(std::integral_constant<int, 3>{});
  } else {
    run(rows);
  }
}

}  // namespace

void ContactProblem::prepare() {
  // Without a storage the numbers are zero; check() reports it.
  if (refuse(!has_storage_ && rows_ > 0, Misuse::no_storage, 0)) use_dense();
  shifted_velocity_.resize(index(rows_));
  for (std::size_t row = 0; row < shifted_velocity_.size(); ++row) {
    shifted_velocity_[row] = free_velocity_[row] - target_[row];
  }
  if (diagonal_.size() != blocks_.size()) {
    diagonal_.resize(blocks_.size(), Matrix6::Zero());
    diagonal_rows_.resize(blocks_.size(), 0);
  }
  largest_trace_ = 0.0;
  if (storage_ == DelassusStorage::dense) {
    prepare_dense();
  } else {
    prepare_bodies();
  }
  prepared_ = true;
}

void ContactProblem::prepare_dense() {
  has_neighbours_ = false;
  const std::size_t stride = index(stride_);
  for (int i = 0; i < block_count(); ++i) {
    const Block& block = blocks_[index(i)];
    Matrix6& diagonal = diagonal_[index(i)];
    if (diagonal_rows_[index(i)] > block.rows) diagonal.setZero();
    diagonal_rows_[index(i)] = block.rows;
    const double* from = dense_.data() + index(block.row) * stride + index(block.row);
    double* to = diagonal.data();
    with_rows(block.rows, [&](auto rows) {
      for (int column = 0; column < rows; ++column, from += stride, to += 6) {
        for (int row = 0; row < rows; ++row) to[row] = from[row];
      }
    });
    largest_trace_ = std::max(largest_trace_, diagonal.trace());
  }
}

void ContactProblem::find_neighbours() const {
  const ConstDenseMap G = delassus();
  neighbours_.clear();
  neighbour_first_.assign(1, 0);
  for (int i = 0; i < block_count(); ++i) {
    const Block& block = blocks_[index(i)];
    for (int k = 0; k < block_count(); ++k) {
      const Block& other = blocks_[index(k)];
      if (k == i || G.block(other.row, block.row, other.rows, block.rows).isZero(0.0)) continue;
      neighbours_.push_back(k);
    }
    neighbour_first_.push_back(static_cast<int>(neighbours_.size()));
  }
  has_neighbours_ = true;
}

namespace {

/// u += Rᵀ λ
template <class Rows>
[[gnu::always_inline]] inline void add_response(const double* R, const double* lambda, Rows rows,
                                                double* u) {
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < 6; ++k) u[k] = fma(R[6 * r + k], lambda[r], u[k]);
  }
}

/// v += J u
template <class Rows>
[[gnu::always_inline]] inline void add_velocity(const double* J, const double* u, Rows rows,
                                                double* v) {
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < 6; ++k) v[r] = fma(J[6 * r + k], u[k], v[r]);
  }
}

}  // namespace

void ContactProblem::prepare_bodies() {
  body_velocity_.resize(6 * inverse_mass_.size());
  for (int i = 0; i < block_count(); ++i) {
    with_rows(blocks_[index(i)].rows, [&](auto rows) { prepare_block(i, rows); });
  }
}

template <class Rows>
void ContactProblem::prepare_block(int block, Rows rows) {
  double sums[max_block_rows][max_block_rows] = {};  // upper triangle of the diagonal block
  const std::size_t first = 12 * index(blocks_[index(block)].row);
  const std::size_t half = 6 * index(int{rows});
  for (std::size_t side = 0; side < 2; ++side) {
    const int body = coupled_[index(block)][side];
    if (body < 0) continue;
    const double* J = jacobians_.data() + first + side * half;
    double* R = responses_.data() + first + side * half;
    const double* M = inverse_mass_[index(body)].data();  // symmetric: rows are columns
    for (int r = 0; r < rows; ++r) {
      double response[6] = {};
      for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < 6; ++k) response[k] = fma(J[6 * r + j], M[6 * j + k], response[k]);
      }
      std::copy_n(response, 6, R + 6 * r);
      for (int c = r; c < rows; ++c) {
        for (int k = 0; k < 6; ++k) sums[r][c] = fma(response[k], J[6 * c + k], sums[r][c]);
      }
    }
  }
  Matrix6& diagonal = diagonal_[index(block)];
  if (diagonal_rows_[index(block)] > rows) diagonal.setZero();
  diagonal_rows_[index(block)] = rows;
  for (int r = 0; r < rows; ++r) {
    for (int c = r; c < rows; ++c) diagonal(r, c) = diagonal(c, r) = sums[r][c];
  }
  largest_trace_ = std::max(largest_trace_, diagonal.trace());
}

namespace {

/// Largest dense problem, in lanes, that is multiplied with all sums in registers.
constexpr std::size_t most_lanes = 12;

/// y = G x for `rows` columns of `lanes` whole lanes; y has `rows` numbers.
template <std::size_t lanes>
void multiply_small(const double* G, const double* x, std::size_t rows, double* y) {
  constexpr std::size_t stride = lanes * lane_width;
  constexpr std::size_t last = lanes - 1;
  Lane sums[lanes];
  unroll<lanes>([&](auto l) __attribute__((always_inline)) { sums[l] = Lane(0.0); });
  for (std::size_t j = 0; j < rows; ++j, G += stride) {
    const Lane factor(x[j]);
    unroll<lanes>([&](auto l) __attribute__((always_inline)) {
      sums[l] = fma(factor, Lane::load_unaligned(G + l * lane_width), sums[l]);
    });
  }
  unroll<last>([&](auto l)
                   __attribute__((always_inline)) { sums[l].store_unaligned(y + l * lane_width); });
  double rest[lane_width];
  sums[last].store_unaligned(rest);
  for (std::size_t row = last * lane_width; row < rows; ++row) {
    y[row] = rest[row - last * lane_width];
  }
}

using MultiplySmall = void (*)(const double*, const double*, std::size_t, double*);
template <std::size_t... lanes>
constexpr std::array<MultiplySmall, sizeof...(lanes)> by_lanes(std::index_sequence<lanes...>) {
  return {multiply_small<lanes + 1>...};
}

}  // namespace

void ContactProblem::multiply(std::span<const double> impulse, std::span<double> velocity) const {
  if (storage_ == DelassusStorage::dense) {
    static constexpr auto small = by_lanes(std::make_index_sequence<most_lanes>{});
    const std::size_t lanes = index(stride_) / lane_width;
    if (lane_width == 4 && lanes >= 1 && lanes <= most_lanes) {
      small[lanes - 1](dense_.data(), impulse.data(), index(rows_), velocity.data());
      return;
    }
    Eigen::Map<Eigen::VectorXd>(velocity.data(), rows_).noalias() =
        delassus() * Eigen::Map<const Eigen::VectorXd>(impulse.data(), rows_);
    return;
  }
  move_bodies(impulse);
  for (int i = 0; i < block_count(); ++i) {
    read_velocity(i, velocity.data() + blocks_[index(i)].row);
  }
}

void ContactProblem::move_bodies(std::span<const double> impulse) const {
  std::ranges::fill(body_velocity_, 0.0);
  for (int i = 0; i < block_count(); ++i) {
    const double* lambda = impulse.data() + blocks_[index(i)].row;
    for (const Coupling& coupling : couplings(i)) {
      if (coupling.body < 0) continue;
      double* u = &body_velocity_[6 * index(coupling.body)];
      with_rows(blocks_[index(i)].rows,
                [&](auto rows) { add_response(coupling.response.data(), lambda, rows, u); });
    }
  }
}

void ContactProblem::read_velocity(int block, double* velocity) const {
  const int count = blocks_[index(block)].rows;
  std::fill_n(velocity, count, 0.0);
  for (const Coupling& coupling : couplings(block)) {
    if (coupling.body < 0) continue;
    const double* u = &body_velocity_[6 * index(coupling.body)];
    with_rows(count, [&](auto rows) { add_velocity(coupling.jacobian.data(), u, rows, velocity); });
  }
}

void ContactProblem::to_dense(Eigen::MatrixXd& result) const {
  const Eigen::Index rows = storage_ == DelassusStorage::dense ? delassus().rows() : rows_;
  result.resize(rows, rows);
  copy_delassus(*this, result);
}

bool ContactProblem::is_semidefinite(const Eigen::Ref<const Eigen::MatrixXd>& matrix) const {
  const double largest = matrix.diagonal().maxCoeff();
  if (!(largest > 0.0)) return matrix.isZero(0.0);
  if (matrix.diagonal().minCoeff() < -diagonal_tolerance * largest) return false;
  const Eigen::Index n = matrix.rows();
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (factor_.size() < size) factor_.resize(size);
  Eigen::Map<Eigen::MatrixXd> factor(factor_.data(), n, n);
  factor.triangularView<Eigen::Lower>() = matrix;
  factor.diagonal().array() += definiteness_tolerance * largest;
  return factorize_cholesky(factor);
}

ProblemFault ContactProblem::misuse_fault() const {
  const int n = misuse_number_;
  ProblemFault fault{.what = {}, .remedy = {}, .block = misuse_block_};
  const auto say = [&fault](std::string what, std::string_view remedy) {
    fault.what = std::move(what);
    fault.remedy = remedy;
  };
  switch (misuse_) {
    case Misuse::none:
      break;
    case Misuse::no_storage:
      say("the problem has blocks but no matrix",
          "call use_dense() or use_bodies() after the last block, before filling in numbers");
      break;
    case Misuse::late_block:
      say(fmt::format("block {} was added after use_dense() or use_bodies()", n),
          "add all blocks first, or call clear() to start a new problem");
      break;
    case Misuse::block_rows:
      say(fmt::format("a block of {} rows was added", n),
          "use 1 to 6 rows and split a larger lock; a spin has 1 row, a roll 2");
      break;
    case Misuse::wrong_storage:
      say("the matrix was filled by the functions of the other storage",
          "after use_dense() use edit_delassus(), after use_bodies() use set_inverse_mass() and "
          "couple()");
      break;
    case Misuse::block_index:
      say(fmt::format("block {} was coupled, but the problem has {} blocks", n, block_count()),
          "use the indices that add_contact() and the other add functions return");
      break;
    case Misuse::body_index:
      say(fmt::format("body {} was used, but the problem has {} bodies", n, body_count()),
          "use indices from 0 to the count given to use_bodies() less one; the fixed world is not "
          "a body");
      break;
    case Misuse::jacobian_rows:
      say(fmt::format("block {} was coupled by a Jacobian with {} rows", misuse_block_, n),
          "use a Jacobian with one row for each row of the block");
      break;
    case Misuse::third_body:
      say(fmt::format("block {} was coupled to a third body ({})", misuse_block_, n),
          "couple a block to at most two bodies, or use dense storage");
      break;
    case Misuse::turn_contact:
      say(fmt::format("block {} is the friction of block {}, which is not a contact added before",
                      misuse_block_, n),
          "give add_spin() and add_roll() an index that add_contact() returned");
      break;
  }
  return fault;
}

ProblemFault ContactProblem::check(CheckLevel level) const {
  if (misuse_ != Misuse::none) return misuse_fault();
  if (!prepared_) {
    return {.what = "the problem was changed after its last prepare()",
            .remedy = "call prepare() after the last change"};
  }
  if (ProblemFault fault = check_numbers()) return fault;
  return level == CheckLevel::full ? check_matrix() : ProblemFault{};
}

ProblemFault ContactProblem::check_numbers() const {
  constexpr std::string_view check_masses =
      "check the configuration, and that every body has a mass";
  // All numbers at once first, in SIMD lanes; the block at fault is looked for only if there is
  // one.
  const bool finite_matrix =
      storage_ == DelassusStorage::dense
          ? all_finite(std::span(dense_).first(index(stride_) * index(rows_)))
          : std::ranges::all_of(inverse_mass_, [](const Matrix6& m) {
              return all_finite({m.data(), 36});
            });
  const bool finite =
      storage_ == DelassusStorage::dense && finite_matrix && all_finite(shifted_velocity_);
  for (int i = 0; i < block_count(); ++i) {
    const Block& block = blocks_[index(i)];
    if (!(block.friction >= 0.0) || !std::isfinite(block.friction)) {
      return {.what = fmt::format("{} {} has friction coefficient {}", to_string(block.kind), i,
                                  block.friction),
              .remedy = "use a finite number that is not negative",
              .block = i};
    }
    if (!(block.bound >= 0.0) || !std::isfinite(block.bound)) {
      return {.what = fmt::format("joint friction {} has bound {}", i, block.bound),
              .remedy = "use a finite number that is not negative",
              .block = i};
    }
    if (finite) continue;
    if (!all_finite(std::span(shifted_velocity_).subspan(index(block.row), index(block.rows)))) {
      return {.what = fmt::format(
                  "the free velocity or target of block {} contains NaN or infinity", i),
              .remedy = "check the state and the forces of the previous step",
              .block = i};
    }
    if (!all_finite({diagonal_[index(i)].data(), 6 * index(block.rows)})) {
      return {.what = fmt::format("the matrix of block {} contains NaN or infinity", i),
              .remedy = std::string(check_masses),
              .block = i};
    }
  }
  if (!finite_matrix) {
    return {.what = "the Delassus matrix contains NaN or infinity",
            .remedy = std::string(check_masses)};
  }
  return {};
}

ProblemFault ContactProblem::check_matrix() const {
  const std::string_view symmetrize =
      "use (G + Gᵀ)/2 if this is rounding, otherwise correct the matrix";
  const std::string_view remedy = "use G = J M⁻¹ Jᵀ with a positive definite mass matrix";
  if (storage_ == DelassusStorage::bodies) {
    for (std::size_t body = 0; body < inverse_mass_.size(); ++body) {
      const Matrix6& m = inverse_mass_[body];
      if ((m - m.transpose()).cwiseAbs().maxCoeff() >
          symmetry_tolerance * m.cwiseAbs().maxCoeff()) {
        return {.what = fmt::format("the inverse mass of body {} is not symmetric", body),
                .remedy = std::string(symmetrize)};
      }
      if (!is_semidefinite(m)) {
        return {.what = fmt::format("the inverse mass of body {} is indefinite", body),
                .remedy = "use an inverse mass that is positive semidefinite"};
      }
    }
    return {};
  }
  const ConstDenseMap G = delassus();
  if (rows_ == 0) return {};
  const double largest = G.cwiseAbs().maxCoeff();
  for (int column = 0; column < rows_; ++column) {
    for (int row = 0; row < column; ++row) {
      if (std::abs(G(row, column) - G(column, row)) <= symmetry_tolerance * largest) continue;
      return {.what = fmt::format("the Delassus matrix is not symmetric: entry ({}, {}) is {:.9g}, "
                                  "its transposed entry is {:.9g}",
                                  row, column, G(row, column), G(column, row)),
              .remedy = std::string(symmetrize)};
    }
  }
  Eigen::Index least = 0;
  if (G.diagonal().minCoeff(&least) < -diagonal_tolerance * largest) {
    return {.what = fmt::format("the Delassus matrix is indefinite: entry ({}, {}) is {:.9g}",
                                least, least, G(least, least)),
            .remedy = std::string(remedy)};
  }
  if (!is_semidefinite(G)) {
    return {.what = "the Delassus matrix is indefinite", .remedy = std::string(remedy)};
  }
  return {};
}

}  // namespace stiction
