#include "stiction/control/riccati.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <fmt/format.h>
#include <stdexcept>

namespace stiction {

namespace {

using Matrix = Eigen::MatrixXd;

void require_shape(const Matrix& matrix, Eigen::Index rows, Eigen::Index columns,
                   const char* name) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  throw std::invalid_argument(fmt::format("LQR: {} is {} x {}; it should be {} x {}", name,
                                          matrix.rows(), matrix.cols(), rows, columns));
}

void require_fit(const LinearStep& step, const LqrCost& cost) {
  const Eigen::Index n = cost.state.rows();
  const Eigen::Index m = cost.input.rows();
  require_shape(cost.state, n, n, "the cost of states");
  require_shape(cost.input, m, m, "the cost of inputs");
  require_shape(step.A, n, n, "A");
  require_shape(step.B, n, m, "B");
}

/// K for the cost P after the step.
Matrix gain_of(const LinearStep& step, const LqrCost& cost, const Matrix& P) {
  const Matrix to_input = P * step.B;
  const Eigen::LLT<Matrix> factor(cost.input + step.B.transpose() * to_input);
  if (factor.info() != Eigen::Success) {
    throw std::domain_error(
        "LQR: R + Bᵀ P B is not positive definite; give inputs a positive cost");
  }
  return factor.solve(to_input.transpose() * step.A);
}

/// P before the step. This form keeps P symmetric and not negative whatever rounding does to K.
Matrix value_of(const LinearStep& step, const LqrCost& cost, const Matrix& P, const Matrix& K) {
  const Matrix closed = step.A - step.B * K;
  const Matrix value =
      cost.state + K.transpose() * cost.input * K + closed.transpose() * P * closed;
  return 0.5 * (value + value.transpose());
}

}  // namespace

LqrSolution solve_lqr(std::span<const LinearStep> steps, const LqrCost& cost) {
  require_shape(cost.final_state, cost.state.rows(), cost.state.rows(),
                "the cost of the final state");
  LqrSolution result;
  result.gains.resize(steps.size());
  result.values.resize(steps.size() + 1);
  result.values.back() = cost.final_state;
  for (std::size_t k = steps.size(); k-- > 0;) {
    require_fit(steps[k], cost);
    result.gains[k] = gain_of(steps[k], cost, result.values[k + 1]);
    result.values[k] = value_of(steps[k], cost, result.values[k + 1], result.gains[k]);
  }
  return result;
}

// Each round doubles the horizon: after k rounds, H is the cost to go of 2^k steps.
StationaryLqr solve_stationary_lqr(const LinearStep& step, const LqrCost& cost) {
  require_fit(step, cost);
  const Eigen::LLT<Matrix> input(cost.input);
  if (input.info() != Eigen::Success) {
    throw std::domain_error("LQR: R is not positive definite; give inputs a positive cost");
  }
  constexpr int most_rounds = 60;
  constexpr double tolerance = 1e-14;  // relative; the last rounds converge quadratically
  const Eigen::Index n = step.A.rows();
  Matrix A = step.A;
  Matrix G = step.B * input.solve(step.B.transpose());
  Matrix H = cost.state;
  for (int round = 0; round < most_rounds; ++round) {
    const Eigen::PartialPivLU<Matrix> solver(Matrix::Identity(n, n) + G * H);
    const Matrix moved = solver.solve(A);
    const Matrix change = A.transpose() * H * moved;
    const Matrix spread = A * solver.solve(G) * A.transpose();
    A = A * moved;
    G += 0.5 * (spread + spread.transpose());
    H += 0.5 * (change + change.transpose());
    if (!H.allFinite() || !G.allFinite()) break;
    if (change.norm() > tolerance * H.norm()) continue;
    if (A.norm() > 0.5) break;  // a solution that does not stabilise: powers of A − B K stay
    const Matrix K = gain_of(step, cost, H);
    // One step of the recursion must leave the solution where it is.
    constexpr double accuracy = 1e-6;
    if (!((value_of(step, cost, H, K) - H).norm() <= accuracy * H.norm())) break;
    return {K, H};
  }
  throw std::domain_error(
      "LQR: found no gain that stabilises this system: no input reaches what is unstable, the cost "
      "does not see it, or rounding hides it; check which joints are inputs");
}

}  // namespace stiction
