#pragma once

/// \file
/// The base class of all solvers: it checks the problem before and certifies the impulses after.

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
  solved,     ///< the solver's own equations are met, but they differ from the law (a pyramid)
  stalled,    ///< no further progress, for example because of rounding
  iteration_limit,  ///< ended by max_iterations
  work_limit,       ///< ended by work_limit
  time_limit,       ///< ended by time_limit
  ray,              ///< Lemke's method ended on a ray: this problem may have no solution
  breakdown,        ///< a number overflowed or a factorization failed; the impulses are finite
  unsupported,      ///< the solver does not support this law, block or size; nothing was done
  invalid_problem,  ///< the problem or an option is wrong; nothing was done
};

std::string_view to_string(SolverStatus status);

/// One point of a residual history.
struct HistoryPoint {
  int iteration = 0;
  double seconds = 0.0;   ///< since the start of the solve
  double residual = 0.0;  ///< as in Certificate::residual()
};

/// The message and the history are owned by the solver: they are valid until its next solve or its
/// destruction. Do not use them after make_solver(…)->solve(…), which destroys the solver.
struct SolverReport {
  SolverStatus status = SolverStatus::invalid_problem;
  int iterations = 0;
  double seconds = 0.0;      ///< wall time of the solve, including the check of the problem
  double work = 0.0;         ///< approximate count of multiply-adds; the same on every machine
  Certificate certificate;   ///< of the returned impulses
  std::string_view message;  ///< what happened and a remedy; empty if certified
  /// Blocks that their own impulse cannot move (contacts: along the normal). Their impulse is zero,
  /// so the certificate's penetration_rate may come from one of them.
  int skipped_blocks = 0;
  std::span<const HistoryPoint> history;  ///< empty unless keep_history is set

  [[nodiscard]] bool certified() const { return status == SolverStatus::certified; }
};

/// A solver reuses its memory: solving a problem of a size that it has seen before allocates
/// nothing. Its result does not depend on earlier solves. Threads must not share a solver.
class Solver {
 public:
  virtual ~Solver() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Why the solver does not support this problem, such as "supports at most 3000 rows"; empty if
  /// it does.
  [[nodiscard]] virtual std::string_view refusal(const ContactProblem& problem,
                                                 const SolverOptions& options) const = 0;

  /// Whether the solver shares loads evenly by itself where they could be shared in many ways.
  /// Otherwise the distribution stays near that of the starting point.
  [[nodiscard]] virtual bool shares_loads(const ContactProblem&, const SolverOptions&) const {
    return false;
  }

  /// `impulses` (all rows) are the starting point if warm_start is set, and the result. Does not
  /// throw because of the content of a problem, and never returns NaN or infinity in `impulses`.
  SolverReport solve(const ContactProblem& problem, const SolverOptions& options,
                     std::span<double> impulses);
  /// The first half of solve(): finds impulses. The report has no certificate yet, and its status
  /// is the solver's own opinion.
  void attempt(const ContactProblem& problem, const SolverOptions& options,
               std::span<double> impulses, SolverReport& report);
  /// The second half: the judge's verdict on the impulses of the last attempt() at this problem.
  void certify(const ContactProblem& problem, const SolverOptions& options,
               std::span<const double> impulses, SolverReport& report);

  /// Whether to measure SolverReport::seconds, which is 0 otherwise. Reading the clock twice costs
  /// as much as solving one contact.
  void measure_time(bool on) { measures_time_ = on; }

  /// The judge of the last solve, for the modes of blocks and the velocities at the returned
  /// impulses. The problem must not have been moved or changed.
  [[nodiscard]] const Judge& last_judge() const { return judge_; }

 protected:
  struct Outcome {
    SolverStatus status = SolverStatus::stalled;
    int iterations = 0;
    std::string_view note;  ///< message that replaces the one of the status; a string literal
  };

  /// Solves a checked problem with at least one block; `impulses` are finite. May return
  /// `certified` or `solved` if its own criterion is met: solve() asks the judge in any case.
  virtual Outcome run(const ContactProblem& problem, const SolverOptions& options,
                      std::span<double> impulses) = 0;

  /// The judge, open on the current problem.
  [[nodiscard]] Judge& judge() { return judge_; }
  /// Adds to the work done [multiply-adds].
  void count_work(double operations) { work_ += operations; }
  [[nodiscard]] double work() const { return work_; }
  /// The limit that the next piece of work [multiply-adds] would exceed, `work_limit` or
  /// `time_limit`; nothing if it fits.
  [[nodiscard]] std::optional<SolverStatus> limit_reached(double next_operations = 0.0) const;
  /// Sets the remaining limits in the options of a solver that does a part of this solve.
  void pass_on_limits(SolverOptions& options) const;
  /// Adds a point to the history if keep_history is set.
  void record(int iteration, double residual);
  [[nodiscard]] bool keeps_history() const { return keep_history_; }

 private:
  /// Wall time since the solve began [s].
  [[nodiscard]] double elapsed() const;
  /// Sets the impulses of skipped blocks to zero.
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
