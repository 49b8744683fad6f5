#include "stiction/solver/solver.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/unexamined.hpp"
#include "stiction/core/finite.hpp"
#include "stiction/core/stop_request.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Assumed speed of a slow core [multiply-adds/s], until a solve has run for `least_measured_time`
/// [s] and its own speed is known.
constexpr double expected_speed = 2e9;
constexpr double least_measured_time = 0.01;

/// The advice to use the default solver; if a text has it, it comes last.
constexpr std::string_view or_hybrid = ", or use `hybrid`";

/// What happened and what the user can do; empty if nothing is wrong.
std::string_view advice(SolverStatus status, const ContactProblem& problem) {
  switch (status) {
    case SolverStatus::certified:
    case SolverStatus::unsupported:
    case SolverStatus::invalid_problem:
      return "";
    case SolverStatus::solved:
      return "the solver's own equations are solved, but the law is not met within the tolerance; "
             "increase the tolerance, or use `hybrid` for the exact law";
    case SolverStatus::stalled:
      return "no further progress before the tolerance was met; increase the tolerance, or use "
             "`hybrid`";
    case SolverStatus::iteration_limit:
      return "the iteration limit was reached; increase max_iterations, or use `hybrid`";
    case SolverStatus::work_limit:
      return "the work limit was reached; increase work_limit, or use `hybrid`";
    case SolverStatus::time_limit:
      return "the time limit was reached; increase time_limit, or use `hybrid`";
    case SolverStatus::ray:
      return std::ranges::any_of(problem.blocks(), is_bilateral)
                 ? "Lemke's method ended on a ray: there may be no solution, because locks "
                   "contradict each other or the contacts; remove a lock or separate overlapping "
                   "bodies, or use `hybrid`"
                 : "Lemke's method ended on a ray: there may be no solution, because contacts or "
                   "limits with negative gaps oppose each other; separate overlapping bodies, or "
                   "use `hybrid`";
    case SolverStatus::breakdown:
      return "a number overflowed; scale the problem, or use `hybrid`";
  }
  return "";
}

/// The advice for a solver; the default solver is not advised to use itself.
std::string_view remedy(SolverStatus status, const ContactProblem& problem,
                        std::string_view solver) {
  const std::string_view text = advice(status, problem);
  return solver == "hybrid" ? text.substr(0, text.find(or_hybrid)) : text;
}

}  // namespace

std::string_view to_string(SolverStatus status) {
  switch (status) {
    case SolverStatus::certified:
      return "certified";
    case SolverStatus::solved:
      return "solved";
    case SolverStatus::stalled:
      return "stalled";
    case SolverStatus::iteration_limit:
      return "iteration limit";
    case SolverStatus::work_limit:
      return "work limit";
    case SolverStatus::time_limit:
      return "time limit";
    case SolverStatus::ray:
      return "ray";
    case SolverStatus::breakdown:
      return "breakdown";
    case SolverStatus::unsupported:
      return "unsupported";
    case SolverStatus::invalid_problem:
      return "invalid problem";
  }
  return "?";
}

double Solver::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<SolverStatus> Solver::limit_reached(double next_operations) const {
  if (work_ + next_operations > work_limit_ || stop_requested()) return SolverStatus::work_limit;
  if (time_limit_ == infinity) return std::nullopt;
  const double now = elapsed();
  const double speed = now > least_measured_time && work_ > 0.0 ? work_ / now : expected_speed;
  if (now + next_operations / speed > time_limit_) return SolverStatus::time_limit;
  return std::nullopt;
}

void Solver::pass_on_limits(SolverOptions& options) const {
  options.work_limit = std::max(1.0, work_limit_ - work_);
  if (time_limit_ < infinity) options.time_limit = std::max(1e-6, time_limit_ - elapsed());
}

void Solver::record(int iteration, double residual) {
  if (keep_history_) history_.push_back({iteration, elapsed(), residual});
}

