#pragma once

/// \file
/// The equations of a step by implicit Euler with springs at contacts, and their derivatives.
///
/// Unknown is v⁺; q⁺ = q ⊕ h v⁺. What is left over of the equations of motion at (q⁺, v⁺):
///   r(v⁺) = M(q⁺) a + D a + bias(q⁺, v⁺) − τ − Σ f_external − Σ Jᵀ f_spring(q⁺, v⁺),
/// with a = (v⁺ − v)/h. τ and the diagonal D are those of Forces, which together are the joint
/// forces at the end. Forces from outside are those of the start.

#include <span>
#include <vector>

#include "stiction/collision/collider.hpp"
#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/spring_derivatives.hpp"
#include "stiction/dynamics/derivatives.hpp"
#include "stiction/model/state.hpp"

namespace stiction {

/// What the equations of one step read.
struct ImplicitInput {
  const Model& model;
  const SceneLayout& layout;
  const TendonSet& tendons;
  const ViscoelasticOptions& options;
  const State& state;                       ///< at the start
  std::span<const double> tau;              ///< joint forces, one per velocity
  std::span<const double> inertia;          ///< D, one per velocity; empty: none
  std::span<const Force<double>> external;  ///< one per body; empty: none
  double time_step = 0.0;
  bool four_face_points = false;
  Collider& collider;
};

/// Keeps its memory. One per thread.
class ImplicitEquations {
 public:
  explicit ImplicitEquations(const Model& model);

  /// r at v⁺, one per velocity: joint forces [N or N·m]. Entries of prescribed motion are a. Moves
  /// the shapes of the collider.
  void evaluate(const ImplicitInput& input, std::span<const double> v, std::span<double> residual);

  /// Writes ∂r/∂v⁺ where evaluate() was last, into the first rows and columns of `matrix`.
  void linearize(const ImplicitInput& input, PaddedMatrix& matrix);

  /// \name Where evaluate() was last
  /// @{
  [[nodiscard]] const DynamicsData<double>& dynamics() const { return dynamics_; }
  [[nodiscard]] std::span<const Candidate> contacts() const { return contacts_; }
  [[nodiscard]] std::span<const Spring> springs() const { return springs_; }
  /// @}

 private:
  void follow_positions(const ImplicitInput& input);

  DynamicsData<double> dynamics_;
  DerivativesData derivatives_;
  SpringDerivatives spring_derivatives_;
  std::vector<double> position_;
  std::vector<double> velocity_;
  std::vector<double> acceleration_;
  std::vector<Force<double>> body_forces_;
  std::vector<Candidate> contacts_;
  std::vector<Spring> springs_;
  std::vector<SpringAnchors> anchors_;
  std::vector<EndSpring> ends_;
  std::vector<double> spring_forces_;  ///< contact axes, three per contact
};

}  // namespace stiction
