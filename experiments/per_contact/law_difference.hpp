#pragma once

/// \file
/// How far the impulses of the law of maximum dissipation are from those of Coulomb's law
/// [PCI, figure 6].

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::experiments {

/// Relative differences, |λ_b − λ_p|/|λ_p|.
struct LawDifferences {
  std::vector<double> problems;  ///< of all impulses of a problem that has any
  std::vector<double> sliding;   ///< of each contact that slides under Coulomb's law
  int unsolved = 0;              ///< problems that one of the solvers did not certify at 1e-10
};

/// Solves problems under both laws. Maximum dissipation begins at the answer of Coulomb's law, so
/// that loads which could be shared in many ways are shared alike.
class LawComparison {
 public:
  LawComparison();
  void add(const ContactProblem& problem);
  [[nodiscard]] const LawDifferences& result() const { return differences_; }

 private:
  std::unique_ptr<Solver> coulomb_, dissipation_;
  std::vector<double> impulses_p_, impulses_b_;
  LawDifferences differences_;
};

/// Share of the values that are below a bound.
double share_below(std::span<const double> values, double bound);
/// Value below which this share is; 0 of none.
double quantile(std::vector<double> values, double share);

}  // namespace stiction::experiments
