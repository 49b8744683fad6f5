#pragma once

/// \file
/// A step by implicit Euler with contacts that are springs: the stages of evaluate_springs() that
/// only this integrator has.
///
/// Springs and the rows of limits, joint friction and locks that hold are solved together by
/// Newton's method. Hard rows are then solved with the springs' forces as given, as with the other
/// integrators, which certifies them; if other rows turn out to hold, both are repeated.

#include <span>
#include <vector>

#include "stiction/sim/hard_row_states.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/touch/step_motion.hpp"

namespace stiction {

/// What it keeps in the Workspace.
struct ImplicitParts {
  explicit ImplicitParts(const Model& model) : equations(model) {}

  ImplicitEquations equations;  ///< after the solve: at the end of the step
  ImplicitNewton newton;
  HeldRows held;
  std::vector<RowState> states;       ///< with which v⁺ was found
  std::vector<RowState> next_states;  ///< that came out
  std::vector<double> velocity;       ///< v⁺
  NewtonReport report;                ///< of the last solve
  int iterations = 0;                 ///< of all solves of the step
  bool settled = true;                ///< the rows that hold are those with which v⁺ was found
};

/// What the functions below read of a step; `hard`: limits, joint friction and locks, whose targets
/// are known.
struct ImplicitStep {
  const ImplicitInput& equations;
  const ContactSet& hard;
  const BlockTargets& targets;
  std::span<const double> hard_impulses;  ///< six to a constraint
};

/// v⁺ with the rows that hold by `hard_impulses`; the search begins at the velocities of the start,
/// or if `repeated` where it ended. `dynamics`: of the start, factorized.
void solve_implicit_step(const ImplicitStep& step, bool repeated, DynamicsData<double>& dynamics,
                         ImplicitParts& parts);

/// Writes the motion that leads to v⁺ together with the impulses of the rows that hold, and to the
/// answer of solve_islands() if these are right: acceleration and free_velocity, and the
/// accelerations of the bodies.
void take_motion_without_rows(const ImplicitInput& input, const ImplicitParts& parts,
                              DynamicsData<double>& dynamics, StepMotion& motion);

/// Whether hard rows came out of solve_islands() in other states than v⁺ was found with.
bool rows_changed(const ContactSet& hard, std::span<const double> hard_impulses,
                  ImplicitParts& parts);

/// Adds iterations, and a status if v⁺ was not found to the tolerance.
void report_newton(const ImplicitParts& parts, const ViscoelasticOptions& options,
                   StepReport& report);

}  // namespace stiction
