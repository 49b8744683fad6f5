#pragma once

/// \file
/// The links and joints of a URDF file with their places in it, and the checks that need more than
/// one element: names, parents, loops, limits. Private to stiction/io.

#include <array>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

/// A <visual> or <collision>.
struct UrdfShape {
  pugi::xml_node element;   ///< <visual> or <collision>
  pugi::xml_node geometry;  ///< <box>, <sphere>, <cylinder>, <capsule> or <mesh>
  std::array<float, 4> color{0.7F, 0.7F, 0.7F, 1.0F};
  int mesh = -1;         ///< index in the builder, for meshes
  bool dropped = false;  ///< a visual one whose mesh cannot be read
};

struct UrdfLink {
  pugi::xml_node element;
  std::string name;
  std::vector<UrdfShape> visuals;     ///< in the order of the file, as urdfdom keeps them
  std::vector<UrdfShape> collisions;  ///< likewise
};

struct UrdfJoint {
  pugi::xml_node element;
  std::string name;
  std::string type;
  std::string parent;
  std::string child;
};

struct UrdfRecord {
  explicit UrdfRecord(const XmlFile& file);

  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// Gives each visual shape its color; materials that are defined nowhere or twice are reported.
void resolve_materials(UrdfRecord& record, const XmlFile& file, ProblemList& problems);

/// Unique names, links that exist, one parent each, one root, no loop.
void check_urdf_tree(const UrdfRecord& record, const XmlFile& file, ProblemList& problems);

/// Axes, limits and mimics of the joints.
void check_urdf_joints(const UrdfRecord& record, const XmlFile& file, ProblemList& problems);

}  // namespace stiction
