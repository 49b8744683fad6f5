#pragma once

/// \file
/// What the sweep inwards of the articulated-body factorization walks along where each lane holds a
/// robot with numbers of its own. It answers the questions of RobotTree (inward_trees.hpp).

#include <span>

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/inward_trees.hpp"
#include "stiction/dynamics/robot_lanes.hpp"

namespace stiction {

class LaneTree {
 public:
  static constexpr bool may_float = true;
  static constexpr bool has_arrivals = false;

  LaneTree(const LaneNumbers& robots, DynamicsData<Lane>& data, const Loads<Lane>& loads)
      : degrees_(robots.structure.degrees_of_freedom().data()),
        places_(robots.structure.constants().data()),
        bodies_(robots.bodies.data()),
        armature_(robots.armature.data()),
        data_(data),
        loads_(loads) {}

  [[nodiscard]] std::size_t visits() const { return data_.bodies.size(); }
  [[nodiscard]] std::size_t body_at(std::size_t visit) const { return visit; }
  [[nodiscard]] const LaneBody& constants(std::size_t i) const { return bodies_[i]; }
  [[nodiscard]] BodyData<Lane>& entry(std::size_t i) const { return data_.bodies[i]; }
  [[nodiscard]] DofData<Lane>* dofs(std::size_t i) const { return &data_.dofs[velocity(i, 0)]; }
  [[nodiscard]] ArticulatedInertia<Lane>& parked(std::size_t i) const {
    return data_.articulated[i];
  }
  [[nodiscard]] const Force<Lane>* external(std::size_t i) const {
    return loads_.external.empty() ? nullptr : &loads_.external[i];
  }
  [[nodiscard]] bool angular(std::size_t i, std::size_t k) const {
    return degrees_[velocity(i, k)].angular;
  }
  [[nodiscard, gnu::always_inline]] Lane added(std::size_t i, std::size_t k) const {
    const Lane& armature = armature_[velocity(i, k)];
    return loads_.diagonal.empty() ? armature : armature + loads_.diagonal[velocity(i, k)];
  }
  [[nodiscard, gnu::always_inline]] Lane tau(std::size_t i, std::size_t k) const {
    return loads_.tau[velocity(i, k)];
  }

  /// A floating body's six velocities at once.
  [[gnu::always_inline]] void factorize_root(std::size_t i,
                                             const ArticulatedInertia<Lane>& I) const {
    Lane added_inertia[6];
    for (std::size_t k = 0; k < 6; ++k) added_inertia[k] = added(i, k);
    factorize_base(I, added_inertia,
                   data_.base_factors[static_cast<std::size_t>(data_.base_factor_of_body[i])]);
  }
  /// Behind a root nothing is left.
  void leave(std::size_t, const ArticulatedInertia<Lane>&, const Force<Lane>&) const {}

 private:
  [[nodiscard]] std::size_t velocity(std::size_t i, std::size_t k) const {
    return static_cast<std::size_t>(places_[i].velocity_index) + k;
  }

  const DegreeOfFreedom* degrees_;
  const BodyConstants* places_;
  const LaneBody* bodies_;
  const Lane* armature_;
  DynamicsData<Lane>& data_;
  Loads<Lane> loads_;
};

}  // namespace stiction
