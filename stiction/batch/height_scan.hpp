#pragma once

/// \file
/// Heights of the ground around a body.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/collision/ray_scene.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

class HeightScan {
 public:
  HeightScan(const Model& model, int body, std::span<const Eigen::Vector3d> points);

  /// Height of the first shape of the world below each point, at these positions; −infinity where
  /// there is none. `model` has the structure of the one that the scan was made for.
  void read(const Model& model, const Eigen::VectorXd& q, std::span<double> heights);

 private:
  int body_;
  std::vector<Eigen::Vector3d> points_;  ///< turned with the body about the vertical alone
  RayScene rays_;
  DynamicsData<double> data_;
};

}  // namespace stiction
