#pragma once

/// \file
/// The robots of the dynamics benchmark, and random states of them.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stiction/core/scalar.hpp"
#include "stiction/model/model.hpp"

namespace stiction::bench {

/// A point of a body that touches something.
struct Foot {
  int body = 0;
  Vector3<double> point;  ///< body frame [m]
};

/// One robot as Stiction and its partners see it.
struct Robot {
  std::string name;
  Model model;
  /// The same file for MuJoCo. Where a URDF floats, it has a floating joint to the world added, for
  /// MuJoCo would nail its root link down.
  std::string mujoco_text;
  /// MuJoCo 2.2.2 turns a full inertia tensor into principal axes with an error of 4e-8. True for
  /// URDF: then the partner is given the principal inertias of `model`.
  bool replace_inertias = false;
  std::array<Foot, 4> feet;
};

/// Robots by name: `anymal_lumped`, `romeo`, `chain10`, `chain30`, `chain100`.
Robot load_robot(const std::string& name);

/// One state and the joint forces on it, in the order of Model.
struct RobotState {
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> tau;
};

/// Angles within ±1 rad, velocities and forces of deviation 1, any attitude.
std::vector<RobotState> random_states(const Model& model, int count, std::uint64_t seed);

}  // namespace stiction::bench
