#pragma once

/// \file
/// The implicit complementarity function of a contact problem: each block has a vector x = w − R f,
/// from which its impulse f(x) and its velocity w(x) = x + R f(x) follow such that the law holds
/// for every x. What is left is r(x) = G f(x) + v* − w(x) = 0.
///
/// Implements [INC, section III].
/// Everything here is scaled by the root of R, one number a block: x/√R, f √R and r/√R, all in √J,
/// so that R = 1 in the formulas and ½‖r‖² is an energy.
/// Contact: f_n = max(0, −x_n), f_T = −s x_T with s = min(1, µ f_n/|x_T|). Limit: f = max(0, −x).
/// Joint friction: f = −x within its bounds. Lock: f = −x.
/// Deviations: R is a multiple of the mean of the diagonal of G_ii, not 1, which depends on units.

#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class ImplicitMap {
 public:
  /// One way in which the impulses of a block may change near a point, scaled: a column of B and a
  /// row of C in f'(x) = B E⁻¹ C up to sign, from row `row` on.
  struct Freedom {
    int row = 0;
    int rows = 1;             ///< 1, or 3 along and around the edge of a cone
    Eigen::Vector3d along;    ///< of B
    Eigen::Vector3d across;   ///< of C
    double compliance = 0.0;  ///< of E, less the 1 of a free row
  };

  /// `problem` must stay where it is, `judge` must be open on it. R = `scaling` · tr G_ii / rows.
  void open(const ContactProblem& problem, const Judge& judge, double scaling);

  [[nodiscard]] Eigen::Index size() const { return free_.size(); }

  /// x of given impulses [N·s]: w − R f, with w their velocity.
  void point_of(std::span<const double> impulses, WorkVector& x);
  /// f(x) [N·s]; in the cones to rounding.
  void impulses_of(const WorkVector& x, std::span<double> impulses) const;

  /// r(x), scaled; returns ½‖r‖² [J].
  double evaluate(const WorkVector& x, WorkVector& r);
  /// An element of the generalised derivative of r: (G + ρ − 1) f'(x) − 1. With ρ = `proximal` > 0
  /// it is regular also where more contacts stick than can be told apart.
  void derivative(const WorkVector& x, double proximal, WorkMatrix& result) const;

  /// What is free to change at x: open blocks not at all, sticking ones in every row, a slipping
  /// contact along the edge of its cone and around it.
  void find_freedoms(const WorkVector& x, std::vector<Freedom>& freedoms) const;

  /// G, scaled.
  [[nodiscard]] const WorkMatrix& matrix() const { return matrix_; }

  /// Adds all t in (0, 1) at which x + t·step crosses a place where r is not smooth: a plane
  /// x_n = 0, a cone |x_T| = −µ x_n (and its mirror image, which does no harm), or a bound of joint
  /// friction.
  void find_edges(const WorkVector& x, const WorkVector& step, std::vector<double>& edges) const;

 private:
  using BlockMatrix = Eigen::Matrix<double, max_block_rows, max_block_rows>;

  void impulse_of(int block, const double* x, double* f) const;
  [[nodiscard]] BlockMatrix impulse_derivative(int block, const double* x) const;
  [[nodiscard]] double scaled_bound(const Block& block) const {
    return block.bound / scale_[block.row];
  }

  const ContactProblem* problem_ = nullptr;
  std::vector<char> skipped_;  ///< by block: no impulse moves it, so it gets none
  WorkVector scale_;           ///< 1/√R of each row: λ = scale · f
  WorkMatrix matrix_;          ///< G, scaled
  WorkVector free_;            ///< v* − target, scaled
  WorkVector impulse_;         ///< f at the last x
};

}  // namespace stiction
