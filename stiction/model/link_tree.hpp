#pragma once

/// \file
/// How the links of a ModelBuilder hang together once fixed joints are merged. Private to
/// stiction/model.

#include <Eigen/Geometry>
#include <utility>
#include <vector>

#include "stiction/model/model_builder.hpp"

namespace stiction {

/// Where a link ends up.
struct LinkPlace {
  bool reached = false;                                    ///< from the world, along joints
  int body = world_body;                                   ///< the body it belongs to
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in that body
};

/// Bodies in depth-first order, and the place of each link. Joints with indices out of range are
/// passed over, so that a checker can use this on a broken builder.
struct LinkTree {
  LinkTree(const std::vector<LinkSpec>& links, const std::vector<JointSpec>& joints);

  std::vector<LinkPlace> places;          ///< one per link
  std::vector<int> body_joint;            ///< one per body: index of the JointSpec that carries it
  std::vector<int> body_parent;           ///< one per body: index of the parent body, or world_body
  std::vector<BodyInertia> body_inertia;  ///< one per body: its links' inertias together
  /// One per body: the mass whose weight is compensated, and its centre.
  std::vector<BodyInertia> body_compensation;
  std::vector<std::vector<int>> body_links;  ///< one per body: its links, the first one names it
};

/// Two directions that make a right-handed frame with `axis`; for x, y, z the next two axes.
std::pair<Eigen::Vector3d, Eigen::Vector3d> plane_of(const Eigen::Vector3d& axis);

/// The inertia of two rigid pieces together; `pose` is that of the second one.
BodyInertia combine(const BodyInertia& a, const BodyInertia& b, const Eigen::Isometry3d& pose);

}  // namespace stiction
