#pragma once

/// \file
/// What MJCF lacks and a file may say in its custom section, under names that begin with
/// `stiction:`. Private to stiction/io.

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

/// A value that stands there for one geom, and where.
template <class Value>
struct MjcfCustomValue {
  Value value{};
  Source source;
};

/// Names are those of the file, without prefix.
struct MjcfCustom {
  struct Bounce {
    double restitution = 0.0;
    double threshold = 0.0;  ///< [m/s]
  };
  /// Of viscoelastic contact; 0: that of the options.
  struct Softness {
    double stiffness = 0.0;  ///< [N/m]
    double damping = 0.0;    ///< [N·s/m]
  };
  struct Pair {
    std::string first;  ///< the name of a material
    std::string second;
    double friction = 1.0;
    Bounce bounce;
    Source source;
  };

  Bounce everywhere;                                            ///< `stiction:restitution`
  std::map<std::string, MjcfCustomValue<Bounce>> bounces;       ///< `stiction:restitution:GEOM`
  Softness softness;                                            ///< `stiction:stiffness`
  std::map<std::string, MjcfCustomValue<Softness>> soft_geoms;  ///< `stiction:stiffness:GEOM`
  std::map<std::string, MjcfCustomValue<Eigen::Vector3d>> surface_velocities;  ///< `...:GEOM`
  std::map<std::string, MjcfCustomValue<bool>> triangles;         ///< `stiction:triangles:GEOM`
  std::map<std::string, MjcfCustomValue<std::string>> materials;  ///< `stiction:material:GEOM`
  /// `stiction:velocity:BODY`, of mocap bodies: linear, angular [m/s, rad/s, world]
  std::map<std::string, MjcfCustomValue<std::vector<double>>> velocities;
  std::vector<Pair> pairs;  ///< `stiction:pair:A:B`
};

/// Other numbers and texts are listed, not used.
MjcfCustom read_custom(const MjcfDocument& document, MjcfReport& report);

}  // namespace stiction
