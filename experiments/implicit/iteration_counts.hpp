#pragma once

/// \file
/// Iterations of implicit complementarity on recorded problems, without warm start: the algorithm
/// as published, and ours; and the pyramid LCP on the same problems.

#include <string>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/options.hpp"

namespace stiction::experiments {

/// A way to run Newton's method on the implicit complementarity function.
struct Algorithm {
  std::string name;
  ImplicitComplementarityOptions options;
};

/// As published with R = 1 where the mean of tr G_ii / 3 is 1; as published with an R for each
/// contact; and the default of the library, which restarts where that stops short.
const std::vector<Algorithm>& algorithms();

/// One algorithm on the problems of one cell, to one tolerance.
struct IterationCounts {
  std::string algorithm;
  double tolerance = 0.0;
  std::vector<int> solved;  ///< iterations of each certified problem, ascending
  long problems = 0;
  double mean = 0.0;          ///< over the certified problems
  double mean_of_all = 0.0;   ///< those that are not certified count up to where they stopped
  double full = 0.0;          ///< share of iterations that take the Newton point
  double sweeps = 0.0;        ///< of per-contact iteration, per problem
  double microseconds = 0.0;  ///< per problem

  [[nodiscard]] double solved_share() const;
  /// Iterations within which this share of all problems is certified; -1 if fewer are.
  [[nodiscard]] int within(double share) const;
};

IterationCounts count_iterations(const std::vector<ContactProblem>& problems,
                                 const Algorithm& algorithm, double tolerance);

/// Lemke's method on pyramids of eight sides.
struct PyramidCosts {
  long problems = 0;
  double solved = 0.0;     ///< share
  double variables = 0.0;  ///< mean
  double pivots = 0.0;     ///< mean
  double microseconds = 0.0;
};

/// Every `stride`-th problem.
PyramidCosts solve_pyramids(const std::vector<ContactProblem>& problems, int stride);

}  // namespace stiction::experiments
