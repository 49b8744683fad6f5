#pragma once

/// \file
/// The numbers of a Model that may differ between copies of one robot.

#include <Eigen/Core>
#include <vector>

#include "stiction/model/elements.hpp"
#include "stiction/model/shape.hpp"

namespace stiction {

/// Mass, centre of mass and inertia of a body, in body axes.
struct BodyInertia {
  double mass = 0.0;                                         ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in the body frame [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< about the centre of mass [kg·m²]
};

/// The numbers of a Model that may differ between copies of one robot (domain randomisation).
/// Change a copy, then call Model::with_parameters(); for single numbers, Model::set_…().
struct ModelParameters {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  std::vector<BodyInertia> bodies;           ///< one per body
  Eigen::VectorXd damping;                   ///< one per velocity [N·m·s/rad or N·s/m]
  Eigen::VectorXd friction;                  ///< one per velocity, Coulomb [N·m or N]
  Eigen::VectorXd armature;                  ///< one per velocity [kg·m² or kg]
  Eigen::VectorXd stiffness;                 ///< one per joint [N·m/rad or N/m]
  std::vector<Material> materials;
  std::vector<MaterialPair> material_pairs;
  std::vector<Actuator> actuators;

  /// Multiplies a body's mass and inertia by a factor.
  void scale_mass(int body, double factor);
};

}  // namespace stiction
