#include "stiction/solver/mode_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/turn_laws.hpp"
#include "stiction/core/finite.hpp"
#include "stiction/solver/column_lanes.hpp"

namespace stiction {

using namespace column_lanes;

namespace {

/// Smallest friction bound in the compliance across the slip, relative to x_T: avoids a division by
/// zero, and is too small to matter.
constexpr double least_bound = 1e-12;
/// Proximal term of every unknown besides that of its block, relative to the largest trace.
constexpr double least_proximal = 1e-12;
/// R of torsional and rolling friction is larger by this factor: their bounds are small, and a
/// small R lets their velocity jump from one direction of slip to the other.
constexpr double turn_scaling = 5.0;
/// Pivots below this fraction of the largest trace are made by the proximal term, so their unknowns
/// move nothing.
constexpr double hyperstatic_pivot = 1e-6;
/// ρ while loads are shared, relative to the largest trace: large against rounding errors, small
/// against what moves. Steps that may take, and steps of the correction.
constexpr double sharing_proximal = 1e-7;
constexpr int sharing_steps = 12;
constexpr int correction_steps = 4;
/// Shared loads need not be exact: without a change of modes they may miss the goal by this factor.
constexpr double sharing_leniency = 1e5;
/// What moves nothing is a load of contacts from this fraction of the largest impulse on.
constexpr double least_shared = 1e-7;
/// Slower slip, relative to what the largest impulse would move, may also be sticking.
constexpr double slip_in_doubt = 1e-6;
/// Steps of refine(), and their ρ: loads move as far as they must where gaps contradict each other.
constexpr int refining_steps = 3;
constexpr double refining_proximal = 1e-11;
/// Up to this ρ two multiplications by (A + ρ)⁻¹ ρ leave what moves nothing, else four.
constexpr double small_proximal = 1e-9;

/// Impulses up to this fraction of their bound of friction count as sticking in stick().
constexpr double sticking_margin = 1.0 - 1e-6;

/// Size of the impulse that would stop a point of this velocity.
double stopping_impulse(const ContactFactor<double>& factor, const double* w) {
  const double by_nn = factor.inverse_nn * w[2];
  const double x = w[0] - factor.W.xz * by_nn;
  const double y = w[1] - factor.W.yz * by_nn;
  const double major = factor.inverse_major * (factor.axis.x * x + factor.axis.y * y);
  const double minor = factor.inverse_minor * (factor.axis.x * y - factor.axis.y * x);
  return std::max({std::abs(by_nn), std::abs(major), std::abs(minor)});
}

/// Whether all blocks are contacts whose impulses press and are inside their cones.
bool all_stick(std::span<const Block> blocks, const double* impulse) {
  return std::ranges::all_of(blocks, [&](const Block& block) {
    if (!has_cone(block)) return false;
    const double* own = impulse + block.row;
    const double bound = sticking_margin * block.friction * own[2];
    return bound > 0.0 && own[0] * own[0] + own[1] * own[1] < bound * bound;
  });
}

}  // namespace

bool ModeNewton::suits(const ContactProblem& problem) {
  return problem.storage() == DelassusStorage::dense &&
         problem.row_count() <= (problem.has_turns() ? most_turning_rows : most_rows);
}

bool ModeNewton::fits(const ContactProblem& problem) {
  return problem.storage() == DelassusStorage::dense && problem.row_count() <= most_turning_rows;
}

void ModeNewton::open(const ContactProblem& problem, const Judge& judge,
                      const VelocityTracker& velocities, std::span<const double> impulses) {
  problem_ = &problem;
  judge_ = &judge;
  matrix_ = problem.delassus().data();
  stride_ = static_cast<std::size_t>(problem.delassus().outerStride());
  guesses_.resize(index(problem.block_count()));
  solved_guesses_.resize(guesses_.size());
  kept_guesses_.resize(guesses_.size());
  velocities.read_all(std::span(velocity_).first(impulses.size()));
  std::ranges::copy(impulses, impulse_.begin());
}

void ModeNewton::fix(int block, double value) {
  guesses_[index(block)].kind = Guess::Kind::fixed;
  const Block& b = problem_->blocks()[index(block)];
  for (int k = 0; k < b.rows; ++k) impulse_[index(b.row + k)] = value;
}

void ModeNewton::hold(int block) {
  Guess& guess = guesses_[index(block)];
  const Block& b = problem_->blocks()[index(block)];
  guess.freedom = static_cast<int>(count_);
  for (std::size_t k = index(b.row); k < index(b.row + b.rows); ++k) {
    before_[count_] = impulse_[k];
    columns_[count_++] = matrix_ + k * stride_;
  }
}

void ModeNewton::slide(int block) {
  Guess& guess = guesses_[index(block)];
  const Block& b = problem_->blocks()[index(block)];
  guess.freedom = static_cast<int>(count_);
  const double* __restrict x = matrix_ + index(b.row) * stride_;
  const double* __restrict y = x + stride_;
  const double* __restrict n = y + stride_;
  double* __restrict normal = own_columns_.data() + count_ * room;
  double* __restrict across = normal + room;
  const double drag_x = -b.friction * guess.ux;
  const double drag_y = -b.friction * guess.uy;
  if constexpr (width == 1) {
    for (std::size_t r = 0; r < stride_; ++r) {
      normal[r] = fma(drag_x, x[r], fma(drag_y, y[r], n[r]));
      across[r] = fma(guess.ux, y[r], -guess.uy * x[r]);
    }
  } else {
    const Lane ux(guess.ux), uy(guess.uy), px(drag_x), py(drag_y);
    for (std::size_t r = 0; r < stride_; r += width) {
      const Lane lx = Lane::load_unaligned(x + r);
      const Lane ly = Lane::load_unaligned(y + r);
      fma(px, lx, fma(py, ly, Lane::load_unaligned(n + r))).store_unaligned(normal + r);
      fnma(uy, lx, ux * ly).store_unaligned(across + r);
    }
  }
  const double* lambda = impulse_.data() + b.row;
  before_[count_] = lambda[2];
  before_[count_ + 1] = guess.ux * lambda[1] - guess.uy * lambda[0];
  columns_[count_++] = normal;
  columns_[count_++] = across;
}

/// Adds what a slipping turn does per normal impulse to the columns of its contacts' λ_n. A roll
/// also has an unknown across the slip.
void ModeNewton::drag(int block) {
  Guess& guess = guesses_[index(block)];
  const Block& b = problem_->blocks()[index(block)];
  const double* x = matrix_ + index(b.row) * stride_;
  const double* y = x + stride_;
  for (int i = b.contact; i < b.contact + b.contacts; ++i) {
    const Guess& of_contact = guesses_[index(i)];
    if (of_contact.kind == Guess::Kind::fixed) continue;
    const std::size_t normal =
        index(of_contact.freedom) + (of_contact.kind == Guess::Kind::free ? 2 : 0);
    double* own = own_columns_.data() + normal * room;
    if (columns_[normal] != own) std::copy_n(columns_[normal], stride_, own);
    columns_[normal] = own;
    add_scaled(stride_, -b.friction * guess.ux, x, own);
    if (b.rows > 1) add_scaled(stride_, -b.friction * guess.uy, y, own);
  }
  if (b.rows == 1) return;
  guess.freedom = static_cast<int>(count_);
  double* across = own_columns_.data() + count_ * room;
  std::fill_n(across, stride_, 0.0);
  add_scaled(stride_, guess.ux, y, across);
  add_scaled(stride_, -guess.uy, x, across);
  const double* lambda = impulse_.data() + b.row;
  before_[count_] = guess.ux * lambda[1] - guess.uy * lambda[0];
  columns_[count_++] = across;
}

void ModeNewton::guess_contact(int block) {
  Guess& guess = guesses_[index(block)];
  const Block& b = problem_->blocks()[index(block)];
  const Symmetric3<double>& W = judge_->factor(block).W;
  const double R = (settings_.scaling / 3.0) * (W.xx + W.yy + W.zz);
  const double* lambda = impulse_.data() + b.row;
  const double* w = velocity_.data() + b.row;
  const double pressed = R * lambda[2] - w[2];  // R f_n
  if (!(pressed > 0.0)) {
    note(std::max({std::abs(lambda[0]), std::abs(lambda[1]), std::abs(lambda[2])}));
    return fix(block, 0.0);
  }
  const double inverse = 1.0 / R;
  const double x = w[0] - R * lambda[0];
  const double y = w[1] - R * lambda[1];
  const double size = std::sqrt(x * x + y * y);
  const double bound = b.friction * pressed;
  note(std::abs(w[2]) * inverse);
  if (size <= bound) {
    note(std::max(std::abs(w[0]), std::abs(w[1])) * inverse);
    if (settings_.by_blocks) note(stopping_impulse(judge_->factor(block), w));
    guess.kind = Guess::Kind::free;
    return;
  }
  guess.kind = Guess::Kind::slip;
  const double by_size = 1.0 / size;
  guess.ux = x * by_size;
  guess.uy = y * by_size;
  guess.compliance = R * (size - bound) / std::max(bound, least_bound * size);
  const double friction = bound * inverse;
  note(std::abs(fma(friction, guess.ux, lambda[0])));
  note(std::abs(fma(friction, guess.uy, lambda[1])));
}

/// A block of one row with bounds.
void ModeNewton::guess_row(int block) {
  const Block& b = problem_->blocks()[index(block)];
  const double R = settings_.scaling * problem_->diagonal_block(block)(0, 0);
  const double lambda = impulse_[index(b.row)];
  const double free = lambda - velocity_[index(b.row)] / R;
  const RowBounds bounds = row_bounds(b);
  const double answer = std::clamp(free, bounds.lower, bounds.upper);
  note(std::abs(answer - lambda));
  if (free > bounds.lower && answer == free) {
    guesses_[index(block)].kind = Guess::Kind::free;
  } else {
    fix(block, answer);
  }
}

/// A block without bounds.
void ModeNewton::guess_bilateral(int i) {
  const Block& block = problem_->blocks()[index(i)];
  const double R = settings_.scaling * problem_->diagonal_block(i).trace() / block.rows;
  for (int k = 0; k < block.rows; ++k) note(std::abs(velocity_[index(block.row + k)]) / R);
  guesses_[index(i)].kind = Guess::Kind::free;
}

/// Torsional or rolling friction; its contacts were guessed before.
void ModeNewton::guess_turn(int i) {
  Guess& guess = guesses_[index(i)];
  const Block& block = problem_->blocks()[index(i)];
  const TurnPair lambda = read_turn(block, impulse_.data() + block.row);
  const auto contacts = std::span(guesses_).subspan(index(block.contact), index(block.contacts));
  const bool open = std::ranges::all_of(
      contacts, [](const Guess& contact) { return contact.kind == Guess::Kind::fixed; });
  if (open || block.friction == 0.0) {
    note(lambda.size());
    return fix(i, 0.0);
  }
  if (keeps_turns_ && kept_guesses_[index(i)].kind != Guess::Kind::fixed) {
    guess = kept_guesses_[index(i)];
    return;
  }
  const TurnPair w = read_turn(block, velocity_.data() + block.row);
  const double R =
      turn_scaling * settings_.scaling * problem_->diagonal_block(i).trace() / block.rows;
  const double bound = R * turn_bound(*problem_, block, impulse_);
  const TurnPair x{w.x - R * lambda.x, w.y - R * lambda.y};
  const double size = x.size();
  if (size <= bound) {
    note(w.size() / R);
    guess.kind = Guess::Kind::free;
    return;
  }
  guess.kind = Guess::Kind::drag;
  guess.ux = x.x / size;
  guess.uy = x.y / size;
  guess.compliance = R * (size - bound) / std::max(bound, least_bound * size);
  const double friction = bound / R;
  note(TurnPair{lambda.x + friction * guess.ux, lambda.y + friction * guess.uy}.size());
}

void ModeNewton::guess() {
  residual_ = 0.0;
  merit_ = 0.0;
  for (int i = 0; i < problem_->block_count(); ++i) {
    if (judge_->skips(i)) {
      fix(i, 0.0);
      continue;
    }
    const Block& block = problem_->blocks()[index(i)];
    if (has_cone(block)) {
      guess_contact(i);
    } else if (is_bilateral(block)) {
      guess_bilateral(i);
    } else if (is_turn(block)) {
      guess_turn(i);
    } else {
      guess_row(i);
    }
  }
}

/// Collects the unknowns, the columns that they add to the velocities, and the velocities without
/// them.
void ModeNewton::gather() {
  count_ = 0;
  const double* start = problem_->shifted_velocity().data();
  std::fill(std::copy_n(start, problem_->row_count(), base_.data()), base_.data() + stride_, 0.0);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const std::size_t row = index(problem_->blocks()[index(i)].row);
    switch (guesses_[index(i)].kind) {
      case Guess::Kind::fixed:  // only single rows have an impulse then
        if (impulse_[row] == 0.0) break;
        add_scaled(stride_, impulse_[row], matrix_ + row * stride_, base_.data());
        break;
      case Guess::Kind::free:
        hold(i);
        break;
      case Guess::Kind::slip:
        slide(i);
        break;
      case Guess::Kind::drag:
        drag(i);
        break;
    }
  }
  columns_[count_] = base_.data();
  side_ = (count_ + lane_width - 1) / lane_width * lane_width;
}

