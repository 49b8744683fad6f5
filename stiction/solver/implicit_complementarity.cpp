#include "stiction/solver/implicit_complementarity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/solver/warm_start.hpp"
#include "stiction/solver/work.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int largest_row_count = 1500;  // a linear system of this size takes about a second
constexpr int default_iterations = 1000;

/// If ½‖r‖² is not halved within this number of steps, it is near a minimum above zero. Patience
/// and sweeps grow with each restart.
constexpr double first_patience = 2.0;
constexpr double patience_growth = 1.4;
constexpr int first_sweeps = 30;
constexpr int most_sweeps = 200;
/// Each restart uses another R, because the minima of ½‖r‖² above zero depend on it.
constexpr std::array<double, 5> other_scalings{30.0, 1.0 / 30.0, 1.0, 900.0, 1.0 / 900.0};
/// A smaller residual of the certificate is rounding: a restart would not help.
constexpr double rounding_residual = 1e-13;

/// λ relative to the mean diagonal of JᵀJ: initial value and bounds.
constexpr double first_damping = 1e-3;
constexpr double least_damping = 1e-15;
constexpr double largest_damping = 1e6;
/// Smallest ratio of the actual to the predicted gain of an accepted step.
constexpr double least_gain = 1e-4;

/// ρ relative to the mean diagonal of G.
constexpr double first_proximal = 1e-8;
constexpr double least_proximal = 1e-12;
constexpr double largest_proximal = 1e-2;
/// The Newton point is accepted without line search if it reduces ½‖r‖² to this fraction.
constexpr double good_newton = 0.9;
/// Points tested by a line search, and halvings of the first interval if none of them is lower.
constexpr std::size_t most_candidates = 48;
constexpr int halvings = 12;

}  // namespace

std::string_view ImplicitComplementaritySolver::refusal(const ContactProblem& problem,
                                                        const SolverOptions& options) const {
  if (options.law != Law::coulomb) return "supports Coulomb's law only";
  if (problem.row_count() > largest_row_count) return "supports at most 1500 rows";
  if (problem.has_turns()) return "does not support torsional and rolling friction";
  return {};
}

double ImplicitComplementaritySolver::full_newton_fraction() const {
  return iterations_ > 0 ? static_cast<double>(full_newton_steps_) / iterations_ : 1.0;
}

Solver::Outcome ImplicitComplementaritySolver::run(const ContactProblem& problem,
                                                   const SolverOptions& options,
                                                   std::span<double> impulses) {
  const int limit = options.max_iterations > 0 ? options.max_iterations : default_iterations;
  const bool dogleg = options.implicit_complementarity.globalization == Globalization::dogleg;
  const int rows = problem.row_count();
  // LU, or the normal equations and their Cholesky factor.
  step_work_ = (dogleg ? 2.0 : 4.0) * factor_work(rows);
  map_work_ = sweep_work(problem);
  if (const auto reached = limit_reached(step_work_)) return {.status = *reached};
  Outcome outcome;
  double start_residual = infinity;
  if (options.warm_start) {
    forget_absurd_start(problem, judge(), impulses);
    start_residual = judge().examine(options.law, impulses).residual();
  }
  open(problem, options);
  start_at(impulses);
  while (true) {
    if (examine(options))
      outcome.status = SolverStatus::certified;
    else if (iterations_ >= limit)
      outcome.status = SolverStatus::iteration_limit;
    else if (const auto reached = limit_reached(step_work_))
      outcome.status = *reached;
    if (outcome.status != SolverStatus::stalled) break;
    const bool descended = dogleg ? dogleg_step() : levenberg_marquardt_step();
    ++iterations_;
    if (is_stuck(descended) && !restart(problem, options)) break;
  }
  outcome.iterations = iterations_;
  // A warm start that is better than all iterates is kept; solve() finds out if it is certified.
  if (best_residual_ < start_residual) std::ranges::copy(best_, impulses.begin());
  return outcome;
}

void ImplicitComplementaritySolver::open(const ContactProblem& problem,
                                         const SolverOptions& options) {
  const ImplicitComplementarityOptions& own = options.implicit_complementarity;
  map_.open(problem, judge(), own.scaling, own.common_scaling);
  const Eigen::Index n = map_.size();
  for (WorkVector* vector :
       {&x_, &r_, &gradient_, &shift_, &step_, &newton_, &cauchy_, &trial_x_, &trial_r_}) {
    vector->resize(n);
  }
  J_.resize(n, n);
  normal_.resize(n, n);
  best_.assign(static_cast<std::size_t>(n), 0.0);
  candidate_.resize(static_cast<std::size_t>(n));
  edges_.reserve(4 * static_cast<std::size_t>(n));
  candidates_.reserve(2 * most_candidates + 4);
  best_residual_ = infinity;
  patience_ = first_patience;
  restarts_ = iterations_ = full_newton_steps_ = sweep_count_ = 0;
}

