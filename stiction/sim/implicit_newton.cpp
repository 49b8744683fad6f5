#include "stiction/sim/implicit_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/articulated_body.hpp"

namespace stiction {

namespace {

constexpr int most_halvings = 20;
/// Whole steps that may lead uphill, until shorter ones are looked for.
constexpr int most_uphill = 5;
/// Change of an angle at the end of the step that one iteration may bring [rad].
constexpr double largest_turn = 0.5;
/// Least decrease that a step must bring, relative to what its length promises.
constexpr double least_decrease = 1e-4;
/// Held rows that repeat others get this softness, relative to the most mobile one.
constexpr double row_softness = 1e-10;
/// Rows less mobile than this, relative to the most mobile one, do not move.
constexpr double immobile = 1e-12;

/// Springs on the way to stiff ones, which are found from softer ones where they are not found at
/// once. The last ones are the right ones.
constexpr double softer_springs[] = {1e-4, 1e-3, 1e-2, 1e-1, 1.0};

ViscoelasticOptions soften(const ViscoelasticOptions& options, double factor) {
  ViscoelasticOptions result = options;
  result.stiffness *= factor;
  result.damping *= factor;
  result.tangential_stiffness *= factor;
  result.tangential_damping *= factor;
  return result;
}

double largest(std::span<const double> numbers) {
  double result = 0.0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

NewtonReport ImplicitNewton::solve(const ImplicitInput& input, DynamicsData<double>& start,
                                   ImplicitEquations& equations, HeldRows& held,
                                   std::span<double> v) {
  start_velocity_.assign(v.begin(), v.end());
  start_force_ = held.force;
  const NewtonReport first = search(input, true, start, equations, held, v);
  if (first.status == SolverStatus::certified) return first;
  // Where nothing else leads on either, it ends here: downhill from the start, so not far off.
  first_end_ = best_;
  int iterations = first.iterations;
  const auto go_on = [&](const ViscoelasticOptions& options) {
    const ImplicitInput eased{
        input.model,   input.layout,  input.tendons,  options,         input.state,
        input.tau,     input.inertia, input.external, input.time_step, input.four_face_points,
        input.collider};
    NewtonReport report = search(eased, false, start, equations, held, v);
    report.iterations = iterations += report.iterations;
    return report;
  };
  const auto go_back = [&] {
    std::ranges::copy(start_velocity_, v.begin());
    held.force = start_force_;
  };
  go_back();
  NewtonReport report = go_on(input.options);
  if (report.status == SolverStatus::certified) return report;
  go_back();
  for (const double softness : softer_springs) report = go_on(soften(input.options, softness));
  if (report.status == SolverStatus::certified) return report;
  best_ = first_end_;
  take_best(held, v);
  merit_ = measure(input, start, equations, held, v, held.force);
  report = first;
  report.iterations = iterations;
  return report;
}

NewtonReport ImplicitNewton::search(const ImplicitInput& input, bool downhill,
                                    DynamicsData<double>& start, ImplicitEquations& equations,
                                    HeldRows& held, std::span<double> v) {
  const double slowest = std::max({input.time_step * input.model.gravity().norm(), 1e-12,
                                   largest({input.state.v.data(), index(input.state.v.size())})});
  const auto bound = [&] { return input.options.newton_tolerance * std::max(slowest, largest(v)); };
  weigh_rows(input, start, held);
  merit_ = measure(input, start, equations, held, v, held.force);
  best_merit_ = std::numeric_limits<double>::infinity();
  int uphill = 0;
  bool lost = downhill;  // or whole steps have led nowhere
  NewtonReport report;
  // Without success, the best place is where it ends.
  const auto end_as = [&](SolverStatus status) {
    report.status = status;
    take_best(held, v);
    merit_ = measure(input, start, equations, held, v, held.force);
    return report;
  };
  for (;;) {
    if (velocity_residual_ <= bound()) return report;
    uphill = keep_best(held, v) ? 0 : uphill + 1;
    if (!std::isfinite(best_merit_)) {
      report.status = SolverStatus::breakdown;
      return report;
    }
    if (report.iterations == input.options.newton_iterations) {
      return end_as(SolverStatus::iteration_limit);
    }
    if (!lost && (uphill > most_uphill || !std::isfinite(merit_))) {
      lost = true;
      take_best(held, v);
      merit_ = measure(input, start, equations, held, v, held.force);
    }
    ++report.iterations;
    if (!find_direction(input, equations, held)) {
      if (lost || uphill == 0) return end_as(SolverStatus::stalled);
      uphill = most_uphill;  // one more, and the search is lost
      continue;
    }
    const double change = largest(std::span(direction_).first(v.size()));
    report.change = change / std::max(slowest, largest(v));
    if (change <= bound()) {
      static_cast<void>(take_step(1.0, input, start, equations, held, v));
      return report;
    }
    if (!lost) {
      static_cast<void>(take_step(longest_step(input), input, start, equations, held, v));
    } else if (!search_line(input, start, equations, held, v)) {
      return end_as(SolverStatus::stalled);
    }
  }
}

/// Whether this place is the best so far; then it is kept.
bool ImplicitNewton::keep_best(const HeldRows& held, std::span<const double> v) {
  if (!(merit_ < best_merit_)) return false;
  best_merit_ = merit_;
  best_.assign(v.begin(), v.end());
  best_.insert(best_.end(), held.force.begin(), held.force.end());
  return true;
}

void ImplicitNewton::take_best(HeldRows& held, std::span<double> v) const {
  std::copy_n(best_.begin(), v.size(), v.begin());
  std::copy_n(best_.begin() + static_cast<std::ptrdiff_t>(v.size()), held.force.size(),
              held.force.begin());
}

void ImplicitNewton::weigh_rows(const ImplicitInput& input, DynamicsData<double>& start,
                                const HeldRows& held) {
  residual_.resize(held.given.size());
  weighed_.resize(held.given.size());
  violation_.resize(held.count());
  row_mobility_.resize(held.count());
  for (std::size_t i = 0; i < held.count(); ++i) {
    apply_inverse<double>(input.model, start, held.row(i), weighed_);
    row_mobility_[i] = product(held.row(i), weighed_);
  }
  softness_ = input.time_step * row_softness * largest(row_mobility_);
  // Rows across which nothing moves, as those of a flat linkage, ask for nothing.
  const double least = immobile * largest(row_mobility_);
  for (double& mobility : row_mobility_) mobility = mobility > least ? mobility : 0.0;
}

/// What is left over at v⁺ and the rows' forces, squared: rᵀ M⁻¹ r, and the rows alike.
double ImplicitNewton::measure(const ImplicitInput& input, DynamicsData<double>& start,
                               ImplicitEquations& equations, const HeldRows& held,
                               std::span<const double> v, std::span<const double> force) {
  equations.evaluate(input, v, residual_);
  for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] -= held.given[k];
  for (std::size_t i = 0; i < held.count(); ++i) {
    const std::span<const double> row = held.row(i);
    for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] -= force[i] * row[k];
  }
  apply_inverse<double>(input.model, start, residual_, weighed_);
  double merit = product(residual_, weighed_);
  velocity_residual_ = input.time_step * largest(weighed_);
  const double rate = 1.0 / input.time_step;
  for (std::size_t i = 0; i < held.count(); ++i) {
    violation_[i] = 0.0;
    if (row_mobility_[i] == 0.0) continue;
    violation_[i] = product(held.row(i), v) - held.target[i];
    velocity_residual_ = std::max(velocity_residual_, std::abs(violation_[i]));
    merit += rate * rate * violation_[i] * violation_[i] / row_mobility_[i];
  }
  return merit;
}

/// Solves [A −Jᵀ; J ε] (Δv, Δf) = −(r, J v − target).
bool ImplicitNewton::find_direction(const ImplicitInput& input, ImplicitEquations& equations,
                                    const HeldRows& held) {
  const Eigen::Index n = static_cast<Eigen::Index>(residual_.size());
  const Eigen::Index rows = static_cast<Eigen::Index>(held.count());
  PaddedMatrix& matrix = lu_.matrix();
  lu_.reserve(n + rows);
  matrix.resize(n + rows);
  equations.linearize(input, matrix);
  direction_.assign(index(matrix.stride()), 0.0);
  for (Eigen::Index k = 0; k < n; ++k) direction_[index(k)] = -residual_[index(k)];
  for (Eigen::Index i = 0; i < rows; ++i) {
    const std::span<const double> row = held.row(index(i));
    for (Eigen::Index k = 0; k < n; ++k) {
      matrix(k, n + i) = -row[index(k)];
      matrix(n + i, k) = row[index(k)];
    }
    matrix(n + i, n + i) = softness_ > 0.0 ? softness_ : 1.0;
    direction_[index(n + i)] = -violation_[index(i)];
  }
  if (!lu_.factorize()) return false;
  lu_.solve(direction_.data());
  return std::ranges::all_of(direction_, [](double number) { return std::isfinite(number); });
}

/// A whole step, unless joints would turn by it further than the derivatives can tell.
double ImplicitNewton::longest_step(const ImplicitInput& input) const {
  const std::vector<DegreeOfFreedom>& dofs = input.model.degrees_of_freedom();
  double turn = 0.0;
  for (std::size_t k = 0; k < dofs.size(); ++k) {
    if (dofs[k].angular) turn = std::max(turn, input.time_step * std::abs(direction_[k]));
  }
  return turn > largest_turn ? largest_turn / turn : 1.0;
}

/// Moves by `length` times the direction. Whether that brings what the length promises.
bool ImplicitNewton::take_step(double length, const ImplicitInput& input,
                               DynamicsData<double>& start, ImplicitEquations& equations,
                               HeldRows& held, std::span<double> v) {
  const double before = merit_;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += length * direction_[k];
  for (std::size_t i = 0; i < held.count(); ++i) {
    held.force[i] += length * direction_[v.size() + i];
  }
  merit_ = measure(input, start, equations, held, v, held.force);
  return merit_ <= (1.0 - least_decrease * length) * before;
}

/// From the best place: halves the step until it is better.
bool ImplicitNewton::search_line(const ImplicitInput& input, DynamicsData<double>& start,
                                 ImplicitEquations& equations, HeldRows& held,
                                 std::span<double> v) {
  double length = 1.0;
  for (int halving = 0; halving <= most_halvings; ++halving, length *= 0.5) {
    take_best(held, v);
    merit_ = best_merit_;
    if (take_step(length, input, start, equations, held, v)) return true;
  }
  return false;
}

}  // namespace stiction