/// Fills the linear system: the velocities that must vanish, of each column and of the base.
void ModeNewton::multiply_out() {
  for (std::size_t i = 0; i < guesses_.size(); ++i) {
    const Guess& guess = guesses_[i];
    const Block& block = problem_->blocks()[i];
    double* to = system_.data() + guess.freedom;
    if (guess.kind == Guess::Kind::slip) {
      const double ux = guess.ux;
      const double uy = guess.uy;
      for (std::size_t j = 0; j <= count_; ++j, to += side_) {
        const double* from = columns_[j] + block.row;
        to[0] = from[2];
        to[1] = fma(ux, from[1], -uy * from[0]);
      }
      system_[(index(guess.freedom) + 1) * (side_ + 1)] += guess.compliance;
    } else if (guess.kind == Guess::Kind::drag) {
      if (block.rows == 1) continue;
      for (std::size_t j = 0; j <= count_; ++j, to += side_) {
        const double* from = columns_[j] + block.row;
        *to = fma(guess.ux, from[1], -guess.uy * from[0]);
      }
      system_[index(guess.freedom) * (side_ + 1)] += guess.compliance;
    } else if (guess.kind == Guess::Kind::free) {
      const std::size_t row = index(block.row);
      std::size_t rows = index(block.rows);  // with those of the blocks that follow
      while (i + 1 < guesses_.size() && guesses_[i + 1].kind == Guess::Kind::free) {
        rows += index(problem_->blocks()[++i].rows);
      }
      const std::size_t whole = (rows + lane_width - 1) / lane_width * lane_width;
      const bool has_room = row + whole <= stride_ && index(guess.freedom) + whole <= side_;
      copy_rows(columns_.data(), count_ + 1, row, rows, has_room, to, side_);
    }
  }
  if (settings_.by_blocks) {
    damp_by_blocks();
  } else {
    damp();
  }
}

