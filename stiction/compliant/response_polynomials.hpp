#pragma once

/// \file
/// Polynomials in κ that equal the weights of damped oscillators to rounding, for every κ of an
/// interval that begins at zero.
///
/// All weights of oscillator.hpp are entire functions of κ, so their Chebyshev series converge
/// faster than any power. Applied to a matrix with eigenvalues κ, a polynomial gives what its
/// eigenvectors would give, without looking for them.

#include <Eigen/Core>
#include <array>
#include <vector>

namespace stiction {

/// Σₖ Tₖ(T_q(y)) Σⱼ c(k, j) Tⱼ(y) for j < q and y = 2κ/bound − 1: the Chebyshev series in blocks of
/// q terms, so that a matrix T_q(Y) serves q terms at once.
struct ResponsePolynomials {
  /// Of a term: of the average, times start, rate and push, and then of the double average (with
  /// its factor 2). The fourth of each is zero.
  static constexpr Eigen::Index numbers = 8;
  static constexpr int most_nodes = 128;

  double damping = -1.0;  ///< b of oscillator.hpp
  double bound = 0.0;     ///< of κ
  int block = 1;          ///< q
  int blocks = 0;         ///< number of k; 0: the series is too long
  std::array<double, numbers*(most_nodes + 4)> coefficients;

  [[nodiscard]] const double* term(int k, int j) const {
    return coefficients.data() + numbers * (k * block + j);
  }
};

/// Number of terms, at most, that the series for κ in [0, bound] needs. Fitted; the computation
/// checks that the last ones are negligible.
[[nodiscard]] double series_length(double damping, double bound);

/// Computes polynomials, and keeps some of them. What it gives does not depend on what it keeps.
class PolynomialStore {
 public:
  PolynomialStore() : kept_(count) {}

  /// For κ in [0, bound]; valid until the next call. `blocks` is 0 if the series is too long.
  const ResponsePolynomials& find(double damping, double bound, int block);

 private:
  static constexpr std::size_t count = 16;

  std::vector<ResponsePolynomials> kept_;
  std::size_t oldest_ = 0;
  std::size_t last_ = 0;  ///< that was asked for
};

}  // namespace stiction
