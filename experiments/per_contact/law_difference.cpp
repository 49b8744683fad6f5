#include "experiments/per_contact/law_difference.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::experiments {

namespace {

constexpr double aim = 1e-12;          // tolerance of both solvers
constexpr double good_enough = 1e-10;  // rounding may end a solve before the aim
// Newton's method needs some ten iterations. Where rounding keeps it from the aim, more do not
// help.
constexpr int most_newton_steps = 500;
constexpr int most_sweeps = 20'000;

SolverOptions options_for(Law law) {
  SolverOptions options;
  options.law = law;
  options.tolerance = aim;
  options.warm_start = true;
  options.check = CheckLevel::finite;
  options.max_iterations = law == Law::coulomb ? most_newton_steps : most_sweeps;
  return options;
}

double length(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

LawComparison::LawComparison()
    : coulomb_(make_solver("hybrid")), dissipation_(make_solver("per_contact")) {}

void LawComparison::add(const ContactProblem& problem) {
  impulses_p_.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverReport coulomb = coulomb_->solve(problem, options_for(Law::coulomb), impulses_p_);
  if (length(impulses_p_) == 0.0) return;
  impulses_b_ = impulses_p_;
  const SolverReport dissipation =
      dissipation_->solve(problem, options_for(Law::max_dissipation), impulses_b_);
  if (!coulomb.certificate.certified(good_enough) ||
      !dissipation.certificate.certified(good_enough)) {
    ++differences_.unsolved;
  }
  differences_.problems.push_back(distance(impulses_b_, impulses_p_) / length(impulses_p_));
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (block.kind != BlockKind::contact) continue;
    const Judge& judge = coulomb_->last_judge();
    if (judge.mode(i, impulses_p_, judge.velocity()) != ContactMode::slip) continue;
    const std::span<const double> p = std::span(impulses_p_).subspan(index(block.row), 3);
    const std::span<const double> b = std::span(impulses_b_).subspan(index(block.row), 3);
    if (length(p) > 0.0) differences_.sliding.push_back(distance(b, p) / length(p));
  }
}

double share_below(std::span<const double> values, double bound) {
  if (values.empty()) return 0.0;
  const auto below = std::ranges::count_if(values, [&](double value) { return value < bound; });
  return static_cast<double>(below) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto place = std::min(values.size() - 1,
                              static_cast<std::size_t>(share * static_cast<double>(values.size())));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

}  // namespace stiction::experiments