/// Adds the proximal term and turns the signs of the right-hand side.
void ModeNewton::damp() {
  const double damping = settings_.proximal * problem_->largest_trace();
  double* right = system_.data() + count_ * side_;
  for (std::size_t j = 0; j < count_; ++j) {
    system_[j * (side_ + 1)] += damping;
    right[j] = fma(damping, before_[j], -right[j]);
  }
  clear_surplus();
}

/// Rows behind the last unknown, which are there because lanes are whole. Row by row: column by
/// column, a compiler calls memset for each column.
void ModeNewton::clear_surplus() {
  for (std::size_t i = count_; i < side_; ++i) {
    for (std::size_t j = 0; j <= count_; ++j) system_[j * side_ + i] = 0.0;
  }
}

void ModeNewton::damp_by_blocks() {
  double* right = system_.data() + count_ * side_;
  for (std::size_t j = 0; j < count_; ++j) right[j] = -right[j];
  for (std::size_t i = 0; i < guesses_.size(); ++i) {
    const Guess& guess = guesses_[i];
    const Block& block = problem_->blocks()[i];
    std::size_t unknowns = 0;
    if (guess.kind == Guess::Kind::free) unknowns = index(block.rows);
    if (guess.kind == Guess::Kind::slip) unknowns = 2;
    if (guess.kind == Guess::Kind::drag) unknowns = index(block.rows - 1);
    const std::size_t first = index(guess.freedom);
    for (std::size_t j = first; j < first + unknowns; ++j) {
      for (std::size_t k = first; k < first + unknowns; ++k) {
        const double damping = settings_.proximal * system_[j * side_ + k];
        system_[j * side_ + k] += damping;
        right[k] = fma(damping, before_[j], right[k]);
      }
    }
  }
  const double least = least_proximal * problem_->largest_trace();
  for (std::size_t j = 0; j < count_; ++j) {
    system_[j * (side_ + 1)] += least;
    right[j] = fma(least, before_[j], right[j]);
  }
  clear_surplus();
}

