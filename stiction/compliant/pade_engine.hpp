#pragma once

/// \file
/// The engine `pade`: the integrals as columns of one matrix exponential.
/// Implements [EXP, section IV] (29) to (33).
///
/// In units of the step, x = (Δp, h Δṗ) and x' = A x + b, the augmented matrix is
///
///     Ā = [A b x₀ 0; 0 0 1 0; 0 0 0 1; 0 0 0 0],
///
/// and exp(Ā) maps (x₀; 1, 0, 0), e_{n+2} and e_{n+3} to x(1), ∫x and ∫∫x. The approximant N/D acts
/// on these three columns: N V, then one LU of D. Deviations: the columns b and x₀ are scaled by a
/// power of two, so that only the norm of A decides about the squarings. With few squarings the
/// approximant is applied 2ˢ times to the columns; only with many is it a matrix that is squared.
/// Order 1 never forms Ā (implicit_stages.hpp).

#include <array>
#include <limits>
#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/implicit_stages.hpp"
#include "stiction/compliant/linear_contacts.hpp"
#include "stiction/compliant/pade_terms.hpp"

namespace stiction {

struct PadeOptions {
  int order = 13;  ///< one of pade_orders
  /// Whether the step is halved until the approximant is accurate. Without it, an order has its own
  /// error.
  bool scaling = true;
  /// Relative error that scaling aims at, 1e-16 to 1e-2; for order 1 at least 1e-6, because
  /// it would need too many pieces.
  double tolerance = 1.1e-16;
  /// Without scaling: the step is halved until the 1-norm of h A is at most this, but at most four
  /// times with order 1. Infinity never halves; then orders of 5 and more lose all digits at large
  /// steps.
  double norm_limit = std::numeric_limits<double>::infinity();
  /// `decaying` is for large steps without scaling: degrees (order − 1, order).
  PadeFamily family = PadeFamily::diagonal;
  /// By powers of two in the 1-norm. It makes the norm smaller, so there are fewer squarings, and
  /// rounding better.
  bool balancing = true;
};

/// Exact to rounding.
inline PadeOptions exact_pade() { return {}; }
/// Of low cost, accurate for small steps, and stable for large ones.
PadeOptions cheap_pade(int order);
/// As [EXP]. Stiff contacts ring at large steps.
inline PadeOptions published_pade(int order) { return {.order = order, .scaling = false}; }

/// Throws std::invalid_argument for an order that is not available or a tolerance out of range.
void check_options(const PadeOptions& options);

class PadeEngine {
 public:
  PadeEngine() = default;
  explicit PadeEngine(const PadeOptions& options) { set_options(options); }
  /// Throws like check_options().
  void set_options(const PadeOptions& options);
  [[nodiscard]] const PadeOptions& options() const { return options_; }

  /// Memory for systems of up to that many rows. Larger systems allocate when they come.
  void reserve(Eigen::Index rows);

  /// The response over a step of `step` seconds.
  EngineStatus integrate(const LinearContacts& system, double step, const ContactResponse& out);

  /// Squarings of the last call.
  [[nodiscard]] int squarings() const { return squarings_; }

 private:
  using Index = Eigen::Index;

  /// The norm above which the step is halved.
  [[nodiscard]] double reach() const;
  EngineStatus integrate_in_pieces(const LinearContacts& system, double step,
                                   const ContactResponse& out);
  void fill_state_matrix(const LinearContacts& system, double step);
  void balance();
  bool balance_once();
  [[nodiscard]] double norm() const;
  void augment(const LinearContacts& system, double step);
  void fill_powers(int degree);
  void fill_parts(const std::array<double, 14>& coefficients, int degree);
  bool fill_approximant();
  void start_columns(const LinearContacts& system, double step);
  void apply_repeatedly();
  void apply_squared();
  void read_columns(const LinearContacts& system, double step, const ContactResponse& out) const;

  PadeOptions options_;
  PadeTerms terms_ = pade_terms(13, PadeFamily::diagonal);
  int squarings_ = 0;
  ImplicitStages stages_;
  Index states_ = 0;                    ///< 2 rows
  double scaling_ = 1.0;                ///< of the columns b and x₀ of Ā
  PaddedMatrix matrix_;                 ///< A, then Ā, then Ā / 2ˢ
  std::array<PaddedMatrix, 4> powers_;  ///< Ā², Ā⁴, Ā⁶, Ā⁸ as far as needed
  PaddedMatrix even_;                   ///< even powers of the polynomial at hand
  PaddedMatrix odd_;                    ///< its odd powers
  PaddedMatrix factor_;                 ///< odd powers without their factor Ā
  PaddedMatrix scratch_;
  PaddedMatrix difference_;  ///< N − D
  SmallLu denominator_;
  std::vector<double> balance_;                 ///< x of the system is balance times x of Ā
  std::array<std::vector<double>, 3> columns_;  ///< x(1), ∫x, ∫∫x in the end
  std::vector<double> product_;
};

}  // namespace stiction
