#pragma once

/// \file
/// A Model as MJCF text, so that MuJoCo gets the same numbers as the others, also of URDF files and
/// of scenes made of several files.

#include <string>

#include "bench/peers/peer.hpp"

namespace stiction::bench {

/// Principal axes and moments of a body.
struct PrincipalFrame {
  Eigen::Isometry3d in_body = Eigen::Isometry3d::Identity();  ///< centre of mass and axes
  Eigen::Vector3d inertia;                                    ///< [kg·m²]
};
PrincipalFrame principal_frame(const BodyInertia& body);

/// `softness`: attributes of geoms, such as `solref="0.002 1"`; may be empty. `contacts`: how many
/// MuJoCo makes room for.
std::string mjcf_text(const PeerModel& scene, const std::string& softness, int contacts);

}  // namespace stiction::bench
