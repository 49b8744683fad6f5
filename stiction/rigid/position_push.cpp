#include "stiction/rigid/position_push.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Sweeps end where none changes a velocity by more than this fraction of the largest missing
/// velocity.
constexpr double settled = 0.01;

/// Overlaps of a tall heap leave it sooner if each row is pushed further than it needs by itself,
/// as long as the last sweep does not.
constexpr double over_relaxation = 1.3;

/// Rows that move less than this fraction of the others are not pushed: rounding errors alone move
/// them, such as a round link about its own axis.
constexpr double least_mobility = 1e-10;
/// Nothing is pushed where the bound allows less than this fraction.
constexpr double least_push = 1e-5;

/// Calls `visit(block, row, one_sided)` for all rows that are swept; joint friction is not.
template <class Visit>
void visit_rows(const ContactProblem& problem, const Visit& visit) {
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (is_one_sided(block)) {
      visit(i, block.rows - 1, true);
    } else if (is_bilateral(block)) {
      for (int row = 0; row < block.rows; ++row) visit(i, row, false);
    }
  }
}

}  // namespace

std::span<double> PositionPush::start(int blocks) {
  missing_.assign(index(blocks), 0.0);
  return missing_;
}

void PositionPush::push(const ContactProblem& problem, int sweeps) {
  const double enough = settled * *std::ranges::max_element(missing_);
  if (problem.storage() == DelassusStorage::dense) {
    push_dense(problem, sweeps, enough);
  } else {
    push_bodies(problem, sweeps, enough);
  }
}

void PositionPush::bound_energy(const ContactProblem& problem, double bound) {
  double twice = 0.0;  // λᵀGλ
  if (problem.storage() == DelassusStorage::dense) {
    visit_rows(problem, [&](int block, int row, bool) {
      const int all = problem.blocks()[index(block)].row + row;
      twice += impulses_[index(all)] * (velocities_.read_row<DelassusStorage::dense>(block, row) -
                                        problem.shifted_velocity()[all]);
    });
  } else {
    for (const Row& row : rows_) {
      const double* first = body_velocity_.data() + row.place[0];
      const double* second = body_velocity_.data() + row.place[1];
      twice += row.impulse * (detail::dot6(row.jacobian.data(), first) +
                              detail::dot6(row.jacobian.data() + 6, second));
    }
  }
  if (!(0.5 * twice > bound)) return;
  const double allowed = std::sqrt(2.0 * bound / twice);
  const double factor = allowed > least_push ? allowed : 0.0;
  for (double& impulse : impulses_) impulse *= factor;
  for (double& velocity : body_velocity_) velocity *= factor;
}

void PositionPush::push_dense(const ContactProblem& problem, int sweeps, double enough) {
  impulses_.assign(index(problem.row_count()), 0.0);
  velocities_.start(problem, impulses_);
  for (int k = 0; k < sweeps; ++k) {
    if (sweep_dense(problem) <= enough) break;
  }
}

double PositionPush::sweep_dense(const ContactProblem& problem) {
  double largest = 0.0;
  visit_rows(problem, [&](int block, int row, bool one_sided) {
    largest = std::max(largest, update_dense(problem, block, row, one_sided));
  });
  return largest;
}

double PositionPush::update_dense(const ContactProblem& problem, int i, int row, bool one_sided) {
  const int all = problem.blocks()[index(i)].row + row;
  const double pushed =
      velocities_.read_row<DelassusStorage::dense>(i, row) - problem.shifted_velocity()[all];
  double& impulse = impulses_[index(all)];
  const double missing = missing_[index(i)] - pushed;
  if (one_sided && missing <= 0.0 && impulse == 0.0) return 0.0;
  const double mobility = problem.diagonal_block(i)(row, row);
  if (!(mobility > least_mobility * problem.largest_trace())) return 0.0;
  const double unbounded = impulse + missing / mobility;
  const double answer = one_sided ? std::max(0.0, unbounded) : unbounded;
  const double change = answer - impulse;
  velocities_.apply_row<DelassusStorage::dense>(i, row, change);
  impulse = answer;
  return mobility * std::abs(change);
}

void PositionPush::push_bodies(const ContactProblem& problem, int sweeps, double enough) {
  body_velocity_.assign(6 * index(problem.body_count() + 1), 0.0);
  gather_rows(problem);
  for (int k = 0; k < sweeps; ++k) {
    const bool last = k + 1 == sweeps;
    if (sweep_rows(last ? 1.0 : over_relaxation) <= enough) break;
  }
}

void PositionPush::gather_rows(const ContactProblem& problem) {
  rows_.clear();
  visit_rows(problem,
             [&](int block, int row, bool one_sided) { add_row(problem, block, row, one_sided); });
}

void PositionPush::add_row(const ContactProblem& problem, int block, int number, bool one_sided) {
  const double mobility = problem.diagonal_block(block)(number, number);
  if (!(mobility > least_mobility * problem.diagonal_block(block).trace())) return;
  Row& row = rows_.emplace_back();
  row.missing = missing_[index(block)];
  row.mobility = mobility;
  row.inertia = 1.0 / mobility;
  row.impulse = 0.0;
  row.one_sided = one_sided;
  std::size_t side = 0;
  for (const ContactProblem::Coupling& coupling : problem.couplings(block)) {
    const bool moves = coupling.body >= 0;
    row.place[side] = 6 * (moves ? coupling.body : problem.body_count());
    const std::size_t first = 6 * side;
    for (std::size_t k = 0; k < 6; ++k) {
      row.jacobian[first + k] = moves ? coupling.jacobian.data()[6 * index(number) + k] : 0.0;
      row.response[first + k] = moves ? coupling.response.data()[6 * index(number) + k] : 0.0;
    }
    ++side;
  }
}

double PositionPush::sweep_rows(double relaxation) {
  double largest = 0.0;
  for (Row& row : rows_) largest = std::max(largest, update_row(row, relaxation));
  return largest;
}

[[gnu::always_inline]] inline double PositionPush::update_row(Row& row, double relaxation) {
  double* first = body_velocity_.data() + row.place[0];
  double* second = body_velocity_.data() + row.place[1];
  const double pushed =
      detail::dot6(row.jacobian.data(), first) + detail::dot6(row.jacobian.data() + 6, second);
  const double missing = row.missing - pushed;
  if (row.one_sided && missing <= 0.0 && row.impulse == 0.0) return 0.0;
  const double unbounded = fma(relaxation * missing, row.inertia, row.impulse);
  const double answer = row.one_sided ? std::max(0.0, unbounded) : unbounded;
  const double change = answer - row.impulse;
  row.impulse = answer;
  detail::add_column(0, 6, change, row.response.data(), first);
  detail::add_column(0, 6, change, row.response.data() + 6, second);
  return row.mobility * std::abs(change);
}

}  // namespace stiction
