#pragma once

/// \file
/// Scenes in which nothing should move, and how far something does move in them, for any engine.

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace stiction::experiments {

/// A scene of models/scenes that is at rest after a while.
struct RestScene {
  std::string name;
  std::string file;
  std::string keyframe;        ///< empty: the initial state
  double settling_time = 0.0;  ///< [s]
};

inline std::vector<RestScene> rest_scenes() {
  return {{"box on a slope of 20°, µ 0.5", "slope_box.xml", "", 1.0},
          {"two fingers hold 1 kg", "gripper.xml", "hold", 20.0},
          {"standing quadruped", "quadruped_stand.xml", "stand", 60.0}};
}

/// What slope_box.xml's motor must exceed to move the box [N].
inline double slope_box_limit(double gravity = 9.81) {
  const double angle = 20.0 * std::acos(-1.0) / 180.0;
  constexpr double friction = 0.5;
  return gravity * (friction * std::cos(angle) - std::sin(angle)) /
         (std::cos(angle) + friction * std::sin(angle));
}

/// Where the bodies of a scene are.
using Poses = std::vector<Eigen::Isometry3d>;

/// The furthest that any of three points of a body has moved: its origin, and 0.1 m along x and y
/// [m].
inline double moved(const Poses& from, const Poses& to) {
  double furthest = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const Eigen::Vector3d& point :
         {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.1, 0, 0), Eigen::Vector3d(0, 0.1, 0)}) {
      furthest = std::max(furthest, (to[i] * point - from[i] * point).norm());
    }
  }
  return furthest;
}

/// One simulator with a scene loaded.
class RestEngine {
 public:
  virtual ~RestEngine() = default;
  virtual void set_control(int actuator, double value) = 0;
  virtual void run(long steps) = 0;
  virtual Poses poses() = 0;
  /// Steps so far that were not certified; 0 where an engine has no certificate.
  virtual long long not_certified() { return 0; }
};

/// A way to set up MuJoCo.
struct MujocoSetting {
  std::string name;
  bool elliptic = false;
  bool stiff = false;  ///< solref 2 h and solimp 0.99 to 0.9999 instead of 20 ms and 0.9 to 0.95
  double impratio = 1.0;
  int noslip = 0;  ///< iterations
};
std::vector<MujocoSetting> mujoco_settings();

/// Null without MuJoCo.
std::unique_ptr<RestEngine> mujoco_engine(const std::filesystem::path& folder,
                                          const RestScene& scene, const MujocoSetting& setting);

}  // namespace stiction::experiments
