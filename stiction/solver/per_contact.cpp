#include "stiction/solver/per_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/one_contact_solvers.hpp"
#include "stiction/contact/turn_laws.hpp"
#include "stiction/solver/warm_start.hpp"

namespace stiction {

namespace {

/// Number of sweeps after which all blocks are updated, resting ones included.
constexpr int waking_period = 4;

}  // namespace

double next_relaxation(const PerContactOptions& options, double relaxation) {
  return options.relaxation_floor +
         options.relaxation_decay * (relaxation - options.relaxation_floor);
}

void PerContactSweeps::start(const ContactProblem& problem, const Judge& judge,
                             const SolverOptions& options, std::span<double> impulses) {
  problem_ = &problem;
  judge_ = &judge;
  options_ = &options;
  impulses_ = impulses;
  if (options.warm_start) forget_absurd_start(problem, judge, impulses);
  velocities_.start(problem, impulses);
  sweeps_ = 0;
  opens_when_separating_ = traits_of(options.law).opens_when_separating;
  if (options.per_contact.rest_fraction > 0.0) last_squares_.resize(problem.blocks().size());
  // Turns never rest: their bounds follow other blocks.
  if (problem.has_turns()) {
    std::ranges::fill(last_squares_, std::numeric_limits<double>::infinity());
  }
}

template <DelassusStorage storage, class Solve>
[[gnu::always_inline]] inline double PerContactSweeps::update_contact(const Solve& solve, int block,
                                                                      double relaxation) {
  double* impulse = impulses_.data() + problem_->blocks()[index(block)].row;
  const ContactFactor<double>& factor = judge_->factor(block);
  const Vector3<double> lambda{impulse[0], impulse[1], impulse[2]};
  if constexpr (storage == DelassusStorage::bodies) {
    // An open contact that separates stays open. In a heap that is one contact in three.
    if (opens_when_separating_ && lambda.x == 0.0 && lambda.y == 0.0 && lambda.z == 0.0 &&
        velocities_.read_row<storage>(block, 2) > 0.0) {
      return 0.0;
    }
  }
  const Vector3<double> c = velocities_.read_contact<storage>(block) - factor.W * lambda;
  const ContactAnswer<double> answer = solve(factor, c, lambda);
  Vector3<double> step = answer.impulse - lambda;
  if (answer.mode == 0.0 && lambda.z > 0.0) [[unlikely]] {
    step = step_of_opening(block, c, lambda);
  }
  const double square = dot(step, step);
  if (square == 0.0) return 0.0;
  const Vector3<double> change = relaxation * step;
  impulse[0] = lambda.x + change.x;
  impulse[1] = lambda.y + change.y;
  impulse[2] = lambda.z + change.z;
  velocities_.apply_contact<storage>(block, change);
  return square;
}

/// Blocks whose last step had a smaller square than this rest in this sweep; negative if none does.
double PerContactSweeps::resting_square() {
  const double fraction = options_->per_contact.rest_fraction;
  if (sweeps_++ % waking_period == 0 || !(fraction > 0.0)) return -1.0;
  const double step = fraction * options_->tolerance * judge_->scales(impulses_).impulse;
  return step * step;
}

template <DelassusStorage storage, class Solve>
double PerContactSweeps::sweep_blocks(const Solve& solve, double relaxation) {
  const auto blocks = problem_->blocks();
  const bool may_rest = options_->per_contact.rest_fraction > 0.0;
  const double resting = resting_square();
  double largest = 0.0;
  double sum = 0.0;  // finite only if every square is
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    if (resting >= 0.0 && last_squares_[index(i)] < resting) {
      largest = std::max(largest, last_squares_[index(i)]);
      continue;
    }
    double square = 0.0;
    if (has_cone(blocks[index(i)])) {
      square = update_contact<storage>(solve, i, relaxation);
    } else if (is_bilateral(blocks[index(i)])) {
      square = update_bilateral(i, relaxation);
    } else if (is_turn(blocks[index(i)])) {
      square = update_turn(i, relaxation);
      largest = std::max(largest, square);
      sum += square;
      continue;
    } else {
      square = update_row(i, relaxation);
    }
    if (may_rest) last_squares_[index(i)] = square;
    largest = std::max(largest, square);
    sum += square;
  }
  return std::isfinite(sum) ? std::sqrt(largest) : std::numeric_limits<double>::quiet_NaN();
}

