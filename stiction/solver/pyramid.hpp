#pragma once

/// \file
/// A contact problem as a linear complementarity problem, friction cones replaced by pyramids.
///
/// Implements [StewartTrinkle1996, section 3] in the form of [AnitescuPotra1997, section 2].
/// Notation: λ_n → the first variable of a contact, β → the next `sides`, σ → the last:
///   0 ≤ λ_n ⊥ w_n ≥ 0,   0 ≤ β_j ⊥ d_j·v_T + σ ≥ 0,   0 ≤ σ ⊥ µλ_n − Σβ_j ≥ 0,
/// with d_j at the angles 2πj/sides. The pyramid is inside the cone and loses up to
/// 1 − cos(π/sides) of the friction. σ is approximately the slip speed.
/// Deviations: a contact without friction and a limit have one variable. Joint friction is a
/// pyramid of two sides with a fixed bound. Each row of a lock has two variables, λ = z₊ − z₋ with
/// w₊ = v and w₋ = −v, which keeps the matrix copositive. Rows and columns are scaled to entries
/// near 1, and q to a largest entry of 1.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/linear_complementarity.hpp"

namespace stiction {

class Pyramid {
 public:
  /// Largest number of variables that assemble() may create.
  [[nodiscard]] static int variable_count(const ContactProblem& problem, int sides);

  /// Blocks that the judge skips are left out, except locks.
  void assemble(const ContactProblem& problem, const Judge& judge, int sides,
                LinearComplementarity& result);

  /// Computes the impulses of all rows from z; inside the cones for any z ≥ 0.
  void impulses(std::span<const double> z, std::span<double> impulses) const;

  /// Computes a z that has these impulses, as far as they are inside the pyramids.
  void from_impulses(std::span<const double> impulses, std::span<double> z);

 private:
  /// A variable z_i is an impulse along first·e_row + second·e_(row+1), or a σ.
  struct Variable {
    int row = -1;  ///< first row of the impulse; -1: a σ
    double first = 0.0;
    double second = 0.0;
    double row_scale = 1.0;     ///< of M and q
    double column_scale = 1.0;  ///< z in [N·s] is this times the scaled one (times q's scale)
  };
  /// Variables of one block.
  struct Group {
    int block = 0;
    int first = 0;   ///< variable
    int normal = 0;  ///< number of normal variables: 0 or 1
    int sides = 0;   ///< number of β; if there are any, a σ follows
  };

  void add_variable(int row, double first, double second, double response);
  void add_sides(int row, double response, int sides);
  void add_slack(double weight);
  void add_cone(int i, const Block& block, int sides);
  void add_half_line(int i, const Block& block);
  void add_interval(int i, const Block& block);
  void add_bilateral(int i, const Block& block);
  void read_delassus();
  void fill_impulse_rows(LinearComplementarity& lcp);
  void fill_slack_rows(LinearComplementarity& lcp);
  void sides_from_impulses(const Group& group, std::span<const double> impulses,
                           std::span<double> z) const;
  void set(int variable, double value, std::span<double> z) const;

  const ContactProblem* problem_ = nullptr;
  double scale_ = 1.0;  ///< of q
  std::vector<Variable> variables_;
  std::vector<Group> groups_;
  std::vector<double> delassus_;  ///< G, row-major
  std::vector<double> column_;    ///< scratch, one more than rows
};

}  // namespace stiction
