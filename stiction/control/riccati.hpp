#pragma once

/// \file
/// Linear-quadratic regulators in discrete time: u = −K δx minimises the sum of δxᵀ Q δx + uᵀ R u
/// over the steps, plus δxᵀ Q_N δx at the end. Implements [Anderson1971] (the recursion) and
/// [Chu2004] (doubling, for the infinite horizon).

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/control/linearize.hpp"

namespace stiction {

struct LqrCost {
  Eigen::MatrixXd state;        ///< Q: symmetric, not negative
  Eigen::MatrixXd input;        ///< R: symmetric, positive definite
  Eigen::MatrixXd final_state;  ///< Q_N; unused with an infinite horizon
};

struct LqrSolution {
  std::vector<Eigen::MatrixXd> gains;   ///< K of each step
  std::vector<Eigen::MatrixXd> values;  ///< P: cost to go δxᵀ P δx, one more than steps
};

/// Backwards from the end. Throws std::invalid_argument if sizes do not fit, and std::domain_error
/// if R + Bᵀ P B is not positive definite.
LqrSolution solve_lqr(std::span<const LinearStep> steps, const LqrCost& cost);

struct StationaryLqr {
  Eigen::MatrixXd gain;  ///< K
  Eigen::MatrixXd
      value;  ///< P, the stabilising solution of the discrete algebraic Riccati equation
};

/// For a step that repeats for ever. Throws as solve_lqr(), and std::domain_error if no gain
/// stabilises the system, or Q leaves an unstable part unobserved. Errors of P grow with |P| / |Q|;
/// where that is beyond some 1e9, a system that has a solution may be refused.
StationaryLqr solve_stationary_lqr(const LinearStep& step, const LqrCost& cost);

}  // namespace stiction
