#pragma once

/// \file
/// How well impulses satisfy the laws of contact. One judge for all solvers, which sees only the
/// problem and the impulses.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/law.hpp"
#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// The sizes that residuals are relative to; never zero.
struct Scales {
  double velocity = 1e-9;  ///< max(max|v*|, 1e-9 m/s) [m/s]
  double impulse = 1e-9;   ///< max(max|λ|, velocity / max tr G_ii) [N·s], without skipped blocks
};

/// Residuals are relative to the scales unless they have a unit; w = v − target. A block that its
/// own impulse cannot move (a contact: along its normal) is skipped: the certificate only requires
/// that it has no impulse and, for a lock, that it does not move.
struct Certificate {
  Scales scales;
  double signorini = 0.0;  ///< max |min(λ_n, w_n)|, each divided by its scale
  double cone = 0.0;  ///< max (|λ_T| − µλ_n)⁺; for other blocks, how far λ is outside its bounds
  /// max |µλ_n|v_T| + λ_T·v_T| of the contacts, and the same of their turns [J]
  double dissipation = 0.0;
  double penetration_rate = 0.0;  ///< max (−w_n)⁺ [m/s]
  double closing = 0.0;  ///< the same of the blocks that are not skipped, over scales.velocity
  double law_residual = 0.0;  ///< max ‖λ_i − Λ(c_i)‖: distance of each block from its exact answer
                              ///< while the others stay as they are
  double natural_residual = 0.0;  ///< max ‖λ − P_K(λ − ρ(w + µ|v_T|n))‖; 0 under max_dissipation
  double work = 0.0;              ///< Σ ½ λᵀ(v + v*) of the contacts and their turns [J]
  int worst_block = -1;           ///< block with the largest residual(); -1: none

  /// The larger of law and natural residual.
  [[nodiscard]] double residual() const {
    return law_residual > natural_residual ? law_residual : natural_residual;
  }
  /// Impulses with a larger cone violation are never certified.
  static constexpr double cone_tolerance = 1e-12;
  /// Nor are those that let bodies run into each other this fast. Residuals are relative to the
  /// largest impulse: where no impulse helps (a body between a wall and a piston), solvers make it
  /// so large that nothing else counts beside it.
  static constexpr double closing_tolerance = 0.01;
  [[nodiscard]] bool certified(double tolerance) const {
    return residual() <= tolerance && cone <= cone_tolerance && closing <= closing_tolerance;
  }
};

/// Computes certificates. Reuses its memory, so that a loop of examinations allocates nothing.
class Judge {
 public:
  /// Factorizes the blocks of a problem. All other calls are about this problem, which must be
  /// prepared and must not be moved.
  void open(const ContactProblem& problem);

  /// The certificate of impulses. NaN or infinity among them gives infinite residuals. The last
  /// certificate is kept, until the next one: examining the same impulses again costs nothing.
  const Certificate& examine(Law law, std::span<const double> impulse);
  /// The same for a caller that already has w = G λ + v* − target.
  Certificate examine(Law law, std::span<const double> impulse, std::span<const double> velocity);
  /// Whether these impulses would be certified. Stops at the first block that fails. Does not
  /// replace the certificate that examine() keeps.
  [[nodiscard]] bool certifies(Law law, std::span<const double> impulse, double tolerance);

  /// Whether the block's own impulse cannot move it (a contact: along its normal).
  [[nodiscard]] bool skips(int block) const { return skipped_[index(block)] != 0; }
  [[nodiscard]] int skipped_count() const { return skipped_count_; }

  /// Scales of impulses (all rows); of an empty span, from the velocities alone.
  [[nodiscard]] Scales scales(std::span<const double> impulse) const;
  /// w of all rows at the last examine(law, impulse).
  [[nodiscard]] std::span<const double> velocity() const { return velocity_; }
  /// Factor of a contact block.
  [[nodiscard]] const ContactFactor<double>& factor(int block) const {
    return factors_[index(block)];
  }
  /// Pseudo-inverse of the diagonal block of a lock, in the upper-left `rows` rows and columns.
  [[nodiscard]] const ContactProblem::Matrix6& lock_inverse(int block) const {
    return lock_inverse_[index(block)];
  }
  /// Mode of a block at these impulses and velocities (all rows), by mode_of() of block_laws.hpp.
  [[nodiscard]] ContactMode mode(int block, std::span<const double> impulse,
                                 std::span<const double> velocity) const;

 private:
  void factorize();
  void invert_lock(int block);
  /// Of other blocks than contacts.
  [[nodiscard]] bool is_immovable(int block) const;
  [[nodiscard]] double largest_impulse(std::span<const double> impulse) const;
  /// Writes the certificate in place: copies of numbers just written, several at a time, would
  /// wait.
  void examine(Law law, std::span<const double> impulse, std::span<const double> velocity,
               Certificate& certificate) const;
  void examine_block(Law law, int block, std::span<const double> impulse,
                     std::span<const double> velocity, Certificate& certificate) const;
  void examine_contact(Law law, int block, const double* impulse, const double* velocity,
                       Certificate& certificate) const;
  void examine_row(int block, double impulse, double velocity, Certificate& certificate) const;
  void examine_lock(int block, const double* velocity, Certificate& certificate) const;
  void examine_turn(int block, std::span<const double> impulse, const double* velocity,
                    Certificate& certificate) const;
  void examine_skipped(int block, const double* impulse, const double* velocity,
                       Certificate& certificate) const;

  const ContactProblem* problem_ = nullptr;
  double velocity_scale_ = 1e-9;
  std::vector<ContactFactor<double>> factors_;
  std::vector<ContactProblem::Matrix6> lock_inverse_;  ///< of lock blocks, by block
  std::vector<char> skipped_;                          ///< by block
  int skipped_count_ = 0;
  std::vector<double> velocity_;
  std::vector<double> trial_velocity_;  ///< scratch of certifies()

  bool remembers_ = false;  ///< whether the next three belong to this problem
  Law last_law_ = Law::coulomb;
  std::vector<double> last_impulse_;
  Certificate last_certificate_;
};

}  // namespace stiction
