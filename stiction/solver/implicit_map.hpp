#pragma once

/// \file
/// The implicit complementarity function of a contact problem. Each block has a vector x = w − R f
/// that determines its impulse f(x) and its velocity w(x) = x + R f(x), and the law holds for every
/// x. The equation that remains is r(x) = G f(x) + v* − w(x) = 0.
///
/// Implements [INC, section III].
/// All quantities are scaled by √R, one number per block: x/√R, f √R and r/√R, all in √J. So R = 1
/// in the formulas, and ½‖r‖² is an energy.
/// Contact: f_n = max(0, −x_n), f_T = −s x_T with s = min(1, µ f_n/|x_T|). Rows of other blocks: f
/// is −x projected onto the bounds of the row. Deviations: R is a multiple of the mean diagonal of
/// G_ii instead of 1, which would depend on units.

#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class ImplicitMap {
 public:
  /// One direction in which the impulse of a block can change near a point, scaled: a column of B
  /// and a row of C in f'(x) = B E⁻¹ C (up to sign).
  struct Freedom {
    int row = 0;              ///< first row
    int rows = 1;             ///< 1; 3 for the directions along and around the edge of a cone
    Eigen::Vector3d along;    ///< column of B
    Eigen::Vector3d across;   ///< row of C
    double compliance = 0.0;  ///< entry of E less 1, its value for a free row
  };

  /// `problem` and `judge`, which is open on it, must not be moved. R = `scaling` · tr G_ii / rows,
  /// with the mean over all rows instead if R is `common` to all.
  void open(const ContactProblem& problem, const Judge& judge, double scaling, bool common = false);

  [[nodiscard]] Eigen::Index size() const { return free_.size(); }

  /// x = w − R f of impulses f [N·s] and their velocities w.
  void point_of(std::span<const double> impulses, WorkVector& x);
  /// f(x) [N·s]; inside the cones up to rounding.
  void impulses_of(const WorkVector& x, std::span<double> impulses) const;

  /// Computes r(x), scaled; returns ½‖r‖² [J].
  double evaluate(const WorkVector& x, WorkVector& r);
  /// An element of the generalised derivative of r: (G + ρ − 1) f'(x) − 1. With ρ = `proximal` > 0
  /// it is regular even if the sticking contacts are redundant.
  void derivative(const WorkVector& x, double proximal, WorkMatrix& result) const;

  /// The freedoms at x: none of open blocks, every row of sticking ones, of a slipping contact the
  /// directions along the edge of its cone and around it.
  void find_freedoms(const WorkVector& x, std::vector<Freedom>& freedoms) const;

  /// G, scaled.
  [[nodiscard]] const WorkMatrix& matrix() const { return matrix_; }

  /// Adds all t in (0, 1) at which r(x + t·step) is not smooth: where x crosses a plane x_n = 0, a
  /// cone |x_T| = −µ x_n (or its mirror image, which does no harm), or the bound of a row.
  void find_edges(const WorkVector& x, const WorkVector& step, std::vector<double>& edges) const;

 private:
  using BlockMatrix = Eigen::Matrix<double, max_block_rows, max_block_rows>;

  void impulse_of(int block, const double* x, double* f) const;
  [[nodiscard]] BlockMatrix impulse_derivative(int block, const double* x) const;
  /// The block in the unit of f.
  [[nodiscard]] Block scaled_block(int i) const;

  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  WorkVector scale_;    ///< 1/√R of each row: λ = scale · f
  WorkMatrix matrix_;   ///< G, scaled
  WorkVector free_;     ///< v* − target, scaled
  WorkVector impulse_;  ///< f at the last x
};

}  // namespace stiction
