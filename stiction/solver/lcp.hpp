#pragma once

/// \file
/// Contact as a linear complementarity problem with friction pyramids [LCP].
///
/// One iteration is one pivot of Lemke's method or one Newton step. Both methods solve the same
/// problem (pyramid.hpp). Without friction the solution is exact and certified. With friction the
/// pyramid is solved exactly, so the status is `solved`; it is `certified` only if every slipping
/// contact slips along an edge of its pyramid.

#include <vector>

#include "stiction/solver/lcp_newton.hpp"
#include "stiction/solver/lemke.hpp"
#include "stiction/solver/linear_complementarity.hpp"
#include "stiction/solver/pyramid.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

/// Supports every kind of block. Lemke's method always starts at zero and ignores warm starts.
class LcpSolver final : public Solver {
 public:
  [[nodiscard]] std::string_view name() const override { return "lcp"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

  /// Size of the last complementarity problem.
  [[nodiscard]] int variable_count() const { return lcp_.size(); }
  /// Pivots of the last solve; 0 if it was Newton's.
  [[nodiscard]] int pivots() const { return pivots_; }
  /// Residual of the last complementarity problem, scaled: max |min(z, w)|.
  [[nodiscard]] double lcp_residual() const { return residual_; }

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  Outcome run_lemke(const SolverOptions& options, std::span<double> impulses);
  Outcome run_newton(const SolverOptions& options, std::span<double> impulses);
  void note_progress(const SolverOptions& options, int iteration, std::span<double> impulses);

  LinearComplementarity lcp_;
  Pyramid pyramid_;
  Lemke lemke_;
  LcpNewton newton_;
  int pivots_ = 0;
  double residual_ = 0.0;
  std::vector<double> z_;
  std::vector<double> w_;
};

}  // namespace stiction
