#pragma once

/// \file
/// What Gazebo, Bullet and transmissions add to a URDF robot. Private to stiction/io.

#include <map>
#include <optional>
#include <string>

#include "stiction/io/urdf_record.hpp"

namespace stiction {

/// From <gazebo reference="..."> and Bullet's <contact> of a link.
struct UrdfLinkExtras {
  std::optional<double> friction;       ///< Coulomb coefficient
  std::optional<double> spin_friction;  ///< [m]
  std::optional<double> roll_friction;  ///< [m]
  bool without_gravity = false;
};

/// From <gazebo reference="..."> and <transmission> of a joint.
struct UrdfJointExtras {
  double spring_stiffness = 0.0;  ///< [N·m/rad or N/m]
  double spring_reference = 0.0;  ///< position at which the spring rests
  double armature = 0.0;          ///< rotor inertia times the square of the reduction
};

struct UrdfExtras {
  std::map<std::string, UrdfLinkExtras> links;    ///< by name
  std::map<std::string, UrdfJointExtras> joints;  ///< by name
};

/// Reads what has a meaning for Stiction; the rest becomes notes. Wrong numbers and names of links
/// and joints that are not there become warnings, because other programs let them pass.
UrdfExtras read_urdf_extras(const UrdfRecord& record, const XmlFile& file, ProblemList& problems);

}  // namespace stiction
