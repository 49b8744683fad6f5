#pragma once

/// \file
/// Newton's method for the equations of an implicit step, together with rows of v⁺ that hold.

#include <span>
#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/sim/implicit_equations.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

/// Rows that hold at the end of the step, J v⁺ = target, and joint forces that hard rows give.
struct HeldRows {
  std::vector<double> jacobian;  ///< row by row, velocity_count numbers each
  std::vector<double> target;    ///< one per row [m/s or rad/s]
  std::vector<double> force;     ///< one per row: where the search begins, then the answer
  std::vector<double> given;     ///< joint forces of rows that slip, one per velocity

  [[nodiscard]] std::size_t count() const { return target.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(jacobian).subspan(i * given.size(), given.size());
  }
};

struct NewtonReport {
  SolverStatus status = SolverStatus::certified;  ///< or stalled, iteration_limit, breakdown
  int iterations = 0;                             ///< factorizations
  double change = 0.0;                            ///< last one of v⁺, relative
};

/// Keeps its memory.
class ImplicitNewton {
 public:
  /// Finds v⁺ from where `v` is, and ends where the equations were evaluated last. `start`:
  /// factorized at the start of the step; M⁻¹ there weighs what is left over, so that the line
  /// search compares like with like. `held`: its forces are found as well.
  ///
  /// Converged: the next change of v⁺, or h M⁻¹ r, is below tolerance · max(|v⁺|, |v|, g h). The
  /// first is what counts where stiff springs make rounding of r large.
  ///
  /// First by steps that are halved until they lead downhill, to the answer next to the start.
  /// Where that fails, by whole steps, which may lead uphill as they do while contacts open and
  /// close; and where that fails, by way of softer springs. Each of these searches has
  /// newton_iterations.
  NewtonReport solve(const ImplicitInput& input, DynamicsData<double>& start,
                     ImplicitEquations& equations, HeldRows& held, std::span<double> v);

 private:
  NewtonReport search(const ImplicitInput& input, bool downhill, DynamicsData<double>& start,
                      ImplicitEquations& equations, HeldRows& held, std::span<double> v);
  void weigh_rows(const ImplicitInput& input, DynamicsData<double>& start, const HeldRows& held);
  double measure(const ImplicitInput& input, DynamicsData<double>& start,
                 ImplicitEquations& equations, const HeldRows& held, std::span<const double> v,
                 std::span<const double> force);
  bool find_direction(const ImplicitInput& input, ImplicitEquations& equations,
                      const HeldRows& held);
  bool keep_best(const HeldRows& held, std::span<const double> v);
  void take_best(HeldRows& held, std::span<double> v) const;
  [[nodiscard]] double longest_step(const ImplicitInput& input) const;
  bool take_step(double length, const ImplicitInput& input, DynamicsData<double>& start,
                 ImplicitEquations& equations, HeldRows& held, std::span<double> v);
  bool search_line(const ImplicitInput& input, DynamicsData<double>& start,
                   ImplicitEquations& equations, HeldRows& held, std::span<double> v);

  SmallLu lu_;
  std::vector<double> start_velocity_;  ///< where the search began
  std::vector<double> start_force_;
  std::vector<double> first_end_;     ///< best place of the first search, as best_
  std::vector<double> direction_;     ///< of v⁺, then of the rows' forces; padded
  std::vector<double> residual_;      ///< joint forces that are left over
  std::vector<double> weighed_;       ///< M⁻¹ of it
  std::vector<double> violation_;     ///< J v − target, one per held row
  std::vector<double> row_mobility_;  ///< J M⁻¹ Jᵀ, one per held row; 0: it cannot move
  double softness_ = 0.0;             ///< of held rows, in the equations
  std::vector<double> best_;          ///< v⁺ with the least merit, then the rows' forces
  double best_merit_ = 0.0;
  double merit_ = 0.0;
  double velocity_residual_ = 0.0;  ///< max |h M⁻¹ r| and |J v − target|
};

}  // namespace stiction
