#pragma once

/// \file
/// Newton's method on the implicit complementarity function for many free bodies: a step costs a
/// sparse factorization with one 6×6 block a body, so heaps cost about as much as they have bodies.
///
/// Implements [INC, section III]; implicit_map.hpp explains x, f(x), R and r(x),
/// proximal_newton.hpp the step. Near x the impulse of a block follows its velocity, Δλ = −K (Δw +
/// r), with a matrix K of the block: 0 if it opens, 1/ρ if it sticks, (n − µu) nᵀ/ρ + p pᵀ/(ρ + E)
/// if it slips along u, with p left of u and E = |x_T|/(µ f_n) − R. With M⁻¹ = L Lᵀ, J̃ = J L and z
/// = J̃ᵀ λ, a step solves (1 + J̃ᵀ K J̃) Δz = −J̃ᵀ K r.
///
/// Deviations: ρ belongs to proximal points. Near a centre c the equation is r + ρR (f − c) = 0;
/// once that is nearly solved, the impulses become the next centre, and ρ falls if it took few
/// steps. If neither a step nor half of it reduces the residual, a quarter is taken all the same:
/// ½‖r‖² has many minima above zero where a contact neither sticks nor slips, and a monotone method
/// ends in them. For the same reason R takes other values after some steps: minima for one R are
/// none for another.

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/block_lu.hpp"
#include "stiction/solver/elimination_order.hpp"

namespace stiction {

class BodyNewton {
 public:
  /// Problems through bodies, without torsional and rolling friction. Coulomb's law only.
  [[nodiscard]] static bool suits(const ContactProblem& problem);

  /// `problem` and `judge`, which is open on it, must not be moved.
  void start(const ContactProblem& problem, const Judge& judge, std::span<const double> impulses);
  /// One step. False if the system could not be solved.
  bool step();
  /// Goes on from the present impulses with the next value of R.
  void change_scaling();

  /// Largest |λ − f(x)| of a row [N·s]; the law residual is of that size.
  [[nodiscard]] double residual() const { return residual_; }
  /// Impulses of the current point, inside their cones.
  [[nodiscard]] std::span<const double> impulses() const { return impulses_; }
  /// Of the last step [multiply-adds].
  [[nodiscard]] double work() const;

 private:
  using Matrix3 = Eigen::Matrix3d;
  using Vector = std::vector<double>;
  /// Rows and bodies of a block, side by side.
  struct Part {
    int row = 0;
    int rows = 0;
    std::array<int, 2> body{-1, -1};
    bool active = false;  ///< its impulse can change
  };

  void scale_jacobians();
  void scale_rows();
  void set(std::span<const double> impulses);
  void recenter();
  [[nodiscard]] const double* jacobian(const Part& part, std::size_t side) const {
    return jacobians_.data() + 12 * index(part.row) + 6 * index(part.rows) * side;
  }
  void impulse_of(int block, const double* x, double* f) const;
  double evaluate(const Vector& x, Vector& f, Vector& r);
  void multiply(const Vector& f, Vector& w);
  bool find_stiffness(int block);
  void find_pattern();
  void assemble();
  void add_contact(const Part& part, const Matrix3& K);
  void add_row(const Part& part, int row, double stiffness);
  void follow_bodies();
  [[nodiscard]] bool find_direction();
  void try_length(double length);

  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  std::vector<Part> parts_;
  std::vector<ContactProblem::Matrix6> roots_;  ///< L of each body
  Vector jacobians_;                            ///< J̃, laid out as in the problem
  Vector R_;                                    ///< by row
  int scaling_ = 0;                             ///< index of the value of R
  Vector body_;                                 ///< z, or Δz
  Vector x_, r_, dx_, df_, centre_, impulses_, velocity_;
  Vector trial_x_, trial_r_, trial_impulses_;
  std::vector<Matrix3> K_;              ///< of contacts
  Vector row_stiffness_;                ///< of the rows of other blocks
  std::vector<unsigned char> pattern_;  ///< the active blocks that `order_` is for
  EliminationOrder order_;
  BlockLu lu_;
  double merit_ = 0.0;       ///< ½‖r + ρR (f − c)‖², each row divided by R [J]
  double merit_then_ = 0.0;  ///< at the centre
  double trial_merit_ = 0.0;
  double residual_ = 0.0;
  double rho_ = 0.0;  ///< ρ/R
  int steps_ = 0;     ///< since the centre
};

}  // namespace stiction