void Solver::clear_skipped(const ContactProblem& problem, std::span<double> impulses) const {
  if (judge_.skipped_count() == 0) return;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    if (!judge_.skips(i)) continue;
    std::fill_n(impulses.begin() + block.row, block.rows, 0.0);
  }
}

SolverReport Solver::solve(const ContactProblem& problem, const SolverOptions& options,
                           std::span<double> impulses) {
  if (!options.warm_start || !all_finite(impulses)) std::ranges::fill(impulses, 0.0);
  SolverReport report;
  report.certificate = unexamined();
  if (!(options.tolerance > 0.0) || options.max_iterations < 0 || !(options.work_limit > 0.0) ||
      !(options.time_limit > 0.0)) {
    report.message =
        "tolerance, work_limit and time_limit must be positive, max_iterations must not be "
        "negative";
    return report;
  }
  if (report.message = fault_of(options, name()); !report.message.empty()) return report;
  attempt(problem, options, impulses, report);
  certify(problem, options, impulses, report);
  return report;
}

/// Options are not checked here: a step checks them before all of its solves.
void Solver::attempt(const ContactProblem& problem, const SolverOptions& options,
                     std::span<double> impulses, SolverReport& report) {
  const bool reads_clock = measures_time_ || options.time_limit < infinity || options.keep_history;
  if (reads_clock) start_ = std::chrono::steady_clock::now();
  work_ = 0.0;
  work_limit_ = options.work_limit;
  time_limit_ = options.time_limit;
  // One by one: as a whole, a compiler clears it by a slow instruction.
  report.status = SolverStatus::invalid_problem;
  report.iterations = 0;
  report.seconds = report.work = 0.0;
  report.certificate = {};
  report.message = {};
  report.skipped_blocks = 0;
  report.history = {};
  history_.clear();
  keep_history_ = options.keep_history;
  if (impulses.size() != static_cast<std::size_t>(problem.row_count())) {
    message_ = fmt::format("the problem has {1} rows, but {0} impulses were given; use one per row",
                           impulses.size(), problem.row_count());
    report.certificate = unexamined();
    report.message = message_;
    return;
  }
  if (!options.warm_start || !all_finite(impulses)) std::ranges::fill(impulses, 0.0);
  if (const ProblemFault fault = problem.check(options.check)) {
    message_ = fmt::format("{}; {}", fault.what, fault.remedy);
    report.certificate = unexamined();
    report.message = message_;
    return;
  }
  if (const std::string_view refused = refusal(problem, options); !refused.empty()) {
    report.status = SolverStatus::unsupported;
    message_ = fmt::format("{} {}{}", name(), refused, name() == "hybrid" ? "" : "; use `hybrid`");
    report.certificate = unexamined();
    report.message = message_;
    return;
  }

  judge_.open(problem);
  clear_skipped(problem, impulses);
  Outcome outcome{.status = SolverStatus::certified};
  if (problem.block_count() > 0) outcome = run(problem, options, impulses);
  if (!all_finite(impulses)) {
    std::ranges::fill(impulses, 0.0);
    outcome.status = SolverStatus::breakdown;
  }
  report.work = work_;
  report.iterations = outcome.iterations;
  report.status = outcome.status;
  report.message = outcome.note;
}

void Solver::certify(const ContactProblem& problem, const SolverOptions& options,
                     std::span<const double> impulses, SolverReport& report) {
  if (report.status == SolverStatus::invalid_problem ||
      report.status == SolverStatus::unsupported) {
    return;
  }
  report.certificate = judge_.examine(options.law, impulses);
  report.seconds = measures_time_ ? elapsed() : 0.0;
  if (report.certificate.certified(options.tolerance)) {
    report.status = SolverStatus::certified;
  } else if (report.status == SolverStatus::certified) {
    report.status = SolverStatus::stalled;
  }
  report.skipped_blocks = judge_.skipped_count();
  if (report.certified()) {
    report.message = {};
  } else if (report.message.empty()) {
    report.message = remedy(report.status, problem, name());
  }
  report.history = history_;
}

}  // namespace stiction