/// Gaussian elimination without pivoting, which few problems need. False if a pivot is too small.
bool ModeNewton::eliminate(double least_pivot) {
  static constexpr auto by_lanes = all_eliminate_pair(std::make_index_sequence<longest_part>{});
  ColumnSystem system = factors();
  system.least_pivot = least_pivot * problem_->largest_trace();
  // Those of rows that are not there must be numbers.
  std::fill(pivots_.begin() + static_cast<std::ptrdiff_t>(count_),
            pivots_.begin() + static_cast<std::ptrdiff_t>(side_), 0.0);
  for (std::size_t k = 0; k < count_; k += 2) {
    const std::size_t first = (k + 1) / lane_width * lane_width;
    if (k + 1 == count_) return eliminate_pair<1>(system, k, 0);
    std::size_t lanes = (side_ - first) / lane_width;
    // The lowest rows first: the uppermost part also changes the rows of the pivots.
    for (; lanes > longest_part; lanes -= longest_part) {
      const std::size_t part = first + (lanes - longest_part) * lane_width;
      if (!by_lanes[longest_part - 1](system, k, part)) return false;
    }
    if (!by_lanes[lanes - 1](system, k, first)) return false;
  }
  return true;
}

/// Back substitution; the solution replaces the right-hand side.
void ModeNewton::substitute() { substitute_backwards(factors(), system_.data() + count_ * side_); }

