#pragma once

/// \file
/// Forces on bodies: those of the input, and those that carry part of a body's weight.

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction {

class ExternalForces {
 public:
  explicit ExternalForces(const Model& model)
      : bodies_(static_cast<std::size_t>(model.body_count())) {}

  /// Takes in the forces of a step, at the bodies' positions.
  void collect(const Model& model, std::span<const ExternalForce> forces,
               const DynamicsData<double>& dynamics) {
    forces_ = forces;
    any_ = !forces.empty() || !model.gravity_compensation().empty();
    if (any_) sum(model, dynamics, bodies_);
  }

  /// One per body, world axes, moment about the body's origin; empty if there are none.
  [[nodiscard]] std::span<const Force<double>> on_bodies() const {
    return any_ ? std::span<const Force<double>>(bodies_) : std::span<const Force<double>>();
  }

  /// The same elsewhere within the step. Without forces that carry weight, what acts is what
  /// acted at its start. `bodies` is scratch.
  [[nodiscard]] std::span<const Force<double>> on_bodies_at(
      const Model& model, const DynamicsData<double>& dynamics,
      std::vector<Force<double>>& bodies) const {
    if (model.gravity_compensation().empty()) return on_bodies();
    bodies.resize(bodies_.size());
    sum(model, dynamics, bodies);
    return bodies;
  }

 private:
  void sum(const Model& model, const DynamicsData<double>& dynamics,
           std::span<Force<double>> bodies) const;

  std::span<const ExternalForce> forces_;  ///< of the input, for this step
  std::vector<Force<double>> bodies_;
  bool any_ = false;
};

}  // namespace stiction
