#pragma once

/// \file
/// Robots whose contacts are bare points of their links, on a flat floor, as in the tests of [EXP].

#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>

#include "stiction/model/model.hpp"

namespace stiction::experiments {

struct PointOnLink {
  std::string link;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the link's frame [m]
};

/// The robot of a URDF with no shapes but these points (spheres of a nanometre), on the plane z = 0
/// with friction 1. The base is floating, and joints have no limits. Throws an InputError if a link
/// is missing.
Model load_with_contact_points(const std::filesystem::path& urdf,
                               std::span<const PointOnLink> points);

}  // namespace stiction::experiments
