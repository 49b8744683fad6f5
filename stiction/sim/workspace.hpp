#pragma once

/// \file
/// Everything that a step derives, allocated once.

#include <memory>
#include <span>

#include "stiction/model/model.hpp"

namespace stiction {

class Collider;
class ContactProblem;
template <Scalar S>
struct DynamicsData;

/// One per thread of the caller. Serves every Model with the structure of the one it was made for
/// (Model::has_structure_of). A step depends on Model, options, input and State alone, never on
/// what a Workspace was used for before.
class Workspace {
 public:
  explicit Workspace(const Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// The Model that it was made for; others of the same structure fit as well.
  [[nodiscard]] const Model& model() const;

  /// \name What the last step() or evaluate() found
  /// @{
  [[nodiscard]] double time_step() const;  ///< h [s]; 0 before the first
  /// Kinematics at the start of the step, and the collider at the same positions.
  [[nodiscard]] const DynamicsData<double>& dynamics() const;
  [[nodiscard]] const Collider& collider() const;
  /// Torques and forces of actuators and servos, one per velocity [N·m or N].
  void actuator_forces(std::span<double> result) const;
  /// Force of one actuator, before its gear.
  [[nodiscard]] double actuator_force(int actuator) const;
  /// (v⁺ − v⁻)/h, one per velocity.
  void accelerations(std::span<double> result) const;
  /// Impulses on each body by contacts and locks (world axes, moment about the body's origin)
  /// [N·s, N·m·s].
  void constraint_impulses(std::span<Force<double>> result) const;
  /// Forces on each body from outside (world axes, moment about the body's origin) [N, N·m]; empty
  /// if there were none.
  [[nodiscard]] std::span<const Force<double>> external_forces() const;
  /// The contact problem that the calling thread solved last: with one island and one thread, that
  /// of the last step which had any contact. Null before the first. To study what a step solves.
  [[nodiscard]] const ContactProblem* last_problem() const;
  /// @}

  struct Parts;  ///< what step() and evaluate() hand to their stages
  [[nodiscard]] Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace stiction
