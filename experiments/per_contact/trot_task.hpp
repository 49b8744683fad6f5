#pragma once

/// \file
/// ANYmal trots forward for ever and is pushed now and then.

#include <array>
#include <optional>

#include "experiments/per_contact/tasks.hpp"
#include "stiction/control/motions.hpp"

namespace stiction::experiments {

inline constexpr double trot_speed = 1.5;      ///< [m/s]
inline constexpr double control_time = 0.002;  ///< from one set of torques to the next [s]
/// Pushes of the torso: mean time between them, how long each lasts [s], and the deviation of each
/// component of the force [N].
inline constexpr double push_time = 1.0;
inline constexpr double push_duration = 0.1;
inline constexpr double push_force = 15.0;
/// It has fallen when the base is lower [m] or tilted further [rad], and is put back on its feet.
inline constexpr double fallen_height = 0.3;
inline constexpr double fallen_tilt = 0.7;
/// A foot slips when it slides faster than this [m/s] and presses harder than that [N]; the same
/// slip goes on for so long [s].
inline constexpr double slip_speed = 0.05;
inline constexpr double slip_force = 10.0;
inline constexpr double slip_memory = 0.05;

struct TrotFacts {
  int slips = 0;
  int falls = 0;
  int unsolved = 0;  ///< control steps whose quadratic program was infeasible
  int pushes = 0;
  double largest_torque = 0.0;  ///< [N·m]
  double base_wrench = 0.0;     ///< largest that the dynamics of the base left [N, N·m]
  double lowest = 1e9;          ///< base [m]
  double largest_tilt = 0.0;    ///< [rad]
};

/// Where and how ANYmal begins to trot.
TrotOptions anymal_trot(double seconds);

class TrotTask final : public Task {
 public:
  TrotTask(double time_step, std::uint64_t seed, std::shared_ptr<TorqueScript> script);
  void look(const StepReport& report) override;
  [[nodiscard]] const TrotFacts& facts() const { return facts_; }
  using Task::state;

 protected:
  void start() override;
  [[nodiscard]] bool is_over() const override { return fallen_; }
  void drive() override;

 private:
  void compute_torques();
  void push();
  void count_slips(const StepReport& report);

  std::shared_ptr<TorqueScript> script_;
  std::size_t place_ = 0;  ///< in the script
  std::optional<TrotController> controller_;
  long long count_ = 0;
  long long start_count_ = 0;
  long long push_until_ = 0;
  int control_steps_ = 1;
  ExternalForce push_;
  bool fallen_ = false;
  std::array<double, 4> slipped_at_{-1.0, -1.0, -1.0, -1.0};
  TrotFacts facts_;
};

}  // namespace stiction::experiments