void ModeNewton::reduce() { substitute_forwards(factors(), system_.data() + count_ * side_); }

ColumnSystem ModeNewton::factors() {
  return {.A = system_.data(), .side = side_, .count = count_, .pivots = pivots_.data()};
}

/// Reads impulses and velocities from the solution.
void ModeNewton::take() {
  const double* y = system_.data() + count_ * side_;
  for (std::size_t i = 0; i < guesses_.size(); ++i) {
    const Guess& guess = guesses_[i];
    const Block& block = problem_->blocks()[i];
    double* impulse = impulse_.data() + block.row;
    const double* own = y + guess.freedom;
    if (guess.kind == Guess::Kind::slip) {
      const double drag = -block.friction * own[0];
      impulse[0] = drag * guess.ux - own[1] * guess.uy;
      impulse[1] = drag * guess.uy + own[1] * guess.ux;
      impulse[2] = own[0];
    } else if (guess.kind == Guess::Kind::free) {
      for (int k = 0; k < block.rows; ++k) impulse[k] = own[k];
    } else if (guess.kind == Guess::Kind::drag) {
      double drag = 0.0;
      for (int k = block.contact; k < block.contact + block.contacts; ++k) {
        drag -= block.friction * impulse_[index(normal_row(problem_->blocks()[index(k)]))];
      }
      impulse[0] = drag * guess.ux;
      if (block.rows == 1) continue;
      impulse[0] -= own[0] * guess.uy;
      impulse[1] = drag * guess.uy + own[0] * guess.ux;
    }
  }
  if constexpr (width == 1) {
    velocity_ = base_;
    for (std::size_t j = 0; j < count_; ++j) {
      add_scaled(stride_, y[j], columns_[j], velocity_.data());
    }
  } else if (stride_ > 0) {
    static constexpr auto add = all_add_columns(std::make_index_sequence<longest_part>{});
    for (std::size_t row = 0; row < stride_; row += longest_part * lane_width) {
      const std::size_t lanes = std::min(longest_part, (stride_ - row) / lane_width);
      add[lanes - 1](columns_.data(), y, count_, base_.data(), velocity_.data(), row);
    }
  }
}

/// Copies the impulses. Those of sliding contacts are put back on their cones: the linear step has
/// made them slightly too long.
void ModeNewton::write(std::span<double> impulses) const {
  std::copy_n(impulse_.begin(), impulses.size(), impulses.begin());
  for (std::size_t i = 0; i < guesses_.size(); ++i) {
    if (guesses_[i].kind != Guess::Kind::slip) continue;
    const Block& block = problem_->blocks()[i];
    double* impulse = impulses.data() + block.row;
    const double size = std::sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]);
    const double scale = size > 0.0 ? block.friction * impulse[2] / size : 0.0;
    impulse[0] *= scale;
    impulse[1] *= scale;
  }
  if (problem_->has_turns()) clip_turns(*problem_, impulses);
}

