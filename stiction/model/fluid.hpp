#pragma once

/// \file
/// The medium that a scene moves in, and what it pushes on.

#include <Eigen/Geometry>
#include <array>
#include <vector>

namespace stiction {

/// A piece of a body that the medium sees as a box with the same inertia.
struct FluidBox {
  int body = -1;
  Eigen::Isometry3d pose =
      Eigen::Isometry3d::Identity();                  ///< centre and principal axes, in the body
  Eigen::Vector3d size = Eigen::Vector3d::Zero();     ///< edges [m]
  double mass = 0.0;                                  ///< of the piece [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  ///< principal moments [kg·m²]
};

/// Coefficients of a shape that the medium sees as an ellipsoid, as in MJCF.
struct FluidCoefficients {
  double blunt_drag = 0.5;
  double slender_drag = 0.25;
  double angular_drag = 1.5;
  double kutta_lift = 1.0;
  double magnus_lift = 1.0;
};

/// An ellipsoid on a body.
struct FluidEllipsoid {
  int body = -1;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();    ///< in the body
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Zero();       ///< [m]
  Eigen::Vector3d virtual_volume = Eigen::Vector3d::Zero();  ///< of fluid that moves along [m³]
  Eigen::Vector3d virtual_moment = Eigen::Vector3d::Zero();  ///< the same about the axes [m⁵]
  FluidCoefficients coefficients;
  /// Largest damping of its motion along and about its axes in a step of 1 s [kg, kg·m²]: its
  /// share of the inertia of its body.
  double linear_share = 0.0;
  double angular_share = 0.0;
};

/// The medium. Empty lists: it does nothing.
struct Fluid {
  double density = 0.0;                            ///< [kg/m³]
  double viscosity = 0.0;                          ///< [Pa·s]
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();  ///< its velocity, world [m/s]
  std::vector<FluidBox> boxes;
  std::vector<FluidEllipsoid> ellipsoids;

  [[nodiscard]] bool acts() const { return !boxes.empty() || !ellipsoids.empty(); }
};

/// Volumes and moments of the fluid that moves along with an ellipsoid: virtual_volume and
/// virtual_moment by [Tuckerman1925, tables], its other fields stay.
void set_virtual_mass(FluidEllipsoid& ellipsoid);

}  // namespace stiction
