#include "stiction/sim/options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "stiction/model/time_step.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

namespace {

constexpr std::array gap_rules{GapRule::position, GapRule::velocity};
constexpr std::array integrators{Integrator::explicit_euler, Integrator::semi_implicit,
                                 Integrator::trapezoid, Integrator::implicit, Integrator::rk4};
constexpr int most_threads = 1024;
constexpr int most_push_out_sweeps = 1000;

/// False for NaN.
bool within(double x, double least, double most) { return x >= least && x <= most; }
bool finite_from_zero(double x) { return within(x, 0.0, std::numeric_limits<double>::max()); }

template <class Word, std::size_t count>
std::optional<Word> parse(const std::array<Word, count>& words, std::string_view text) {
  for (const Word word : words) {
    if (to_string(word) == text) return word;
  }
  return std::nullopt;
}

std::string fault_of_solver(const StepOptions& options) {
  const SolverOptions& own = options.solver_options;
  if (std::ranges::find(solver_names(), options.solver) == solver_names().end()) {
    return fmt::format("solver '{}' is not known; give one of {}", options.solver,
                       fmt::join(solver_names(), ", "));
  }
  if (to_string(own.law) == "?") return "solver_options.law must be one of enum Law";
  if (!(own.tolerance > 0.0 && finite_from_zero(own.tolerance))) {
    return fmt::format("solver_options.tolerance is {}; give a positive number", own.tolerance);
  }
  if (own.max_iterations < 0) {
    return fmt::format(
        "solver_options.max_iterations is {}; give 0 for the solver's own default, "
        "or more",
        own.max_iterations);
  }
  if (!(own.work_limit > 0.0)) {
    return fmt::format("solver_options.work_limit is {}; give a positive number of multiply-adds",
                       own.work_limit);
  }
  if (own.time_limit != std::numeric_limits<double>::infinity()) {
    return fmt::format(
        "solver_options.time_limit is {} s, but a step must not depend on the clock; leave it "
        "infinite and set work_limit or max_iterations",
        own.time_limit);
  }
  if (const std::string_view fault = fault_of(own, options.solver); !fault.empty()) {
    return fmt::format("solver_options.{}", fault);
  }
  return {};
}

/// Of a number that must be in [least, most].
std::string fault_of_number(std::string_view name, double value, double least, double most) {
  if (within(value, least, most)) return {};
  return fmt::format("{} is {}; give a number from {} to {}", name, value, least, most);
}

/// Of a number that must be finite and not negative.
std::string fault_of_size(std::string_view name, double value, std::string_view unit) {
  if (finite_from_zero(value)) return {};
  return fmt::format("{} is {}{}; give 0 or a positive number", name, value, unit);
}

}  // namespace

std::string_view to_string(GapRule rule) {
  switch (rule) {
    case GapRule::position:
      return "position";
    case GapRule::velocity:
      return "velocity";
  }
  return "?";
}

std::string_view to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return "explicit";
    case Integrator::semi_implicit:
      return "semi_implicit";
    case Integrator::trapezoid:
      return "trapezoid";
    case Integrator::implicit:
      return "implicit";
    case Integrator::rk4:
      return "rk4";
  }
  return "?";
}

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::not_certified:
      return "not certified";
    case StepStatus::refused:
      return "refused";
    case StepStatus::diverged:
      return "diverged";
  }
  return "?";
}

std::optional<GapRule> parse_gap_rule(std::string_view word) { return parse(gap_rules, word); }

std::optional<Integrator> parse_integrator(std::string_view word) {
  return parse(integrators, word);
}

std::string fault_of(const StepOptions& options) {
  std::string fault;
  const auto found = [&fault](std::string text) {
    fault = std::move(text);
    return !fault.empty();
  };
  if (options.time_step != 0.0 &&
      !within(options.time_step, shortest_time_step, longest_time_step)) {
    return fmt::format("time_step is {} s; give {} to {} s, or 0 for the wish of the model",
                       options.time_step, shortest_time_step, longest_time_step);
  }
  if (to_string(options.gap_rule) == "?") return "gap_rule must be one of enum GapRule";
  if (to_string(options.integrator) == "?") return "integrator must be one of enum Integrator";
  if (found(fault_of_number("push_out_share", options.push_out_share, 0.0, 1.0))) return fault;
  if (found(fault_of_size("push_out_speed", options.push_out_speed, " m/s"))) return fault;
  if (options.push_out_sweeps < 0 || options.push_out_sweeps > most_push_out_sweeps) {
    return fmt::format("push_out_sweeps is {}; give 0 to {}", options.push_out_sweeps,
                       most_push_out_sweeps);
  }
  if (!(options.recall_share > 0.0 && options.recall_share <= 1.0)) {
    return fmt::format("recall_share is {}; give a number above 0, at most 1",
                       options.recall_share);
  }
  if (found(fault_of_number("lock_share", options.lock_share, 0.0, 1.0))) return fault;
  if (found(fault_of_size("margin", options.margin, " m"))) return fault;
  if (found(fault_of_size("restitution_threshold", options.restitution_threshold, ""))) {
    return fault;
  }
  if (options.threads < 1 || options.threads > most_threads) {
    return fmt::format("threads is {}; give 1 to {}", options.threads, most_threads);
  }
  return fault_of_solver(options);
}

}  // namespace stiction