void ImplicitComplementaritySolver::start_at(std::span<const double> impulses) {
  map_.point_of(impulses, x_);
  merit_ = map_.evaluate(x_, r_);
  damping_ = first_damping;
  proximal_ = first_proximal;
  merit_to_halve_ = merit_;
  steps_since_halved_ = 0;
}

bool ImplicitComplementaritySolver::examine(const SolverOptions& options) {
  map_.impulses_of(x_, candidate_);
  const Certificate certificate = judge().examine(options.law, candidate_);
  record(iterations_, certificate.residual());
  if (certificate.residual() < best_residual_) {
    best_residual_ = certificate.residual();
    best_.swap(candidate_);
  }
  return certificate.certified(options.tolerance);
}

bool ImplicitComplementaritySolver::is_stuck(bool descended) {
  if (!descended) return true;
  ++steps_since_halved_;
  if (merit_ <= 0.5 * merit_to_halve_) {
    merit_to_halve_ = merit_;
    steps_since_halved_ = 0;
  }
  return steps_since_halved_ > patience_;
}

/// Continues after some sweeps of per-contact iteration with another R. Each restart has more
/// sweeps.
bool ImplicitComplementaritySolver::restart(const ContactProblem& problem,
                                            const SolverOptions& options) {
  const ImplicitComplementarityOptions& own = options.implicit_complementarity;
  if (restarts_ >= own.restarts || best_residual_ < rounding_residual) return false;
  SolverOptions sweeping = options;
  sweeping.max_iterations = std::min(most_sweeps, first_sweeps << std::min(restarts_, 4));
  pass_on_limits(sweeping);
  sweeping.warm_start = true;
  sweeping.keep_history = false;
  sweeping.check = CheckLevel::finite;
  ++restarts_;
  patience_ *= patience_growth;
  std::ranges::copy(best_, candidate_.begin());
  const SolverReport swept = sweeps_.solve(problem, sweeping, candidate_);
  sweep_count_ += swept.iterations;
  count_work(swept.work);
  const std::size_t turn = static_cast<std::size_t>(restarts_ - 1) % other_scalings.size();
  map_.open(problem, judge(), own.scaling * other_scalings[turn], own.common_scaling);
  start_at(candidate_);
  return true;
}

void ImplicitComplementaritySolver::move_to(const WorkVector& x) {
  x_ = x;
  merit_ = map_.evaluate(x_, r_);
}

/// Lower triangle of JᵀJ, by tiles that are small enough for Eigen to pack on the stack.
void ImplicitComplementaritySolver::form_normal_equations() {
  constexpr Eigen::Index tile = 64;
  const Eigen::Index n = map_.size();
  map_.derivative(x_, 0.0, J_);
  gradient_.noalias() = J_.transpose() * r_;
  normal_.setZero();
  for (Eigen::Index k = 0; k < n; k += tile) {
    const Eigen::Index depth = std::min(tile, n - k);
    for (Eigen::Index j = 0; j < n; j += tile) {
      const auto right = J_.block(k, j, depth, std::min(tile, n - j));
      for (Eigen::Index i = j; i < n; i += tile) {
        const auto left = J_.block(k, i, depth, std::min(tile, n - i));
        normal_.block(i, j, left.cols(), right.cols()).noalias() += left.transpose() * right;
      }
    }
  }
}

bool ImplicitComplementaritySolver::levenberg_marquardt_step() {
  count_work(step_work_);
  form_normal_equations();
  const double size = normal_.trace() / static_cast<double>(map_.size());
  bool first = true;
  for (; damping_ <= largest_damping && (first || !limit_reached()); first = false) {
    shift_.setConstant(damping_ * size);
    const bool regular = cholesky_.factorize(normal_, shift_);
    if (!first) count_work(factor_work(static_cast<double>(map_.size())));
    if (!regular) {
      damping_ *= 10.0;
      continue;
    }
    step_ = -gradient_;
    cholesky_.solve_in_place(step_);
    trial_x_ = x_ + step_;
    const double merit = map_.evaluate(trial_x_, trial_r_);
    const double predicted = 0.5 * (damping_ * size * step_.squaredNorm() - gradient_.dot(step_));
    const double gain = (merit_ - merit) / predicted;
    if (gain > least_gain) {
      x_.exchange(trial_x_);
      r_.exchange(trial_r_);
      merit_ = merit;
      const double factor = 1.0 - std::pow(2.0 * gain - 1.0, 3);
      damping_ = std::max(least_damping, damping_ * std::clamp(factor, 0.1, 2.0));
      full_newton_steps_ += first ? 1 : 0;
      return true;
    }
    damping_ *= 4.0;
  }
  return false;
}

