#pragma once

/// \file
/// One quadruped on a floor, as each engine steps it: the same file, torques and resets for all.

#include <Eigen/Core>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction::bench {

inline constexpr std::size_t leg_joint_count = 12;

/// Angles and rates of the legs, LF RF LH RH, each hip roll, hip pitch and knee.
struct LegState {
  std::array<double, leg_joint_count> angle{};  ///< [rad]
  std::array<double, leg_joint_count> rate{};   ///< [rad/s]
};
using LegTorques = std::array<double, leg_joint_count>;

/// Everything that moves, in the order and the axes of the Model.
struct FullState {
  Eigen::VectorXd q;
  Eigen::VectorXd v;
};

/// The robot, read once for all engines.
struct StepRobot {
  Model model;
  std::string file;          ///< models/anymal_lumped.xml
  Eigen::VectorXd stand;     ///< q of the keyframe, feet on the floor
  double time_step = 0.001;  ///< h [s]
};
StepRobot load_step_robot();

/// An engine with one robot in it.
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  /// In the standing posture, upright, the base here and as fast [m, m/s]; nothing remembered.
  virtual void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) = 0;
  virtual void read_legs(LegState& legs) = 0;
  /// Largest entry of v of base and legs, without sign [m/s or rad/s].
  virtual double fastest() = 0;
  /// One step under these torques.
  virtual void step(const LegTorques& torques) = 0;

  /// For looking at, not timed.
  virtual void read_state(FullState& state) = 0;
  /// Contact points that the last step was given.
  [[nodiscard]] virtual int contacts() const = 0;
};

/// An engine with its settings.
struct StepEntry {
  std::string engine;   ///< such as `MuJoCo`
  std::string setting;  ///< such as `Newton, pyramidal, dense`
  std::unique_ptr<StepEngine> (*make)(const StepRobot& robot, int setting);
  int index = 0;  ///< of the setting, for `make`
  /// Whether it may win against the others of its engine: settings that stop before their own
  /// tolerance are shown beside.
  bool ranked = true;

  [[nodiscard]] std::string name() const { return engine + ", " + setting; }
};

/// \name Settings of each engine; empty if this build is without it
/// @{
std::vector<StepEntry> stiction_entries();
std::vector<StepEntry> mujoco_entries();
std::vector<StepEntry> bullet_entries();
std::vector<StepEntry> ode_entries();
/// @}

}  // namespace stiction::bench
