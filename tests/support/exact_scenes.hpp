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

  [[nodiscard]] ContactProblem problem() const {
    ContactProblem result;
    for (std::size_t i = 0; i < friction.size(); ++i) {
      result.add_contact(friction[i], normal_target.empty() ? 0.0 : normal_target[i]);
    }
    result.use_dense();
    const Eigen::MatrixXd G = jacobian * inverse_mass * jacobian.transpose();
    result.edit_delassus() = 0.5 * (G + G.transpose());
    result.edit_free_velocity() = jacobian * free_motion;
    result.prepare();
    return result;
  }

  /// u after impulses.
  [[nodiscard]] Eigen::VectorXd motion(const std::vector<double>& impulses) const {
    const Eigen::Map<const Eigen::VectorXd> lambda(impulses.data(),
                                                   static_cast<Eigen::Index>(impulses.size()));
    return free_motion + inverse_mass * (jacobian.transpose() * lambda);
  }
};

inline constexpr double gravity = 9.81;  ///< [m/s²]

/// A particle on a plane tilted by `angle` [rad] about y, after one step of free fall from rest; t1
/// points up the slope.
inline Scene incline(double angle, double friction, double mass, double time_step) {
  Scene scene;
  scene.jacobian = Eigen::Matrix3d::Identity();
  scene.inverse_mass = Eigen::Matrix3d::Identity() / mass;
  scene.free_motion =
      time_step * gravity * Eigen::Vector3d(-std::sin(angle), 0.0, -std::cos(angle));
  scene.friction = {friction};
  return scene;
}

/// A particle that slides at `speed` [m/s] in the direction `angle` [rad] and falls onto its plane
/// with `approach` [m/s].
inline Scene slider(double angle, double speed, double approach, double friction, double mass) {
  Scene scene;
  scene.jacobian = Eigen::Matrix3d::Identity();
  scene.inverse_mass = Eigen::Matrix3d::Identity() / mass;
  scene.free_motion = Eigen::Vector3d(speed * std::cos(angle), speed * std::sin(angle), -approach);
  scene.friction = {friction};
  return scene;
}

/// A particle between two walls that face each other, each asking for `target` [m/s] away from it.
inline Scene pinched_particle(double target, double friction) {
  Scene scene;
  scene.jacobian.resize(6, 3);
  scene.jacobian.topRows<3>().setIdentity();
  scene.jacobian.bottomRows<3>() = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  scene.inverse_mass = Eigen::Matrix3d::Identity();
  scene.free_motion = Eigen::Vector3d(0.1, 0.0, -0.2);
  scene.friction = {friction, friction};
  scene.normal_target = {target, target};
  return scene;
}

/// Blocks on top of each other that move without turning, one contact between neighbours, mass[0]
/// at the bottom on the ground; after one step of free fall.
inline Scene stack(const std::vector<double>& mass, double friction, double time_step) {
  const auto count = static_cast<Eigen::Index>(mass.size());
  Scene scene;
  scene.jacobian.setZero(3 * count, 3 * count);
  scene.inverse_mass.setZero(3 * count, 3 * count);
  scene.free_motion.setZero(3 * count);
  for (Eigen::Index i = 0; i < count; ++i) {
    scene.jacobian.block<3, 3>(3 * i, 3 * i).setIdentity();
    if (i > 0) scene.jacobian.block<3, 3>(3 * i, 3 * i - 3) = -Eigen::Matrix3d::Identity();
    scene.inverse_mass.block<3, 3>(3 * i, 3 * i) =
        Eigen::Matrix3d::Identity() / mass[static_cast<std::size_t>(i)];
    scene.free_motion[3 * i + 2] = -gravity * time_step;
  }
  scene.friction.assign(mass.size(), friction);
  return scene;
}

/// A thin rod of mass 1 and length 2 whose lower end touches the floor while it slides: tilted by
/// `angle` from the floor, sliding towards −x, so that friction presses it into the floor.
/// Velocity (x, y, z, turn about y).
inline Scene painleve_rod(double angle, double friction, double slide, double approach) {
  const double inertia = 1.0 / 3.0;  // m L²/12 with L = 2
  Scene scene;
  scene.jacobian.resize(3, 4);
  // Lower end relative to the middle: (−cos θ, 0, −sin θ); ω × r with ω about y.
  scene.jacobian << 1.0, 0.0, 0.0, -std::sin(angle),  //
      0.0, 1.0, 0.0, 0.0,                             //
      0.0, 0.0, 1.0, std::cos(angle);
  scene.inverse_mass = Eigen::Vector4d(1.0, 1.0, 1.0, 1.0 / inertia).asDiagonal();
  scene.free_motion = Eigen::Vector4d(slide, 0.0, -approach, 0.0);
  scene.friction = {friction};
  return scene;
}

/// Random contacts on a mechanism with random inertia; gaps are not negative, so a solution exists.
/// `freedoms` below three a contact makes it hyperstatic.
inline Scene random_scene(Random& random, int contacts, int freedoms, double largest_friction) {
  const auto fill = [&](Eigen::MatrixXd& matrix, int rows, int columns) {
    matrix.resize(rows, columns);
    for (double& value : matrix.reshaped()) value = random.normal();
  };
  Scene scene;
  fill(scene.jacobian, 3 * contacts, freedoms);
  Eigen::MatrixXd factor;
  fill(factor, freedoms, freedoms);
  scene.inverse_mass =
      factor * factor.transpose() / freedoms + 0.1 * Eigen::MatrixXd::Identity(freedoms, freedoms);
  Eigen::MatrixXd motion;
  fill(motion, freedoms, 1);
  scene.free_motion = motion;
  for (int i = 0; i < contacts; ++i) {
    scene.friction.push_back(random.uniform(0.0, largest_friction));
    scene.normal_target.push_back(random.uniform() < 0.5 ? 0.0 : -random.uniform(0.0, 0.5));
  }
  return scene;
}

}  // namespace stiction::test
