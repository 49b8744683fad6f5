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
    any_ = !forces.empty() || !model.gravity_compensation().empty();
    if (any_) sum(model, forces, dynamics);
  }

  /// One per body, world axes, moment about the body's origin; empty if there are none.
  [[nodiscard]] std::span<const Force<double>> on_bodies() const {
    return any_ ? std::span<const Force<double>>(bodies_) : std::span<const Force<double>>();
  }

 private:
  void sum(const Model& model, std::span<const ExternalForce> forces,
           const DynamicsData<double>& dynamics);

  std::vector<Force<double>> bodies_;
  bool any_ = false;
};

}  // namespace stiction
