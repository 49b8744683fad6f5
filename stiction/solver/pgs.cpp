#include "stiction/solver/pgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/turn_laws.hpp"
#include "stiction/solver/warm_start.hpp"

namespace stiction {

namespace {

double inverse_or_zero(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

}  // namespace

std::string_view PgsSolver::refusal(const ContactProblem&, const SolverOptions& options) const {
  return options.law == Law::coulomb ? "" : "supports Coulomb's law only";
}

PgsSolver::Outcome PgsSolver::run(const ContactProblem& problem, const SolverOptions& options,
                                  std::span<double> impulses) {
  const PgsOptions& own = options.pgs;
  const bool dense = problem.storage() == DelassusStorage::dense;
  prepare_steps(problem);
  if (options.warm_start) forget_absurd_start(problem, judge(), impulses);
  velocities_.start(problem, impulses);
  const bool printed = own.stop == PgsOptions::Stop::printed;
  begin(problem, options, {.iterations = 20000, .without_gain = 4000, .by_certificate = !printed},
        impulses);
  for (int k = 1;; ++k) {
    const Sweep done = dense ? sweep<DelassusStorage::dense>(problem, own.relaxation, impulses)
                             : sweep<DelassusStorage::bodies>(problem, own.relaxation, impulses);
    if (printed && done.change + done.penetration < own.printed_threshold) {
      end(k, SolverStatus::solved);
      break;
    }
    if (ended(k, done.largest)) break;
    if (k % VelocityTracker::refresh_period == 0) velocities_.refresh(impulses);
  }
  return finish();
}

void PgsSolver::prepare_steps(const ContactProblem& problem) {
  steps_.resize(index(problem.block_count()));
  for (int i = 0; i < problem.block_count(); ++i) {
    const ContactProblem::Matrix6& G = problem.diagonal_block(i);
    steps_[index(i)] = {};
    if (has_cone(problem.blocks()[index(i)]) && !judge().skips(i)) {
      steps_[index(i)] = {.normal = inverse_or_zero(G(2, 2)),
                          .tangential = inverse_or_zero(std::max(G(0, 0), G(1, 1)))};
    }
  }
}

template <DelassusStorage storage>
PgsSolver::Sweep PgsSolver::sweep(const ContactProblem& problem, double relaxation,
                                  std::span<double> impulses) {
  Sweep sweep;
  double sum = 0.0;  // finite only if every square is
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    double* impulse = impulses.data() + block.row;
    const double square =
        has_cone(block)  ? update_contact<storage>(i, block, relaxation, impulse, sweep)
        : is_turn(block) ? update_turn<storage>(problem, i, relaxation, impulses, sweep)
                         : update_rows<storage>(problem, i, relaxation, impulse, sweep);
    sweep.largest = std::max(sweep.largest, square);
    sum += square;
  }
  sweep.largest = std::isfinite(sum) ? std::sqrt(sweep.largest) / relaxation
                                     : std::numeric_limits<double>::quiet_NaN();
  return sweep;
}

/// The normal row, then the tangential rows with the velocity that it leaves. Returns |Δλ|².
template <DelassusStorage storage>
double PgsSolver::update_contact(int i, const Block& block, double relaxation, double* impulse,
                                 Sweep& sweep) {
  const Steps& steps = steps_[index(i)];
  if (steps.normal == 0.0) return clear<storage>(i, impulse);
  const double w_n = velocities_.read_row<storage>(i, 2);
  const double normal = std::max(0.0, impulse[2] - relaxation * steps.normal * w_n);  // [PCI] (17)
  const double dz = normal - impulse[2];
  impulse[2] = normal;
  if (dz != 0.0) velocities_.apply_row<storage>(i, 2, dz);

  const double step = relaxation * steps.tangential;
  double x = impulse[0] - step * velocities_.read_row<storage>(i, 0);
  double y = impulse[1] - step * velocities_.read_row<storage>(i, 1);
  const double scale = friction_scale(block, std::sqrt(x * x + y * y), normal);  // [PCI] (18)
  x *= scale;
  y *= scale;
  const double dx = x - impulse[0];
  const double dy = y - impulse[1];
  impulse[0] = x;
  impulse[1] = y;
  if (dx != 0.0) velocities_.apply_row<storage>(i, 0, dx);
  if (dy != 0.0) velocities_.apply_row<storage>(i, 1, dy);
  sweep.change += std::abs(dx) + std::abs(dy) + std::abs(dz);
  sweep.penetration += std::max(0.0, -w_n);
  return dx * dx + dy * dy + dz * dz;
}

/// All rows of torsional or rolling friction. Returns |Δλ|².
template <DelassusStorage storage>
double PgsSolver::update_turn(const ContactProblem& problem, int i, double relaxation,
                              std::span<double> impulses, Sweep& sweep) {
  const Block& block = problem.blocks()[index(i)];
  const ContactProblem::Matrix6& G = problem.diagonal_block(i);
  double* impulse = impulses.data() + block.row;
  const double bound = judge().skips(i) ? 0.0 : turn_bound(problem, block, impulses);
  const double step = relaxation * inverse_or_zero(std::max(G(0, 0), G(1, 1)));
  double next[2] = {0.0, 0.0};
  for (int r = 0; r < block.rows; ++r) {
    next[r] = impulse[r] - step * velocities_.read_row<storage>(i, r);
  }
  const TurnPair inside = shorten({next[0], next[1]}, bound);
  const double change[2] = {inside.x - impulse[0], block.rows > 1 ? inside.y - impulse[1] : 0.0};
  for (int r = 0; r < block.rows; ++r) {
    if (change[r] == 0.0) continue;
    impulse[r] = r == 0 ? inside.x : inside.y;
    velocities_.apply_row<storage>(i, r, change[r]);
    sweep.change += std::abs(change[r]);
  }
  return change[0] * change[0] + change[1] * change[1];
}

/// A point that cannot move along its normal gets no impulse. Returns 0.
template <DelassusStorage storage>
double PgsSolver::clear(int i, double* impulse) {
  for (int r = 0; r < 3; ++r) {
    if (impulse[r] != 0.0) velocities_.apply_row<storage>(i, r, -impulse[r]);
    impulse[r] = 0.0;
  }
  return 0.0;
}

/// The rows of a block without a cone, one after another. Returns |Δλ|².
template <DelassusStorage storage>
double PgsSolver::update_rows(const ContactProblem& problem, int i, double relaxation,
                              double* impulse, Sweep& sweep) {
  const Block& block = problem.blocks()[index(i)];
  double square = 0.0;
  for (int r = 0; r < block.rows; ++r) {
    const double inverse = inverse_or_zero(problem.diagonal_block(i)(r, r));
    const double w = velocities_.read_row<storage>(i, r);
    const double next = project_row(block, impulse[r] - relaxation * inverse * w);
    if (is_one_sided(block)) sweep.penetration += std::max(0.0, -w);
    const double change = next - impulse[r];
    if (change == 0.0) continue;
    impulse[r] = next;
    velocities_.apply_row<storage>(i, r, change);
    sweep.change += std::abs(change);
    square += change * change;
  }
  return square;
}

}  // namespace stiction
