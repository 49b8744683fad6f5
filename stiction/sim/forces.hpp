#pragma once

/// \file
/// Joint forces of a step: actuators, servos, springs and dampers, with what is taken implicitly.
///
/// A drive's force at the end of the step is c − kp(q + h v⁺) − kd v⁺. With v⁺ = v + h v̇ this is
/// c − kp q − (kp h + kd) v on the right, and kd h + kp h² on the diagonal of M: stable for any
/// gains. A drive whose force would leave its range is held at the bound instead, and the step is
/// solved again.

#include <limits>
#include <span>
#include <vector>

#include "stiction/dynamics/tendons.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction {

class Forces {
 public:
  explicit Forces(const Model& model);

  /// Takes in what acts in this step, at the state's positions and velocities. `tendons` are those
  /// at the state's positions; they stay in use until the next call.
  void collect(const Model& model, const StepInput& input, const State& state,
               const TendonSet& tendons, double h);

  /// Whether v⁺ drives some force out of its range, or a held one back into it; such drives are
  /// held at the bound from now on, or let go again. After some calls in a step none is let go any
  /// more.
  [[nodiscard]] bool saturate(std::span<const double> v_next) {
    return has_drives() && hold_at_bounds(v_next);
  }

  /// Whether actuators, servos or tendons act on velocities: their ranges hold for v⁺ of the
  /// start's dynamics.
  [[nodiscard]] bool has_drives() const { return !drives_.empty() || !tendon_drives_.empty(); }

  /// Right-hand side and diagonal for v̇ = (M + diagonal)⁻¹(tau − bias).
  [[nodiscard]] std::span<const double> tau() const { return tau_; }
  [[nodiscard]] std::span<const double> diagonal() const {
    return implicit_ ? std::span<const double>(diagonal_) : std::span<const double>();
  }

  /// Forces at any (q, v), nothing implicit: for stages of explicit integrators. `tendons` are
  /// those at q.
  void evaluate(const Model& model, const TendonSet& tendons, std::span<const double> q,
                std::span<const double> v, std::span<double> tau) const;

  /// What actuators and servos gave at v⁺, one per velocity.
  void actuator_forces(std::span<const double> v_next, std::span<double> result) const;
  /// What one actuator gave at v⁺, before its gear.
  [[nodiscard]] double actuator_force(int actuator, std::span<const double> v_next) const;

 private:
  [[nodiscard]] bool hold_at_bounds(std::span<const double> v_next);
  /// Spring and damper on one velocity: constant − kp(q + h v⁺) − kd v⁺ within [lower, upper].
  struct Drive {
    int velocity = 0;
    int position = -1;  ///< entry of q; -1: kp is zero
    double q = 0.0;
    double constant = 0.0;
    double kp = 0.0;
    double kd = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    bool held = false;  ///< at `bound`
    double bound = 0.0;
  };

  /// The same along a tendon. Its implicit part is a full matrix c cᵀ; a diagonal that is at least
  /// as large takes its place, so that stiff tendons are stable and rest where they should.
  struct TendonDrive {
    int tendon = -1;
    double length = 0.0;
    double constant = 0.0;
    double kp = 0.0;
    double kd = 0.0;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    bool passive = false;  ///< a spring or damper, not an actuator
    bool held = false;     ///< at `bound`
    double bound = 0.0;
  };

  /// Where the force of an actuator is found again.
  struct ActuatorOutput {
    int drive = -1;         ///< into drives_
    int tendon_drive = -1;  ///< into tendon_drives_; if both are -1, `force` is all
    double gear = 1.0;      ///< of the drive
    double force = 0.0;     ///< before the gear
  };

  void add_actuator(const Model& model, const Actuator& actuator, double control,
                    const State& state, ActuatorOutput& output);
  void add_tendon_actuator(const Model& model, const Actuator& actuator, double control,
                           ActuatorOutput& output);
  void add_tendon_springs(const Model& model);
  void add_servo(const Model& model, const JointServo& servo, const State& state);
  void assemble();
  [[nodiscard]] double force_of(const Drive& drive, double v_next) const;
  [[nodiscard]] double force_of(const TendonDrive& drive, std::span<const double> v_next) const;

  double h_ = 0.0;
  int saturations_ = 0;       ///< calls of saturate() in this step
  bool has_passive_ = false;  ///< some joint has a spring or damper, in this step's Model
  bool implicit_ = false;
  std::vector<Drive> drives_;
  std::vector<TendonDrive> tendon_drives_;
  const TendonSet* tendons_ = nullptr;    ///< at the start of the step
  std::vector<ActuatorOutput> outputs_;   ///< one per actuator
  std::vector<double> passive_;           ///< right-hand side of springs and dampers
  std::vector<double> passive_diagonal_;  ///< their h·damping + h²·stiffness
  std::vector<double> fixed_;             ///< joint forces and drives of several velocities
  std::vector<double> v_;
  std::vector<double> tau_;
  std::vector<double> diagonal_;
};

}  // namespace stiction
