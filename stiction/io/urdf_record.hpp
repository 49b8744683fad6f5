#pragma once

/// \file
/// The links and joints of a URDF file with their places in it, and the checks that need more than
/// one element: names, parents, loops, limits. Private to stiction/io.

#include <array>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

/// A <visual> or <collision>.
struct UrdfShape {
  pugi::xml_node element;   ///< <visual> or <collision>
  pugi::xml_node geometry;  ///< <box>, <sphere>, <cylinder>, <capsule> or <mesh>
  std::array<float, 4> color{0.7F, 0.7F, 0.7F, 1.0F};
  bool has_color = false;  ///< a <material> gives one
  std::string texture;     ///< as its <material> names it
  int finish = -1;         ///< with that texture, or the one of its mesh
  int mesh = -1;           ///< index in the builder, for meshes
  bool dropped = false;    ///< a visual one whose mesh cannot be read
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

/// Revolute, continuous and prismatic joints.
[[nodiscard]] bool has_one_coordinate(const UrdfJoint& joint);

struct UrdfRecord {
  explicit UrdfRecord(const XmlFile& file);

  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// Says `did you mean 'base'?` where a known word is near. Only a few times, because each takes a
/// look at all known words, and a hostile file can be wrong in a hundred thousand places.
class Suggestions {
 public:
  /// `known` makes the list of known words; it is only called if there is something to say.
  template <class Known>
  std::string operator()(std::string_view word, Known known, std::string otherwise) {
    if (left_ == 0) return otherwise;
    --left_;
    const std::string near = nearest_word(word, known());
    return near.empty() ? otherwise : "did you mean '" + near + "'?";
  }

 private:
  int left_ = 50;
};

/// Gives each visual shape its color and names its texture; materials that are defined nowhere or
/// twice are reported.
void resolve_materials(UrdfRecord& record, const XmlFile& file, ProblemList& problems);

/// Unique names, links that exist, one parent each, one root, no loop.
void check_urdf_tree(const UrdfRecord& record, const XmlFile& file, ProblemList& problems);

/// Axes, limits and mimics of the joints.
/// `strict`: a <mimic> of a joint that is not there is an error, not a warning.
void check_urdf_joints(const UrdfRecord& record, const XmlFile& file, bool strict,
                       ProblemList& problems);

}  // namespace stiction
