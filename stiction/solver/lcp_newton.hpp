#pragma once

/// \file
/// Semismooth Newton method on a general linear complementarity problem.
///
/// Implements [DeLuca1996, section 3] with the Levenberg-Marquardt direction of
/// [FacchineiKanzow1997, section 3]. Notation: φ(a, b) = a + b − √(a² + b²), which vanishes where
/// 0 ≤ a ⊥ b ≥ 0; Φ_i = φ(z_i, w_i) → `phi_`; V = D_a + D_b M, an element of Φ's generalised
/// Jacobian → `jacobian_`; merit ½|Φ|².
/// Deviations: a stall ends one attempt, not the method. The next attempt starts at a fixed point
/// with φ(a, b) = a + b − √(a² + b² + 2τ) [Kanzow1996] and follows its zeros as τ falls to 0. The
/// best z of all attempts is kept. It replaces PATH, which is not free software.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/solver/linear_complementarity.hpp"

namespace stiction {

/// The caller makes the steps and keeps the limits. Scale the problem to entries near 1.
class LcpNewton {
 public:
  enum class State {
    running,
    solved,   ///< the residual meets the tolerance
    stalled,  ///< all attempts failed; solution() is the best z
  };

  /// Starts at z. The problem must not be moved. The tolerance is for
  /// LinearComplementarity::residual().
  State start(const LinearComplementarity& problem, std::span<const double> z, double tolerance);

  /// One Newton step with its line search.
  State step();

  /// The best z so far, not negative.
  [[nodiscard]] std::span<const double> solution() const { return best_; }
  [[nodiscard]] double residual() const { return best_residual_; }
  [[nodiscard]] State state() const { return state_; }
  /// Attempts begun since start().
  [[nodiscard]] int attempts() const { return attempt_ + 1; }

 private:
  using Matrix = LinearComplementarity::Matrix;
  using Vector = Eigen::Map<Eigen::VectorXd>;

  [[nodiscard]] static Vector map(std::vector<double>& values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
  }
  void begin_attempt();
  void next_attempt();
  double evaluate(std::vector<double>& z);
  void judge_iterate();
  bool lower_smoothing();
  void fill_jacobian();
  void fill_normal_matrix();
  bool factorize(double shift);
  void solve_in_place(Vector x);
  bool find_direction();
  bool search_along(double slope);

  const LinearComplementarity* problem_ = nullptr;
  State state_ = State::stalled;
  double tolerance_ = 0.0;
  int size_ = 0;
  int attempt_ = 0;
  int steps_ = 0;           ///< of this attempt
  double merit_ = 0.0;      ///< at z_
  double damping_ = 0.0;    ///< factor of |Φ|² on the diagonal
  double smoothing_ = 0.0;  ///< τ
  double best_residual_ = 0.0;

  std::vector<double> z_;
  std::vector<double> trial_;
  std::vector<double> w_;
  std::vector<double> clipped_;
  std::vector<double> phi_;
  std::vector<double> direction_;
  std::vector<double> gradient_;
  std::vector<double> best_;
  std::vector<double> jacobian_;  ///< V, row-major
  std::vector<double> normal_;    ///< VᵀV, column-major, lower triangle
  std::vector<double> factor_;    ///< Cholesky factor L of VᵀV + ν, column-major
};

}  // namespace stiction