bool ImplicitComplementaritySolver::find_newton_step() {
  for (; proximal_ <= largest_proximal && !limit_reached(step_work_); proximal_ *= 100.0) {
    count_work(step_work_);
    map_.derivative(x_, proximal_, lu_.matrix(map_.size()));
    const bool regular = lu_.compute();
    if (!regular) continue;
    step_ = -r_;
    lu_.solve(step_);
    if (step_.allFinite()) return true;
  }
  proximal_ = largest_proximal;
  return false;
}

bool ImplicitComplementaritySolver::dogleg_step() {
  const bool regular = find_newton_step();
  if (regular) {
    newton_ = x_ + step_;
    const double merit = map_.evaluate(newton_, trial_r_);
    if (merit <= good_newton * merit_) {
      x_.exchange(newton_);
      r_.exchange(trial_r_);
      merit_ = merit;
      proximal_ = std::max(least_proximal, 0.1 * proximal_);
      ++full_newton_steps_;
      return true;
    }
  }
  proximal_ = std::min(largest_proximal, 10.0 * proximal_);
  const double before = merit_;
  find_cauchy_step();
  const double to_cauchy = search(x_, merit_, step_);
  cauchy_ = x_ + to_cauchy * step_;
  move_to(cauchy_);
  if (regular) {
    step_ = newton_ - cauchy_;
    const double to_newton = search(cauchy_, merit_, step_);
    trial_x_ = cauchy_ + to_newton * step_;
    move_to(trial_x_);
  }
  return merit_ < before * (1.0 - 1e-12);
}

/// The step along the negative gradient to the minimum of the linear model.
void ImplicitComplementaritySolver::find_cauchy_step() {
  map_.derivative(x_, 0.0, J_);
  gradient_.noalias() = J_.transpose() * r_;
  trial_r_.noalias() = J_ * gradient_;
  const double slope = gradient_.squaredNorm();
  const double curvature = trial_r_.squaredNorm();
  step_ = (curvature > 0.0 ? -slope / curvature : -1.0) * gradient_;
}

double ImplicitComplementaritySolver::merit_at(const WorkVector& from, double length,
                                               const WorkVector& step) {
  count_work(map_work_);
  trial_x_ = from + length * step;
  return map_.evaluate(trial_x_, trial_r_);
}

/// The tested step length in [0, 1] with the smallest merit.
double ImplicitComplementaritySolver::search(const WorkVector& from, double merit_from,
                                             const WorkVector& step) {
  choose_candidates(from, step);
  double best_length = 0.0;
  double best_merit = merit_from;
  const auto test = [&](double length) {
    const double merit = merit_at(from, length, step);
    if (!(merit < best_merit)) return false;
    best_merit = merit;
    best_length = length;
    return true;
  };
  for (const double length : candidates_) {
    if (limit_reached()) break;
    test(length);
  }
  if (best_length > 0.0) return best_length;
  double length = candidates_.front();
  for (int k = 0; k < halvings && !limit_reached(); ++k) {
    length *= 0.5;
    if (test(length)) break;
  }
  return best_length;
}

/// Edges and the midpoints between them; if there are too many, only some of them.
void ImplicitComplementaritySolver::choose_candidates(const WorkVector& from,
                                                      const WorkVector& step) {
  edges_.clear();
  map_.find_edges(from, step, edges_);
  edges_.push_back(1.0);
  std::ranges::sort(edges_);
  const std::size_t stride = (2 * edges_.size() + most_candidates - 1) / most_candidates;
  candidates_.clear();
  double last = 0.0;
  for (std::size_t i = 0; i < edges_.size(); i += stride) {
    candidates_.push_back(0.5 * (last + edges_[i]));
    candidates_.push_back(edges_[i]);
    last = edges_[i];
  }
  if (last < 1.0) candidates_.push_back(1.0);
}

}  // namespace stiction