bool ModeNewton::solve(const ContactProblem& problem, const Judge& judge,
                       const VelocityTracker& velocities, double goal,
                       const NewtonSettings& settings, std::span<double> impulses) {
  settings_ = settings;
  open(problem, judge, velocities, impulses);
  steps_ = 0;
  if (!all_finite(std::span(velocity_).first(impulses.size()))) return false;
  if (!iterate(goal, false)) return false;
  write(impulses);
  return true;
}

bool ModeNewton::stick(const ContactProblem& problem, std::span<double> impulses) {
  if (!all_stick(problem.blocks(), impulses.data())) return false;
  problem_ = &problem;
  count_ = impulses.size();
  side_ = (count_ + lane_width - 1) / lane_width * lane_width;
  if (side_ != static_cast<std::size_t>(problem.delassus().outerStride())) return false;
  std::copy_n(problem.delassus().data(), count_ * side_, system_.begin());
  const double* velocity = problem.shifted_velocity().data();
  double* solution = system_.data() + count_ * side_;
  for (std::size_t j = 0; j < count_; ++j) solution[j] = -velocity[j];
  clear_surplus();
  if (!eliminate(hyperstatic_pivot)) return false;
  substitute();
  if (!all_stick(problem.blocks(), solution)) return false;
  std::copy_n(solution, count_, impulses.begin());
  return true;
}

bool ModeNewton::iterate(double goal, bool yielding) {
  const double yield = yielding ? settings_.proximal * problem_->largest_trace() : 0.0;
  for (const int first = steps_;; ++steps_) {
    if (yielding) add_to_velocity(yield);
    guesses_.swap(solved_guesses_);
    guess();
    if (!std::isfinite(residual_)) return false;
    if (steps_ > first && residual_ <= goal) break;
    if (yielding && steps_ > first && residual_ <= sharing_leniency * goal && same_modes()) break;
    if (steps_ - first >= settings_.steps) return false;
    gather();
    if (yielding) std::fill_n(before_.begin(), count_, 0.0);
    multiply_out();
    if (!eliminate()) return false;
    substitute();
    take();
  }
  if (yielding) add_to_velocity(-yield);
  return true;
}

/// Whether the last step has changed no mode.
bool ModeNewton::same_modes() const {
  return std::ranges::equal(guesses_, solved_guesses_, {}, &Guess::kind, &Guess::kind);
}

/// w += factor · λ.
void ModeNewton::add_to_velocity(double factor) {
  for (std::size_t row = 0; row < index(problem_->row_count()); ++row) {
    velocity_[row] = fma(factor, impulse_[row], velocity_[row]);
  }
}

bool ModeNewton::is_hyperstatic() const {
  const double largest = 1.0 / (hyperstatic_pivot * problem_->largest_trace());
  return std::any_of(pivots_.begin(), pivots_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [=](double inverse) { return !(std::abs(inverse) < largest); });
}

/// Multiplies the unknowns by (A + ρ)⁻¹ ρ, which keeps what moves nothing.
void ModeNewton::keep_motionless_part() {
  const double damping = settings_.proximal * problem_->largest_trace();
  double* y = system_.data() + count_ * side_;
  for (std::size_t j = 0; j < count_; ++j) y[j] *= damping;
  std::fill(y + count_, y + side_, 0.0);
  reduce();
  substitute();
}

/// Whether the part that moves nothing is a load of contacts. Where it is not, a limit and the
/// friction of the same joint bear against each other, for instance, which no contact notices.
/// Contacts count as loaded where it is open whether they slip. Where no contact acts, all rows
/// count: implicit Euler reads from the impulses of limits which of them hold.
bool ModeNewton::loads_contacts(const double* motionless) const {
  double largest = 0.0;
  for (std::size_t j = 0; j < count_; ++j) largest = std::max(largest, std::abs(before_[j]));
  const double least = least_shared * largest;
  const double least_slip = slip_in_doubt * problem_->largest_trace() * largest;
  bool any = false;
  for (std::size_t i = 0; i < solved_guesses_.size(); ++i) {
    const Block& block = problem_->blocks()[i];
    if (!has_cone(block) && !is_turn(block)) continue;
    const Guess& guess = solved_guesses_[i];
    if (guess.kind == Guess::Kind::fixed) continue;
    any = true;
    const bool slips = guess.kind != Guess::Kind::free;
    const double* w = velocity_.data() + block.row;
    if (slips && !(std::hypot(w[0], block.rows > 1 ? w[1] : 0.0) > least_slip)) return true;
    int unknowns = block.rows;
    if (slips) unknowns = has_cone(block) ? 2 : block.rows - 1;
    const double* own = motionless + guess.freedom;
    if (std::any_of(own, own + unknowns, [=](double z) { return !(std::abs(z) <= least); })) {
      return true;
    }
  }
  return !any;
}

