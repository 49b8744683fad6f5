#pragma once

/// \file
/// A primal-dual interior point method on the cones of a contact problem. The stage of `hybrid` for
/// large mass ratios and hyperstatic stacks, where the steps of methods that guess the modes of
/// contacts become too short.
///
/// Implements [Acary2023, 4] in its structure; [Vandenberghe2010, 4 and 5] for the scaling of
/// Nesterov and Todd, the predictor and the corrector.
/// A contact's impulse and velocity are scaled to a = (µλ_n, λ_T) and b = (w_n/µ + s, w_T), both in
/// the cone of unit slope. b = Ĝa + q̂ + s e₀ with s = |w_T| is De Saxcé's form of Coulomb's law,
/// s = 0 the convex law. The method follows a ∘ b = gap·e to gap = 0.
/// Deviations: s is taken from the previous point, so that each step solves a symmetric positive
/// definite system. With `follow_slip` the derivative of s is included: the system is unsymmetric,
/// needs fewer steps, but converges less often.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/lu_factor.hpp"
#include "stiction/solver/tiled_cholesky.hpp"
#include "stiction/solver/work_array.hpp"

namespace stiction {

class InteriorPoint {
 public:
  /// `problem` (dense storage) must not be moved. `scales` estimate the sizes of the solution.
  void start(const ContactProblem& problem, Law law, const Scales& scales, bool follow_slip);

  /// One predictor and corrector step. False if the system could not be solved or the step was
  /// zero.
  bool step();

  /// Impulses of all rows, inside their cones.
  void impulses(std::span<double> result) const;

  /// Mean of a·b over the cones [J].
  [[nodiscard]] double gap() const { return gap_; }

 private:
  /// The bound of one row, or of the three rows of a cone.
  enum class Bound : unsigned char {
    cone,       ///< three rows: a contact with friction
    half_line,  ///< one row: the normal of a contact without friction, or a limit
    box,        ///< one row: joint friction
    free,       ///< one row of a lock
    frozen,     ///< one row whose impulse stays zero
  };
  struct Part {
    Bound bound = Bound::free;
    int row = 0;  ///< first row; a cone's rows are t1, t2, n
    double friction = 0.0;
    double reach = 0.0;  ///< of a box
    double upper = 0.0;  ///< multipliers of a box
    double lower = 0.0;
    double upper_change = 0.0;
    double lower_change = 0.0;
    // Scaling of a cone at the present point: W a = W⁻¹ b = middle; entries in the order n, t1, t2.
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    Eigen::Matrix3d inverse_W = Eigen::Matrix3d::Zero();
    Eigen::Matrix3d squared_W = Eigen::Matrix3d::Zero();
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    Eigen::Vector2d slip_direction =
        Eigen::Vector2d::Zero();  ///< of b; zero unless the slip is followed
  };

  void add_part(Bound bound, int row);
  [[nodiscard]] Eigen::Vector3d cone_of(const WorkVector& x, const Part& part) const;
  void set_cone(const Eigen::Vector3d& value, const Part& part, WorkVector& x) const;
  void scale();
  void update_residual();
  bool factorize();
  [[nodiscard]] double part_gap(const Part& part) const;
  /// Right side and direction for a centre `sigma`·gap; with the second-order term of the direction
  /// before if `corrected`.
  void solve_direction(double sigma, bool corrected);
  [[nodiscard]] Eigen::Vector3d cone_target(const Part& part, double centre, bool corrected) const;
  [[nodiscard]] double step_length() const;
  void move(double length);

  const ContactProblem* problem_ = nullptr;
  bool slips_ = true;  ///< Coulomb's law: s = |w_T|
  bool follow_slip_ = false;
  std::vector<Part> parts_;
  int cone_count_ = 0;
  double gap_ = 0.0;
  double last_length_ = 1.0;
  WorkVector scaling_;  ///< by row: λ = scaling · a
  WorkMatrix G_;        ///< scaled
  WorkVector q_, a_, b_, da_, db_, residual_, rhs_, zeta_;
  WorkMatrix system_;  ///< to be factorized by Cholesky
  WorkVector shift_;
  TiledCholesky cholesky_;
  LuFactor lu_;
};

}  // namespace stiction
