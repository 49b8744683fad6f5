#pragma once

/// \file
/// How well impulses keep the laws of contact: one judge for all solvers, from the problem and the
/// impulses alone.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/law.hpp"
#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// What counts as large in a problem; never zero.
struct Scales {
  double velocity = 1e-9;  ///< max(max|v*|, 1e-9 m/s) [m/s]
  double impulse = 1e-9;   ///< max(max|λ|, velocity / max tr G_ii) [N·s]; skipped blocks left out
};

/// Residuals are relative to the scales unless a unit is given; w = v − target. A block that no
/// impulse of its own can move (a contact: along its normal) is skipped: of it, the certificate
/// asks that it carries no impulse, and a lock also that it does not move.
struct Certificate {
  Scales scales;
  double signorini = 0.0;         ///< max |min(λ_n, w_n)|, each by its scale
  double cone = 0.0;              ///< max (|λ_T| − µλ_n)⁺, also of boxes and one-sided rows
  double dissipation = 0.0;       ///< max |µλ_n|v_T| + λ_T·v_T| of the contacts [J]
  double penetration_rate = 0.0;  ///< max (−w_n)⁺ [m/s]
  double law_residual = 0.0;  ///< max ‖λ_i − Λ(c_i)‖: how far each block is from its own exact
                              ///< answer, the others fixed
  double natural_residual = 0.0;  ///< max ‖λ − P_K(λ − ρ(w + µ|v_T|n))‖; 0 under max_dissipation
  double work = 0.0;              ///< Σ ½ λᵀ(v + v*) of the contacts [J]
  int worst_block = -1;           ///< where the larger of law and natural residual is; -1: none

  /// The larger of law and natural residual.
  [[nodiscard]] double residual() const {
    return law_residual > natural_residual ? law_residual : natural_residual;
  }
  /// Cone violations above this are never certified.
  static constexpr double cone_tolerance = 1e-12;
  [[nodiscard]] bool certified(double tolerance) const {
    return residual() <= tolerance && cone <= cone_tolerance;
  }
};

/// Examines impulses. Keeps its memory, so that judging in a loop allocates nothing.
class Judge {
 public:
  /// Makes ready for a problem (factors of its blocks); all other calls are about this problem,
  /// which must stay where it is. prepare() of the problem must have been called.
  void open(const ContactProblem& problem);

  /// The whole certificate. NaN or infinite impulses give infinite residuals. Asked again about the
  /// same impulses, it gives the same answer without computing it anew.
  Certificate examine(Law law, std::span<const double> impulse);
  /// The same where the caller knows w = G λ + v* − target already.
  Certificate examine(Law law, std::span<const double> impulse, std::span<const double> velocity);
  /// Whether these impulses would be certified. Ends at the first block that is not, and leaves the
  /// last examine() remembered.
  [[nodiscard]] bool certifies(Law law, std::span<const double> impulse, double tolerance);

  /// Whether no impulse of the block can move it (a contact: along its normal).
  [[nodiscard]] bool skips(int block) const {
    return skipped_[static_cast<std::size_t>(block)] != 0;
  }
  [[nodiscard]] int skipped_count() const { return skipped_count_; }

  /// Of impulses, one for each row; without any, by the velocities alone.
  [[nodiscard]] Scales scales(std::span<const double> impulse) const;
  /// w of all rows at the last examine(impulse).
  [[nodiscard]] std::span<const double> velocity() const { return velocity_; }
  /// Factor of a contact block.
  [[nodiscard]] const ContactFactor<double>& factor(int block) const {
    return factors_[static_cast<std::size_t>(block)];
  }
  /// Pseudo-inverse of the diagonal block of a lock, in its upper-left `rows`.
  [[nodiscard]] const ContactProblem::Matrix6& lock_inverse(int block) const {
    return lock_inverse_[static_cast<std::size_t>(block)];
  }
  /// Mode of a block at these impulses and velocities: a limit is open or stick, joint friction
  /// slips at its bound, a lock sticks.
  [[nodiscard]] ContactMode mode(int block, std::span<const double> impulse,
                                 std::span<const double> velocity) const;

 private:
  void invert_lock(int block);
  [[nodiscard]] bool is_immovable(int block) const;
  [[nodiscard]] double largest_impulse(std::span<const double> impulse) const;
  void examine_block(Law law, int block, std::span<const double> impulse,
                     std::span<const double> velocity, Certificate& certificate) const;
  void examine_contact(Law law, int block, const double* impulse, const double* velocity,
                       Certificate& certificate) const;
  void examine_row(int block, const double* impulse, const double* velocity,
                   Certificate& certificate) const;
  void examine_lock(int block, const double* impulse, const double* velocity,
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

  bool remembers_ = false;  ///< the three below are of this problem
  Law last_law_ = Law::coulomb;
  std::vector<double> last_impulse_;
  Certificate last_certificate_;
};

}  // namespace stiction
