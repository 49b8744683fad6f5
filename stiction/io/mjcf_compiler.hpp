#pragma once

/// \file
/// MJCF's `compiler` and `option`, and positions and orientations in all its forms. Private to
/// stiction/io.

#include <Eigen/Geometry>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "stiction/io/mjcf_attributes.hpp"

namespace stiction {

/// What `compiler` says about reading the rest of the file.
struct MjcfCompiler {
  enum class InertiaFromGeom { automatic, always, never };
  double angle_unit = 1.0;  ///< [rad] of the file's unit of angle
  std::string euler_sequence = "xyz";
  std::filesystem::path mesh_folder;
  std::filesystem::path texture_folder;
  bool strip_path = false;
  bool autolimits = true;
  bool autolimits_given = false;
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::automatic;
  std::array<double, 2> inertia_groups{0, 5};
  double total_mass = -1.0;  ///< [kg], negative: as it is
  double least_mass = 0.0;
  double least_inertia = 0.0;
  bool balance_inertia = false;
  bool exact_meshes = false;  ///< masses of meshes count no part of their volume twice
  bool discard_visual = false;
  bool fit_to_bounds = false;  ///< primitives are fitted to the box around a mesh
};

/// Reads all `compiler` elements; later ones win.
MjcfCompiler read_compiler(const MjcfDocument& document, MjcfReport& report);

/// The settings of the main file and of every model that it attaches.
class MjcfCompilers {
 public:
  MjcfCompilers(const MjcfDocument& document, MjcfReport& report);
  /// Those that hold for an element: of the file that it comes from.
  [[nodiscard]] const MjcfCompiler& of(const pugi::xml_node& element) const {
    return settings_.at(&document_.model_of(element));
  }
  [[nodiscard]] const MjcfCompiler& of_main_file() const { return settings_.at(&document_); }

 private:
  const MjcfDocument& document_;
  std::map<const MjcfDocument*, MjcfCompiler> settings_;
};

/// What `option` says about the scene.
struct MjcfOption {
  double time_step = 0.002;                        ///< [s]
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};        ///< [m/s²]
  bool filter_parent = true;                       ///< a body and its parent do not collide
  bool contacts = true;                            ///< false: nothing collides
  bool equalities = true;                          ///< false: no coupling holds
  bool limits = true;                              ///< false: joints and tendons have no limits
  bool joint_friction = true;                      ///< false: `frictionloss` is 0
  bool springs = true;                             ///< false: joints and tendons have no springs
  bool dampers = true;                             ///< false: joints and tendons have no dampers
  bool gravity_compensation = true;                ///< false: `gravcomp` is 0
  bool clamp_control = true;                       ///< controls are kept within their ranges
  bool actuation = true;                           ///< false: actuators do nothing
  std::set<int> disabled_groups;                   ///< of actuators that do nothing
  double density = 0.0;                            ///< of the medium [kg/m³]
  double viscosity = 0.0;                          ///< [Pa·s]
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();  ///< [m/s]
};

MjcfOption read_option(const MjcfDocument& document, MjcfReport& report);

inline Eigen::Vector3d to_vector(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

/// MJCF's quaternions stand w first; nowhere but here is that order known. Reports zero length.
Eigen::Quaterniond from_quat_wxyz(const std::array<double, 4>& wxyz, const char* attribute,
                                  const MjcfAttributes& attributes);

/// The shortest turn that takes z to `direction` (which has a length).
Eigen::Quaterniond turn_z_to(const Eigen::Vector3d& direction);

/// Three turns in the order of `eulerseq`, in the file's unit of angle.
Eigen::Quaterniond from_euler(const std::array<double, 3>& angles, const MjcfCompiler& compiler);

/// From quat, axisangle, euler, xyaxes or zaxis; the identity if there is none.
Eigen::Quaterniond read_orientation(const MjcfAttributes& attributes, const MjcfCompiler& compiler);

/// `pos` and orientation.
Eigen::Isometry3d read_pose(const MjcfAttributes& attributes, const MjcfCompiler& compiler);

Eigen::Isometry3d make_pose(const Eigen::Vector3d& position, const Eigen::Quaterniond& rotation);

/// Whether a range holds, by its flag, the range itself and `autolimits`.
bool is_limited(const MjcfAttributes& attributes, const char* flag, const char* range,
                const MjcfCompiler& compiler);

}  // namespace stiction
