#pragma once

/// \file
/// What the readers of the parts of an MJCF file share, and the parts themselves. Private to
/// stiction/io.

#include <Eigen/Geometry>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stiction/io/load.hpp"
#include "stiction/io/mjcf_assets.hpp"
#include "stiction/io/mjcf_attributes.hpp"
#include "stiction/io/mjcf_compiler.hpp"
#include "stiction/io/mjcf_custom.hpp"
#include "stiction/io/mjcf_defaults.hpp"
#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_names.hpp"
#include "stiction/io/mjcf_report.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// A body of the file; the first one is the world.
struct MjcfBody {
  int link = world_body;  ///< in the builder
  int parent = 0;         ///< position among the bodies
  int rigid_group = 0;    ///< the body whose joints move it: itself, or its nearest moving ancestor
  Eigen::Isometry3d pose_in_world = Eigen::Isometry3d::Identity();        ///< as the file shows it
  Eigen::Quaterniond inertial_rotation = Eigen::Quaterniond::Identity();  ///< of its <inertial>
};

/// Where a geom of the file went: a body, and the place among its shapes.
struct MjcfGeomPlace {
  int body = 0;
  int shape = 0;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in the body
};

/// A reader's shared state. Names in the maps are the file's own, without prefix.
struct MjcfScene {
  MjcfScene(ModelBuilder& builder, const MjcfDocument& document, MjcfReport& report,
            const LoadOptions& options);

  ModelBuilder& builder;
  const MjcfDocument& document;
  MjcfReport& report;
  std::string prefix;
  MjcfCompilers compilers;
  MjcfCompiler compiler;  ///< of the main file
  MjcfOption option;
  MjcfDefaults defaults;
  MjcfNames names;
  MjcfAssets assets;
  std::set<std::string> paired_geoms;   ///< named by contact pairs
  std::set<std::string> wrapped_geoms;  ///< named by paths of tendons
  MjcfCustom custom;
  std::map<std::string, int> material_index;             ///< by name, in the builder
  std::map<std::string, std::set<int>> named_materials;  ///< by `stiction:material`

  std::vector<MjcfBody> bodies{MjcfBody{}};
  std::vector<Shape> world_shapes;  ///< given to the builder by finish_shapes()
  std::vector<int> joints;          ///< builder's indices in MuJoCo's order of qpos
  std::vector<int> joint_parts;     ///< of the document, of each of `joints`
  std::vector<int> mocap_joints;    ///< builder's indices in MuJoCo's order of mocap bodies
  std::vector<int> actuators;       ///< builder's index of each of the file's actuators, or -1
  int first_world_shape = 0;
  std::map<std::string, int> body_by_name{{"world", 0}};
  std::map<std::string, int> joint_by_name;                             ///< → builder's index
  std::map<std::string, int> site_by_name;                              ///< → builder's frame
  std::map<std::string, std::pair<int, Eigen::Isometry3d>> site_place;  ///< body, pose in it
  std::map<std::string, SensorZone> site_zone;                          ///< its volume
  std::map<std::string, int> tendon_by_name;    ///< → builder's index, -1 if it has an error
  std::map<std::string, int> actuator_by_name;  ///< → position in `actuators`
  std::map<std::string, MjcfGeomPlace> geom_by_name;
  std::map<std::pair<int, int>, int> finish_of_shape;  ///< by body and place

  /// Attributes of an element whose class is named by itself, or inherited from above.
  [[nodiscard]] MjcfAttributes attributes(const pugi::xml_node& node, int inherited_class,
                                          const char* tag = nullptr) const;
  [[nodiscard]] MjcfBody& body(int position) { return bodies[static_cast<std::size_t>(position)]; }
  /// The compiler settings that hold for an element.
  [[nodiscard]] const MjcfCompiler& compiler_of(const MjcfAttributes& given) const {
    return compilers.of(given.element());
  }
  [[nodiscard]] std::string full(const std::string& name) const { return prefix + name; }
  /// A shape of a body of the file as the builder names it: link and place.
  [[nodiscard]] std::pair<int, int> shape_of(int body, int shape) const;
  /// Appends all shapes of a body. Once they are all read.
  void add_shapes_of(int body, std::vector<std::pair<int, int>>& shapes) const;

  /// What `attribute` names in `map`; empty, with an error, if it names nothing.
  template <class Value>
  [[nodiscard]] std::optional<Value> find(const std::map<std::string, Value>& map,
                                          const MjcfAttributes& attributes, const char* attribute,
                                          const char* kind) const {
    const std::string name = attributes.text(attribute);
    const auto found = map.find(name);
    if (found != map.end()) return found->second;
    std::vector<std::string_view> known;
    if (report.may_suggest()) {
      for (const auto& entry : map) known.push_back(entry.first);
    }
    report_unknown(attributes, attribute, kind, name, known);
    return std::nullopt;
  }

 private:
  void report_unknown(const MjcfAttributes& attributes, const char* attribute, const char* kind,
                      const std::string& name, const std::vector<std::string_view>& known) const;
};

/// A geom as read: its shape, and what it weighs in the body's frame.
struct MjcfGeom {
  Shape shape;
  BodyInertia inertia;
  bool counts_for_inertia = false;
  int finish = -1;   ///< in looks() of the assets
  bool keep = true;  ///< false: `discardvisual`, or a visual mesh that is missing
  std::optional<FluidEllipsoid> fluid{};  ///< `fluidshape`, in the body's frame
};

/// Whether a geom's mass is asked for.
enum class GeomMass {
  unneeded,  ///< the world, or a body with <inertial>
  welcome,   ///< a body that does not move: taken if it can be had
  needed,
};

// mjcf_geom.cpp
MjcfGeom read_geom(MjcfScene& scene, const pugi::xml_node& node, const Eigen::Isometry3d& frame,
                   int inherited_class, GeomMass mass);
// mjcf_fluid.cpp
/// What the medium sees of a geom, if it asks for that: shape and inertia are in the body's frame.
std::optional<FluidEllipsoid> read_fluid_shape(MjcfScene& scene, const MjcfAttributes& given,
                                               const Shape& shape, const BodyInertia& inertia);
/// Gives meshes, height fields and world shapes to the builder.
void finish_shapes(MjcfScene& scene);

// mjcf_joint.cpp
/// A joint that awaits its links. `frame` is the one of the <frame> around it, in the body.
JointSpec read_joint(MjcfScene& scene, const pugi::xml_node& node, const Eigen::Isometry3d& frame,
                     int inherited_class, const std::string& body_name);

// mjcf_body.cpp
void read_bodies(MjcfScene& scene);
/// `settotalmass`
void set_total_mass(MjcfScene& scene);

// mjcf_custom.cpp
/// Adds pairs of materials; reports geoms and materials that are not there.
void finish_custom(MjcfScene& scene);

// mjcf_contact.cpp, mjcf_equality.cpp, mjcf_tendon.cpp, mjcf_actuator.cpp, mjcf_sensor.cpp,
// mjcf_keyframe.cpp
void read_contacts(MjcfScene& scene);
void read_equalities(MjcfScene& scene);
void read_tendons(MjcfScene& scene);
void read_actuators(MjcfScene& scene);
void read_sensors(MjcfScene& scene);
void read_keyframes(MjcfScene& scene);

}  // namespace stiction
