#pragma once

/// \file
/// Whole motions of legged robots, each by task-space inverse dynamics along references that it
/// makes itself: construct from a Model with a floating base and the state it starts in, then call
/// once per control step. They read nothing but the State, so any contact model can run them. The
/// floor is z = 0, and robots that walk or trot face along x.

#include <array>
#include <string>
#include <vector>

#include "stiction/control/inverse_dynamics.hpp"
#include "stiction/control/walking_plan.hpp"

namespace stiction {

/// Stands on its feet and moves the centre of mass up and down: z0 + amplitude · sin(rate · t).
struct SquatOptions {
  std::vector<ContactSpec> feet;
  std::string trunk;        ///< frame that stays level; empty: none
  double amplitude = 0.03;  ///< [m]; 0: stands
  double rate = 2.0;        ///< [rad/s]
  TaskGains center_of_mass{.kp = 20.0, .weight = 1.0};
  /// Small, because it pulls back to the start: 1e-3 takes a quarter of the amplitude of Solo12.
  TaskGains posture{.kp = 10.0, .weight = 1e-5};
  TaskGains trunk_orientation{.kp = 20.0, .weight = 0.1};
  TaskGains contact{.kp = 1.0, .kd = -1.0, .weight = 0.0};  ///< weight 0: hard
  double force_weight = 1e-6;
  InverseDynamicsOptions inverse_dynamics;
};

class SquatController {
 public:
  /// Throws std::invalid_argument if the model does not float, or an option makes no sense.
  SquatController(const Model& model, const State& start, const SquatOptions& options);
  const InverseDynamicsResult& compute(const State& state);
  [[nodiscard]] InverseDynamics& inverse_dynamics() { return control_; }
  [[nodiscard]] MotionPoint<Eigen::Vector3d> reference(double time) const;

 private:
  SquatOptions options_;
  InverseDynamics control_;
  Eigen::Vector3d start_;
  double start_time_;
};

/// Walks on two feet with rectangular soles along a plan.
struct WalkingOptions {
  std::array<ContactSpec, 2> feet;  ///< rectangles; 0 left, 1 right
  std::string trunk;                ///< frame that stays upright
  int step_count = 6;
  double step_length = 0.12;  ///< [m]
  int first_foot = 1;
  WalkingPlanOptions plan;
  TaskGains center_of_mass{.kp = 30.0, .weight = 1.0};
  TaskGains swing_foot{.kp = 300.0, .weight = 1.0};
  TaskGains trunk_orientation{.kp = 50.0, .weight = 0.1};
  TaskGains posture{.kp = 20.0, .weight = 1e-3};
  double force_weight = 1e-5;
  InverseDynamicsOptions inverse_dynamics;
};

class WalkingController {
 public:
  WalkingController(const Model& model, const State& start, const WalkingOptions& options);
  const InverseDynamicsResult& compute(const State& state);
  [[nodiscard]] const WalkingPlan& plan() const { return plan_; }
  [[nodiscard]] InverseDynamics& inverse_dynamics() { return control_; }

 private:
  static InverseDynamics make_control(const Model& model, const State& start,
                                      const WalkingOptions& options);
  WalkingPlan make_plan(const WalkingOptions& options) const;

  InverseDynamics control_;
  double start_time_;
  double swing_weight_;
  std::array<Eigen::Vector3d, 2> sole_offsets_;  ///< centre of the sole in the frame of the foot
  WalkingPlan plan_;
};

/// Trots on four ball feet: diagonal pairs swing by turns.
struct TrotOptions {
  /// Front left, front right, hind left, hind right; balls.
  std::array<ContactSpec, 4> feet;
  std::string trunk;            ///< frame that stays level
  double speed = 0.25;          ///< forward [m/s]
  double stand_time = 0.2;      ///< before the first step [s]
  double ramp_time = 0.5;       ///< from rest to speed, and back [s]
  double trot_time = 3.0;       ///< of stepping [s]; it stands afterwards
  double swing_time = 0.16;     ///< of one pair [s]
  double swing_height = 0.03;   ///< [m]
  double foothold_gain = 0.13;  ///< footholds shift by this times the error of velocity [s]
  double return_rate = 1.0;     ///< velocity per distance from the plan that footholds aim at [1/s]
  TaskGains center_of_mass{.kp = 60.0, .weight = 1.0};
  TaskGains trunk_orientation{.kp = 200.0, .weight = 0.3};
  TaskGains swing_foot{.kp = 1500.0, .weight = 1.0};
  TaskGains posture{.kp = 10.0, .weight = 1e-4};
  double force_weight = 1e-5;
  InverseDynamicsOptions inverse_dynamics;
};

class TrotController {
 public:
  TrotController(const Model& model, const State& start, const TrotOptions& options);
  const InverseDynamicsResult& compute(const State& state);
  [[nodiscard]] InverseDynamics& inverse_dynamics() { return control_; }
  /// How far forward the centre of mass should be [m], and its speed.
  [[nodiscard]] MotionPoint<double> forward(double time) const;

 private:
  [[nodiscard]] int phase_of(double time) const;  ///< -1 before and after stepping
  void begin_phase(int phase);
  void swing_feet(double time);

  TrotOptions options_;
  InverseDynamics control_;
  Eigen::Vector3d start_;
  double start_time_;
  int phase_count_ = 0;
  int phase_ = -1;
  std::array<Eigen::Vector3d, 4> offsets_;  ///< of the feet from the centre of mass at the start
  std::array<Eigen::Vector3d, 4> lifted_;   ///< where each foot last left the floor
  std::array<int, 4> tasks_{};
};

/// Crouches, pushes off, flies, lands and stands.
struct JumpOptions {
  std::vector<ContactSpec> feet;
  std::string trunk;              ///< frame that stays level while the feet push
  double stand_time = 0.2;        ///< [s]
  double crouch_depth = 0.06;     ///< [m]
  double crouch_time = 0.4;       ///< [s]
  double take_off_height = 0.04;  ///< of the centre of mass, above its start [m]
  double take_off_speed = 1.3;    ///< [m/s]
  double landing_time = 0.5;      ///< until it stands [s]
  TaskGains center_of_mass{.kp = 100.0, .weight = 1.0};
  TaskGains trunk_orientation{.kp = 100.0, .weight = 0.1};
  TaskGains posture{.kp = 50.0, .weight = 1e-4};
  TaskGains flight_posture{.kp = 400.0, .weight = 1.0};
  double force_weight = 1e-5;
  InverseDynamicsOptions inverse_dynamics;
};

class JumpController {
 public:
  enum class Phase { stand, crouch, push, flight, landing };
  JumpController(const Model& model, const State& start, const JumpOptions& options);
  const InverseDynamicsResult& compute(const State& state);
  [[nodiscard]] InverseDynamics& inverse_dynamics() { return control_; }
  [[nodiscard]] Phase phase() const { return phase_; }

 private:
  void choose_phase(double time);
  void begin_landing(double time);

  JumpOptions options_;
  InverseDynamics control_;
  Eigen::Vector3d start_;
  double start_time_;
  Phase phase_ = Phase::stand;
  double push_time_ = 0.0;      ///< how long it pushes [s]
  double landing_start_ = 0.0;  ///< [s]
  Quintic crouch_, push_;
  std::array<Quintic, 3> landing_;
};

}  // namespace stiction
