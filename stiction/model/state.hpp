#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

namespace stiction {

/// What a step remembers of a block of the contact problem, to start the next solve from.
struct ImpulseMemory {
  std::uint64_t key = 0;            ///< which contact, limit, joint or lock; ascending in a State
  std::array<double, 3> impulse{};  ///< contacts: world axes; else as in the rows [N·s or N·m·s]
  friend bool operator==(const ImpulseMemory&, const ImpulseMemory&) = default;
};

/// Everything that the next step depends on. Plain data: copy it, compare it, store it.
struct State {
  double time = 0.0;  ///< [s]
  Eigen::VectorXd q;  ///< positions, Model::position_count() entries
  /// Velocities, Model::velocity_count() entries; those of kinematic bodies prescribe their motion.
  Eigen::VectorXd v;
  std::vector<ImpulseMemory>
      memory{};                  ///< where the next solve begins; ascending keys, may be empty
  Eigen::VectorXd activation{};  ///< of actuators with dynamics, Model::activation_count() entries
};

/// Whether both hold the same bits: 0.0 and -0.0 differ, a NaN is equal to itself.
[[nodiscard]] bool same_bits(const State& a, const State& b);

/// 64 bits that depend on every bit of the state and on the order of its numbers. The same on every
/// machine for the same bits; not for security.
[[nodiscard]] std::uint64_t hash(const State& state);

}  // namespace stiction
