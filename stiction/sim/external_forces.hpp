#pragma once

/// \file
/// Forces on bodies: those of the input, those that carry part of a body's weight, those of the
/// medium, and what adhesion pulls with.

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/sim/fluid_forces.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction {

class ExternalForces {
 public:
  explicit ExternalForces(const Model& model)
      : bodies_(static_cast<std::size_t>(model.body_count())) {}

  /// Takes in the forces of a step of h seconds, at the bodies' positions and velocities.
  void collect(const Model& model, std::span<const ExternalForce> forces,
               const DynamicsData<double>& dynamics, double h) {
    forces_ = forces;
    pulls_.clear();
    h_ = h;
    any_ = !forces.empty() || depend_on_state(model);
    if (any_) sum(model, dynamics, bodies_);
  }

  /// Adds a force at a point of the world, for the rest of the step; on the world (-1) it does
  /// nothing.
  void pull(const DynamicsData<double>& dynamics, int body, const Vector3<double>& point,
            const Vector3<double>& force);

  /// One per body, world axes, moment about the body's origin; empty if there are none.
  [[nodiscard]] std::span<const Force<double>> on_bodies() const {
    return any_ ? std::span<const Force<double>>(bodies_) : std::span<const Force<double>>();
  }

  /// The same elsewhere within the step. Unless forces depend on the state, what acts is what acted
  /// at its start. `bodies` is scratch.
  [[nodiscard]] std::span<const Force<double>> on_bodies_at(
      const Model& model, const DynamicsData<double>& dynamics,
      std::vector<Force<double>>& bodies) const {
    if (!depend_on_state(model)) return on_bodies();
    bodies.resize(bodies_.size());
    sum(model, dynamics, bodies);
    return bodies;
  }

  /// Whether forces differ elsewhere within the step.
  [[nodiscard]] static bool depend_on_state(const Model& model) {
    return !model.gravity_compensation().empty() || model.fluid().acts();
  }

 private:
  void sum(const Model& model, const DynamicsData<double>& dynamics,
           std::span<Force<double>> bodies) const;

  struct Pull {
    int body = -1;
    Force<double> force;  ///< about the body's origin at the start of the step
  };

  std::span<const ExternalForce> forces_;  ///< of the input, for this step
  std::vector<Pull> pulls_;
  std::vector<Force<double>> bodies_;
  double h_ = 0.0;
  bool any_ = false;
};

}  // namespace stiction