/// Whether no block is at the bound of its friction, where it may bear less by sticking.
bool ModeNewton::all_stick_or_open() const {
  for (std::size_t i = 0; i < solved_guesses_.size(); ++i) {
    const Guess::Kind kind = solved_guesses_[i].kind;
    if (kind == Guess::Kind::free) continue;
    if (kind != Guess::Kind::fixed) return false;
    if (impulse_[index(problem_->blocks()[i].row)] != 0.0) return false;
  }
  return true;
}

/// Whether the modes stay those of the solution where all rows yield.
bool ModeNewton::keeps_modes_yielding(double goal) {
  const double damping = settings_.proximal * problem_->largest_trace();
  guesses_.swap(solved_guesses_);
  take();
  add_to_velocity(damping);
  guesses_.swap(solved_guesses_);
  guess();
  return same_modes() && residual_ <= goal;
}

/// Takes out of the solution λ what moves nothing. (A + ρ)⁻¹ ρ also keeps a little of what moves
/// easily, so it is applied more than once; λ − (A + ρ)⁻¹ ρλ is the solution that yields.
ModeNewton::Sharing ModeNewton::share_in_same_modes(double goal) {
  double* y = system_.data() + count_ * side_;
  std::copy_n(y, count_, before_.begin());
  const auto take_from_solution = [&] {
    for (std::size_t j = 0; j < count_; ++j) y[j] = before_[j] - y[j];
  };
  keep_motionless_part();
  const bool sticks = all_stick_or_open();
  if (!sticks) std::copy_n(y, count_, motionless_.begin());
  for (int left = settings_.proximal <= small_proximal ? 1 : 3; left > 0; --left) {
    keep_motionless_part();
  }
  const Sharing otherwise = loads_contacts(y) ? Sharing::failed : Sharing::needless;
  ++steps_;
  if (!sticks) {
    std::copy_n(y, count_, corrected_.begin());
    std::copy_n(motionless_.begin(), count_, y);
    take_from_solution();
    if (!keeps_modes_yielding(goal)) return take_back(otherwise);
    std::copy_n(corrected_.begin(), count_, y);
  }
  take_from_solution();
  guesses_.swap(solved_guesses_);
  take();
  guesses_.swap(solved_guesses_);
  guess();
  return same_modes() && residual_ <= goal ? Sharing::done : take_back(otherwise);
}

/// Without need the solution is as before.
ModeNewton::Sharing ModeNewton::take_back(Sharing sharing) {
  if (sharing == Sharing::failed) return sharing;
  std::copy_n(before_.begin(), count_, system_.data() + count_ * side_);
  guesses_.swap(solved_guesses_);
  take();
  guesses_.swap(solved_guesses_);
  return sharing;
}

bool ModeNewton::share(double goal, std::span<double> impulses) {
  steps_ = 0;
  if (!settings_.by_blocks) {
    const Sharing sharing = share_in_same_modes(goal);
    if (sharing == Sharing::done) write(impulses);
    if (sharing != Sharing::failed) return true;
  }
  settings_.proximal = sharing_proximal;
  settings_.by_blocks = false;
  settings_.steps = sharing_steps;
  // A wheel that hardly rolls would go to and fro between rolling and standing while it yields.
  keeps_turns_ = problem_->has_turns();
  if (keeps_turns_) kept_guesses_ = solved_guesses_;
  const bool shared = iterate(goal, true);
  keeps_turns_ = false;
  if (!shared) return false;
  settings_.steps = correction_steps;
  if (!iterate(goal, false)) return false;
  write(impulses);
  return true;
}

bool ModeNewton::refine(double goal, std::span<double> impulses) {
  steps_ = 0;
  settings_.steps = refining_steps;
  settings_.proximal = std::min(settings_.proximal, refining_proximal);
  if (!iterate(goal, false)) return false;
  write(impulses);
  return true;
}

}  // namespace stiction
