#pragma once

/// \file
/// Random contact problems of several kinds, for tests of solvers. The seed alone decides.

#include <cstdint>

#include "stiction/contact/contact_problem.hpp"

namespace stiction::test {

/// How many blocks of each kind, in random order.
struct ProblemMix {
  int contacts = 4;
  int limits = 0;
  int joint_frictions = 0;
  int locks = 0;  ///< of 1 to 3 rows each
  double least_friction = 0.2;
  double largest_friction = 1.0;
  double speed = 1.0;  ///< of the free motion [m/s]; every contact closes at about this
};

inline const ProblemMix contacts_only{};
inline const ProblemMix every_kind{
    .contacts = 4, .limits = 2, .joint_frictions = 2, .locks = 1, .speed = 1.0};

/// r × as a matrix.
Eigen::Matrix3d skew(const Eigen::Vector3d& r);

/// Dense storage, G = J M⁻¹ Jᵀ: one robot with a foot for each contact, which falls and moves
/// sideways; limits and joint friction at its joints, locks between its base, joints and the world.
ContactProblem robot_problem(std::uint64_t seed, const ProblemMix& mix = contacts_only);

/// Bodies storage: free bodies of 0.5 to 2 kg that touch each other and the world at random.
ContactProblem body_problem(std::uint64_t seed, int bodies, const ProblemMix& mix);

/// What turning_problem() is made of.
struct TurningMix {
  int bodies = 3;
  int contacts = 4;
  double largest_turn = 0.5;  ///< coefficient of spin and roll
  double length = 0.1;        ///< rows are angular velocities times this [m]
};

/// Bodies storage: free bodies that touch each other and the world. Every contact has torsional or
/// rolling friction, or both.
ContactProblem turning_problem(std::uint64_t seed, const TurningMix& mix);

/// The same problem with its matrix multiplied out.
ContactProblem dense_copy(const ContactProblem& problem);

/// Bodies storage: `count` contacts of balls (1 kg, r 0.1 m) that lie on the floor in a row and
/// touch their neighbours, after a step of 1 ms of free fall with random sideways velocities.
ContactProblem row_of_balls(int count);

/// One particle of 1 kg at rest on an incline, after `time_step` of gravity: v* = h g (sin α, 0,
/// −cos α).
ContactProblem incline_problem(double angle, double friction, double time_step = 1e-3);

}  // namespace stiction::test
