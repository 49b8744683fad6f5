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

#include "stiction/dynamics/transmission.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction {

/// What Forces::evaluate() writes on the way.
struct ForcesScratch {
  std::vector<MomentTerm> moment;
  std::vector<double> of_actuators;  ///< one per velocity
};

class Forces {
 public:
  explicit Forces(const Model& model);

  /// Takes in what acts in this step, at the state's positions and velocities, where `data` and
  /// `tendons` are.
  void collect(const Model& model, const StepInput& input, const State& state,
               const DynamicsData<double>& data, const TendonSet& tendons, double h);

  /// Whether v⁺ drives some force out of its range, or a held one back into it; such drives are
  /// held at the bound from now on, or let go again. After some calls in a step none is let go any
  /// more.
  [[nodiscard]] bool saturate(std::span<const double> v_next) {
    return has_drives() && hold_at_bounds(v_next);
  }

  /// Whether actuators, servos or tendons act on velocities: their ranges hold for v⁺ of the
  /// start's dynamics.
  [[nodiscard]] bool has_drives() const {
    return !drives_.empty() || has_moment_gains_ || !shared_.empty();
  }

  /// Whether some actuator pulls contacts together.
  [[nodiscard]] bool adhere() const { return adhere_; }

  /// Right-hand side and diagonal for v̇ = (M + diagonal)⁻¹(tau − bias).
  [[nodiscard]] std::span<const double> tau() const { return tau_; }
  [[nodiscard]] std::span<const double> diagonal() const {
    return implicit_ ? std::span<const double>(diagonal_) : std::span<const double>();
  }

  /// Forces at any (q, v), nothing implicit, with activations at a stage of rk4. `data` and
  /// `tendons` are there.
  void evaluate(const Model& model, const DynamicsData<double>& data, const TendonSet& tendons,
                std::span<const double> q, std::span<const double> v, int stage,
                ForcesScratch& scratch, std::span<double> tau) const;

  /// Activations at the end of the step. With `by_stages` as rk4 finds them.
  void advance_activation(const Model& model, bool by_stages, Eigen::VectorXd& activation) const;

  /// What actuators and servos gave at v⁺, one per velocity. Where they carry weight, the part that
  /// forces on bodies contain belongs to it or not.
  void actuator_forces(std::span<const double> v_next, std::span<double> result,
                       bool with_carried_weight = true) const;
  /// What one actuator gave at v⁺, before its gear and the range of effort of its joint.
  [[nodiscard]] double actuator_force(int actuator, std::span<const double> v_next) const;

 private:
  /// A bound that a force may meet.
  struct Bounded {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    bool held = false;  ///< at `bound`
    double bound = 0.0;
  };

  /// Spring and damper on one velocity: constant − kp(q + h v⁺) − kd v⁺ within [lower, upper].
  struct Drive : Bounded {
    int velocity = 0;
    int position = -1;  ///< entry of q; -1: kp is zero
    double q = 0.0;
    double constant = 0.0;
    double kp = 0.0;
    double kd = 0.0;
    int varying = -1;  ///< the actuator, if its law changes within the step
  };

  /// The same along the moment of an actuator or a tendon. Its implicit part is a full matrix
  /// m mᵀ; a diagonal that is at least as large takes its place, so that stiff gains are stable and
  /// rest where they should.
  struct MomentDrive : Bounded {
    int first = 0;  ///< entries of moments_
    int end = 0;
    double length = 0.0;
    double constant = 0.0;
    double kp = 0.0;
    double kd = 0.0;
    int actuator = -1;  ///< -1: a spring or damper of a tendon
    int tendon = -1;
  };

  /// The sum of all actuators on one velocity has a range of its own.
  struct SharedEffort : Bounded {
    int velocity = 0;
    bool carries_weight = false;
    double carried = 0.0;  ///< what carries weight; the forces on bodies contain it already
  };

  /// Where the force of an actuator is found again.
  struct ActuatorOutput {
    int drive = -1;         ///< into drives_
    int moment_drive = -1;  ///< into moment_drives_; if both are -1, there is no force
    double gear = 1.0;      ///< of the drive
    double lower = -std::numeric_limits<double>::infinity();  ///< before the gear
    double upper = std::numeric_limits<double>::infinity();
  };

  void share_efforts(const Model& model);
  [[nodiscard]] double input_of(const Actuator& actuator, std::size_t slot,
                                const State& state) const;
  void add_joint_actuator(const Model& model, std::size_t slot, double input, const State& state);
  void add_moment_actuator(const Model& model, std::size_t slot, double input, const State& state,
                           const DynamicsData<double>& data, const TendonSet& tendons);
  void add_tendon_springs(const Model& model, const TendonSet& tendons);
  void add_servo(const Model& model, const JointServo& servo, const State& state);
  [[nodiscard]] bool hold_at_bounds(std::span<const double> v_next);
  void assemble();
  /// Of drives and actuators, without shared bounds.
  void sum_actuators(std::span<const double> v_next, std::span<double> result) const;
  [[nodiscard]] double force_of(const Drive& drive, double v_next) const;
  [[nodiscard]] double force_of(const MomentDrive& drive, std::span<const double> v_next) const;
  [[nodiscard]] std::span<const MomentTerm> moment_of(const MomentDrive& drive) const {
    return std::span(moments_).subspan(static_cast<std::size_t>(drive.first),
                                       static_cast<std::size_t>(drive.end - drive.first));
  }

  double h_ = 0.0;
  int saturations_ = 0;       ///< calls of saturate() in this step
  bool adhere_ = false;       ///< some actuator adheres
  bool has_passive_ = false;  ///< some joint has a spring or damper, in this step's Model
  bool implicit_ = false;
  bool has_moment_gains_ = false;  ///< some force along a moment depends on the motion
  std::vector<Drive> drives_;
  std::vector<MomentDrive> moment_drives_;
  std::vector<MomentTerm> moments_;
  std::vector<SharedEffort> shared_;      ///< the same in all steps, but for what is held
  std::vector<char> is_shared_;           ///< one per velocity
  std::vector<ActuatorOutput> outputs_;   ///< one per actuator
  std::vector<double> controls_;          ///< one per actuator, within their ranges
  std::vector<double> activations_;       ///< at the start, one per actuator with dynamics
  std::vector<double> passive_;           ///< right-hand side of springs and dampers
  std::vector<double> passive_diagonal_;  ///< their h·damping + h²·stiffness
  std::vector<double> fixed_;             ///< joint forces of the input
  std::vector<double> v_;
  std::vector<double> tau_;
  std::vector<double> diagonal_;
  std::vector<double> actuator_tau_;       ///< where efforts are shared
  std::vector<double> actuator_diagonal_;  ///< the same
};

}  // namespace stiction
