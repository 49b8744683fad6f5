#pragma once

/// \file
/// Small contact problems from physical Jacobians and masses: G = J M⁻¹ Jᵀ, v* = J u*.

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/core/random.hpp"

namespace stiction::test {

/// Contacts of bodies with generalised velocity u: rows of J are t1, t2, n of each contact.
struct Scene {
  Eigen::MatrixXd jacobian;           ///< three rows a contact
  Eigen::MatrixXd inverse_mass;       ///< M⁻¹
  Eigen::VectorXd free_motion;        ///< u*: the generalised velocity without contact impulses
  std::vector<double> friction;       ///< µ of each contact
  std::vector<double> normal_target;  ///< of each contact [m/s]; empty: zero

  [[nodiscard]] ContactProblem problem() const;

  /// u after impulses.
  [[nodiscard]] Eigen::VectorXd motion(const std::vector<double>& impulses) const;
};

inline constexpr double gravity = 9.81;  ///< [m/s²]

/// A particle on a plane tilted by `angle` [rad] about y, after one step of free fall from rest; t1
/// points up the slope.
Scene incline(double angle, double friction, double mass, double time_step);

/// A particle that slides at `speed` [m/s] in the direction `angle` [rad] and falls onto its plane
/// with `approach` [m/s].
Scene slider(double angle, double speed, double approach, double friction, double mass);

/// A particle between two walls that face each other, each asking for `target` [m/s] away from it.
Scene pinched_particle(double target, double friction);

/// Blocks on top of each other that move without turning, one contact between neighbours, mass[0]
/// at the bottom on the ground; after one step of free fall.
Scene stack(const std::vector<double>& mass, double friction, double time_step);

/// A thin rod of mass 1 and length 2 whose lower end touches the floor while it slides: tilted by
/// `angle` from the floor, sliding towards −x, so that friction presses it into the floor.
/// Velocity (x, y, z, turn about y).
Scene painleve_rod(double angle, double friction, double slide, double approach);

/// Random contacts on a mechanism with random inertia; gaps are not negative, so a solution exists.
/// `freedoms` below three a contact makes it hyperstatic.
Scene random_scene(Random& random, int contacts, int freedoms, double largest_friction);

}  // namespace stiction::test
