#pragma once

/// \file
/// Newton's method for many free bodies that guesses what each contact does (open, stick, slip) and
/// solves all of them at once: a step costs a sparse factorization with one 6×6 block a body.
///
/// The guess is of the natural map: y = λ − w/R, open if y_n ≤ 0, stick if |y_T| ≤ µ y_n, else slip
/// along y_T [Alart1991]. Every block yields by ρR times the change of its impulse, so that
/// redundant contacts leave the equations regular. Impulses may leave their cones between the
/// steps: a contact that was guessed wrong shows it by that.
///
/// ρ follows the residual: it falls where the residual falls, and grows where a guess was so wrong
/// that it grows. Where contacts contradict each other in the last digits, the residual stays as it
/// is while loads move by w/(ρR) a step; there ρ falls until they move by a fraction of the largest
/// one, so that soon a contact opens or slips and ends it.
///
/// Most heaps are solved in two to six steps. The others go to and fro between guesses: BodyNewton
/// solves those. Coulomb's law only. Reuses its memory.

#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/solver/body_equations.hpp"

namespace stiction {

class BodyModes {
 public:
  /// The equations must have started, and must not be moved. It gives up after `patience` steps
  /// whose merit is no quarter of the smallest one before.
  void start(BodyEquations& equations, std::span<const double> impulses, int patience);

  /// One step. False if no more should follow: it leads nowhere, or a pivot was singular.
  [[nodiscard]] bool step();

  /// Largest error of an impulse, as the natural map measures it [N·s].
  [[nodiscard]] double residual() const { return now_.residual; }
  /// The present impulses, inside their cones.
  [[nodiscard]] std::span<const double> impulses();
  /// Those with the smallest residual of all steps, inside their cones.
  [[nodiscard]] std::span<const double> best();

 private:
  using Part = BodyEquations::Part;
  using Stiffness = BodyEquations::Stiffness;
  using Vector = std::vector<double>;
  struct Error {
    double residual = 0.0;
    double merit = 0.0;  ///< Σ R e² [J]
  };

  [[nodiscard]] Error measure();
  void guess(std::size_t block);
  void guess_contact(const Part& part, const double* w, const double* impulse, Stiffness& K,
                     double* next) const;
  void guess_rows(const Part& part, const Block& block, const double* w, const double* impulse,
                  Stiffness& K, double* next);
  [[nodiscard]] bool move();
  void adapt(const Error& before, double moved, double largest);
  std::span<const double> clipped(const Vector& impulses);

  BodyEquations* equations_ = nullptr;
  Vector impulses_;  ///< λ, which may be outside the cones
  Vector next_;
  Vector best_;
  Vector clipped_;
  Vector z_;  ///< J̃ᵀ λ
  Vector dz_;
  Vector w_;
  Vector dw_;
  std::vector<Stiffness> stiffness_;
  Vector row_stiffness_;
  Error now_;
  Error least_;  ///< smallest residual and smallest merit of all steps
  double rho_ = 0.0;
  int patience_ = 0;
  int without_gain_ = 0;
};

}  // namespace stiction
