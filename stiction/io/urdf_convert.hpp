#pragma once

/// \file
/// From urdfdom's classes to the builder's. Private to stiction/io.

#include <Eigen/Geometry>
#include <string>
#include <urdf_model/model.h>
#include <vector>

#include "stiction/io/urdf_record.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// Stands for "no limit" in the clean copy, because urdfdom refuses limits without a number.
inline constexpr double urdf_unlimited = 1e308;

Eigen::Isometry3d convert_pose(const urdf::Pose& pose);

/// Mass, centre and inertia in link axes.
void convert_inertial(const urdf::Inertial& inertial, LinkSpec& link);

/// Collision shapes first, then visual ones; those that were dropped are left out.
std::vector<Shape> convert_shapes(const urdf::Link& link, const UrdfLink& record,
                                  const XmlFile& file, const std::string& prefix);

/// Everything but name, parent, child and source.
JointSpec convert_joint(const urdf::Joint& joint);

}  // namespace stiction
