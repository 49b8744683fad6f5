#pragma once

/// \file
/// What all solvers have in common: checks before, the judge's verdict after.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/options.hpp"

namespace stiction {

enum class SolverStatus {
  certified,  ///< the certificate meets the tolerance
  solved,     ///< the solver met its own equations, which are not the law's (such as a pyramid)
  stalled,    ///< no more progress, such as at the limit of rounding
  iteration_limit,  ///< ended by max_iterations
  work_limit,       ///< ended by work_limit
  time_limit,       ///< ended by time_limit
  ray,              ///< Lemke's method ended on a ray: this problem may have no solution
  breakdown,    ///< numbers overflowed or a factorization failed; impulses are finite all the same
  unsupported,  ///< this solver does not take this law, block or size; nothing was done
  invalid_problem,  ///< the problem or an option is wrong; nothing was done
};

std::string_view to_string(SolverStatus status);

/// One point of a residual history.
struct HistoryPoint {
  int iteration = 0;
  double seconds = 0.0;   ///< since the start of the solve
  double residual = 0.0;  ///< as in Certificate::residual()
};

/// The message and the history belong to the solver: they last as long as it lives and until its
/// next solve. Keep the solver, or copy them, before make_solver(…)->solve(…) is over.
struct SolverReport {
  SolverStatus status = SolverStatus::invalid_problem;
  int iterations = 0;
  double seconds = 0.0;      ///< wall time of the solve, the check before it included
  double work = 0.0;         ///< counted multiply-adds, roughly; the same on every machine
  Certificate certificate;   ///< of the impulses that were returned
  std::string_view message;  ///< what happened and a remedy; empty if certified
  /// Blocks that no impulse of their own can move (contacts: along the normal). They get none, so
  /// the certificate's penetration_rate may come from one of them.
  int skipped_blocks = 0;
  std::span<const HistoryPoint> history;  ///< if asked for

  [[nodiscard]] bool certified() const { return status == SolverStatus::certified; }
};

/// A solver keeps its memory from one solve to the next: solving again at a size seen before
/// allocates nothing. It is not shared between threads; the result does not depend on what it
/// solved earlier.
class Solver {
 public:
  virtual ~Solver() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Why this problem cannot be taken, such as "takes no bilateral locks"; empty if it can.
  [[nodiscard]] virtual std::string_view refusal(const ContactProblem& problem,
                                                 const SolverOptions& options) const = 0;

  /// `impulses` (all rows): where to begin if warm_start, and the answer. Never throws for what a
  /// problem holds, never leaves a NaN in `impulses`.
  SolverReport solve(const ContactProblem& problem, const SolverOptions& options,
                     std::span<double> impulses);
  /// The first half of solve(): finds impulses. The report has no certificate yet, and its status
  /// is the solver's own opinion.
  SolverReport attempt(const ContactProblem& problem, const SolverOptions& options,
                       std::span<double> impulses);
  /// The second half: the judge's verdict on the impulses of the last attempt() at this problem.
  void certify(const ContactProblem& problem, const SolverOptions& options,
               std::span<const double> impulses, SolverReport& report);

  /// Whether the clock is read for SolverReport::seconds, which is 0 otherwise. Two looks take as
  /// long as a contact.
  void measure_time(bool on) { measures_time_ = on; }

  /// The judge of the last solve: modes of blocks, and velocities at the impulses returned. About a
  /// problem that is still where it was.
  [[nodiscard]] const Judge& last_judge() const { return judge_; }

 protected:
  struct Outcome {
    SolverStatus status = SolverStatus::stalled;
    int iterations = 0;
    std::string_view note;  ///< what happened, if more than the status says; a literal
  };

  /// Solves a problem that has at least one block and was checked; `impulses` are finite.
  /// May return `certified` or `solved` when its own measure is met: solve() asks the judge anyway.
  virtual Outcome run(const ContactProblem& problem, const SolverOptions& options,
                      std::span<double> impulses) = 0;

  /// The judge, open on the present problem.
  [[nodiscard]] Judge& judge() { return judge_; }
  /// Counts work that was done, in multiply-adds.
  void count_work(double operations) { work_ += operations; }
  [[nodiscard]] double work() const { return work_; }
  /// Which limit would be passed, `work_limit` or `time_limit`, if a piece of work followed now
  /// [multiply-adds]; nothing if there is enough left.
  [[nodiscard]] std::optional<SolverStatus> limit_reached(double next_operations = 0.0) const;
  /// Limits for a solver that does a part of this solve.
  void pass_on_limits(SolverOptions& options) const;
  /// Adds a point to the history if it is kept.
  void record(int iteration, double residual);
  [[nodiscard]] bool keeps_history() const { return keep_history_; }

 private:
  /// Wall time since the solve began [s].
  [[nodiscard]] double elapsed() const;
  /// Takes a warm start's impulses off blocks that get none.
  void clear_skipped(const ContactProblem& problem, std::span<double> impulses) const;

  Judge judge_;
  std::vector<HistoryPoint> history_;
  std::string message_;
  bool keep_history_ = false;
  bool measures_time_ = true;
  double work_ = 0.0;
  double work_limit_ = 0.0;
  double time_limit_ = 0.0;
  std::chrono::steady_clock::time_point start_;
};

/// Names of all solvers, the default (`hybrid`) first.
std::span<const std::string_view> solver_names();

/// The solver of that name; nullptr if there is none.
std::unique_ptr<Solver> make_solver(std::string_view name);

}  // namespace stiction
