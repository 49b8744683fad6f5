#pragma once

/// \file
/// What the robot does in the race of steps: targets, torques and resets, the same code for every
/// engine.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/step_engine.hpp"
#include "stiction/core/random.hpp"
#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction::bench {

/// A case of the race.
struct StepCase {
  std::string name;
  double stiffness = 0.0;        ///< of the PD [N·m/rad]
  double damping = 0.0;          ///< [N·m·s/rad]
  double deviation = 0.0;        ///< of the targets about the standing posture [rad]
  int target_steps = 20;         ///< new targets after so many
  int reset_steps = 0;           ///< 0: never
  bool thrown = false;           ///< from 1 m at 1 m/s in a random direction, else put on its feet
  double required_mujoco = 0.0;  ///< how many times faster than the fastest setting we must be
  double required_others = 0.0;  ///< than Bullet and ODE; 0: not asked for
  double goal = 0.0;             ///< [s]
};

/// stand, drop, rand, mild.
const std::vector<StepCase>& step_cases();

/// Drives one engine through one case, for ever.
class StepDriver {
 public:
  StepDriver(StepEngine& engine, const StepCase& rules, const StepRobot& robot);

  void run(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) step();
  }
  void step();

 private:
  void start();
  void choose_targets();

  StepEngine& engine_;
  const StepCase& rules_;
  Eigen::VectorXd stand_;
  Random random_;
  std::int64_t count_ = 0;  ///< since the last reset
  LegState legs_;
  LegTorques targets_{}, torques_{};
};

/// Measures positions, the same way for all engines.
class StepObserver {
 public:
  explicit StepObserver(const StepRobot& robot);
  void look(StepEngine& engine);

  [[nodiscard]] double base_height() const { return state_.q[2]; }
  /// How deep the lowest point of feet and torso is in the floor [m]; < 0: above it.
  [[nodiscard]] double penetration() const;
  /// Centres of the feet [m].
  [[nodiscard]] std::array<Eigen::Vector3d, 4> feet() const;

 private:
  Model model_;
  DynamicsData<double> data_;
  FullState state_;
};

}  // namespace stiction::bench
