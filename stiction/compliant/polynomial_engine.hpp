#pragma once

/// \file
/// Exact integration of contacts whose damping is proportional to their stiffness, B = βK, by
/// polynomials of a matrix.
///
/// As in modal_engine.hpp, u = K^½ Δp and S = K^½ Υ K^½. The averages are functions of X = h² S,
/// applied to three vectors. Polynomials that equal these functions on the spectrum of X, to
/// rounding, need products with X alone (response_polynomials.hpp). For steps that are not long
/// that is a fraction of the work of finding eigenvectors.
/// Deviation from [EXP, section IV]: no matrix exponential.

#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/linear_contacts.hpp"
#include "stiction/compliant/response_polynomials.hpp"

namespace stiction {

/// Number of terms in a block of polynomials, and what they take, in products of the matrix with
/// four vectors.
struct PolynomialWork {
  int block = 0;  ///< 0: the polynomials are out of reach
  double products = 0.0;
};

/// The cheapest for a step. `bound`: of the eigenvalues of S [1/s²]. `relaxation`: β [s].
[[nodiscard]] PolynomialWork polynomial_work(Eigen::Index rows, double step, double bound,
                                             double relaxation);

class PolynomialEngine {
 public:
  /// Memory for systems of up to that many rows. Larger systems allocate when they come.
  void reserve(Eigen::Index rows);

  /// The response over a step of `step` seconds; `out_of_reach` if the polynomials would be too
  /// long, or the system is so small that its eigenvectors are found sooner.
  EngineStatus integrate(const LinearContacts& system, double step, const ContactResponse& out);

 private:
  void fill_matrix(const LinearContacts& system, double step);
  [[nodiscard]] double spectrum_bound() const;
  void fill_vectors(const LinearContacts& system, double step);
  const PaddedMatrix& square_matrix(int block);
  void find_chebyshev_vectors(int block);
  template <std::size_t block>
  void sum_blocks(const ResponsePolynomials& polynomials, const PaddedMatrix& matrix);
  void write_response(const LinearContacts& system, double step, const ContactResponse& out);
  static void write_end(const LinearContacts& system, double step, const ContactResponse& out);

  PolynomialStore store_;
  PaddedMatrix matrix_;          ///< X, then 2 Y = 4 X / bound − 2
  PaddedMatrix second_;          ///< 2 T₂(Y)
  PaddedMatrix fourth_;          ///< 2 T₄(Y)
  std::vector<double> root_;     ///< K^½, padded
  std::vector<double> vectors_;  ///< Tⱼ(Y) times start, rate and push; rows of four numbers
  std::vector<double> sums_[2];  ///< of blocks: rows of halves of average and double average
};

}  // namespace stiction