double PerContactSweeps::sweep(double relaxation) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  visit_one_contact_solver(
      options_->law, options_->per_contact.one_contact, [&](const auto& solve) {
        largest = problem_->storage() == DelassusStorage::dense
                      ? sweep_blocks<DelassusStorage::dense>(solve, relaxation)
                      : sweep_blocks<DelassusStorage::bodies>(solve, relaxation);
      });
  return largest;
}

/// Step of a closed contact that would open: under Coulomb's law it may also stay closed. Not
/// inlined, because it is rare and would slow down the common case.
[[gnu::noinline]] Vector3<double> PerContactSweeps::step_of_opening(
    int block, const Vector3<double>& c, const Vector3<double>& lambda) const {
  if (options_->law != Law::coulomb) return -lambda;
  return exact_answer(Law::coulomb, judge_->factor(block), c, lambda).impulse - lambda;
}

/// A block of one row with bounds.
double PerContactSweeps::update_row(int i, double relaxation) {
  const Block& block = problem_->blocks()[index(i)];
  const double G = problem_->diagonal_block(i)(0, 0);
  double& impulse = impulses_[index(block.row)];
  double answer = 0.0;  // of a row that cannot move
  if (G > 0.0) {
    double w = 0.0;
    velocities_.read(i, &w);
    answer = project_row(block, impulse - w / G);
  }
  const double step = answer - impulse;
  if (step == 0.0) return 0.0;
  const double change = relaxation * step;
  impulse += change;
  velocities_.apply(i, &change);
  return step * step;
}

/// All rows of a block without bounds at once.
double PerContactSweeps::update_bilateral(int i, double relaxation) {
  const Block& block = problem_->blocks()[index(i)];
  const ContactProblem::Matrix6& inverse = judge_->lock_inverse(i);
  double w[max_block_rows] = {};
  double change[max_block_rows] = {};
  velocities_.read(i, w);
  double square = 0.0;
  for (int r = 0; r < block.rows; ++r) {
    double step = 0.0;
    for (int k = 0; k < block.rows; ++k) step -= inverse(r, k) * w[k];
    square += step * step;
    change[r] = relaxation * step;
    impulses_[index(block.row + r)] += change[r];
  }
  if (square > 0.0) velocities_.apply(i, change);
  return square;
}

/// The exact answer within the bound of the moment. Contacts come before their turns, so that the
/// bound at the end of a sweep is that of its last normal impulse.
double PerContactSweeps::update_turn(int i, double relaxation) {
  const Block& block = problem_->blocks()[index(i)];
  const ContactProblem::Matrix6& G = problem_->diagonal_block(i);
  double* impulse = impulses_.data() + block.row;
  const TurnPair lambda = read_turn(block, impulse);
  const double bound = turn_bound(*problem_, block, impulses_);
  TurnPair answer;
  if (bound > 0.0 && !judge_->skips(i)) {
    double w[2] = {0.0, 0.0};
    velocities_.read(i, w);
    const TurnPair alone{w[0] - G(0, 0) * lambda.x - G(0, 1) * lambda.y,
                         w[1] - G(0, 1) * lambda.x - G(1, 1) * lambda.y};
    answer = turn_answer(block, G, alone, bound);
  }
  const TurnPair next = shorten({lambda.x + relaxation * (answer.x - lambda.x),
                                 lambda.y + relaxation * (answer.y - lambda.y)},
                                bound);
  const double change[2] = {next.x - lambda.x, next.y - lambda.y};
  if (change[0] == 0.0 && change[1] == 0.0) return 0.0;
  impulse[0] = next.x;
  if (block.rows > 1) impulse[1] = next.y;
  velocities_.apply(i, change);
  const double x = answer.x - lambda.x;
  const double y = answer.y - lambda.y;
  return x * x + y * y;
}

std::string_view PerContactSolver::refusal(const ContactProblem&, const SolverOptions&) const {
  return {};
}

PerContactSolver::Outcome PerContactSolver::run(const ContactProblem& problem,
                                                const SolverOptions& options,
                                                std::span<double> impulses) {
  const PerContactOptions& own = options.per_contact;
  sweeps_.start(problem, judge(), options, impulses);
  begin(problem, options, {.iterations = 2000, .without_gain = 1000}, impulses);
  double relaxation = own.relaxation;
  for (int k = 1;; ++k) {
    const double step = sweeps_.sweep(relaxation);
    if (ended(k, step)) break;
    if (k % VelocityTracker::refresh_period == 0) sweeps_.refresh();
    relaxation = next_relaxation(own, relaxation);
  }
  return finish();
}

}  // namespace stiction
