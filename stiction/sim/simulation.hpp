#pragma once

/// \file
/// Model, state, options and workspace in one object: the shortest way to a running simulation.

#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {

/// Counts over the steps of a Simulation.
struct RunCounts {
  long long steps = 0;
  long long not_certified = 0;  ///< steps with an island that was not certified
  long long energy_grew = 0;    ///< steps in which energy grew beyond all bounds
  double energy_gain = 0.0;     ///< that came in without input, all steps [J]
  long long gaining_steps = 0;  ///< steps in which some came in
  long long refused = 0;        ///< steps that were refused or diverged; time stood still
  double worst_residual = 0.0;
  double deepest_overlap = 0.0;  ///< [m]
};

class Simulation {
 public:
  /// Starts at the initial state. Throws std::invalid_argument if the options are impossible.
  explicit Simulation(Model model, StepOptions options = {});

  [[nodiscard]] const Model& model() const { return model_; }
  /// To change its numbers (Model::set_…): the next step obeys them.
  [[nodiscard]] Model& model() { return model_; }
  [[nodiscard]] double time_step() const;  ///< [s]
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] State& state() { return state_; }
  void set_state(const State& state) { state_ = state; }
  /// Throws std::invalid_argument if there is no keyframe of that name.
  void reset_to_keyframe(std::string_view name);
  [[nodiscard]] StepOptions& options() { return options_; }

  /// One per actuator; kept from step to step. Zero at first.
  [[nodiscard]] Eigen::VectorXd& control() { return control_; }
  /// One per velocity; kept from step to step. Zero at first.
  [[nodiscard]] Eigen::VectorXd& joint_forces() { return joint_forces_; }
  /// Kept from step to step.
  [[nodiscard]] std::vector<JointServo>& servos() { return servos_; }
  /// For the next step only.
  void push(const ExternalForce& force) { forces_.push_back(force); }
  /// Takes back what was pushed since the last step.
  void clear_pushes() { forces_.clear(); }

  /// All of these, as the next step gets them; valid until one of them changes its size.
  [[nodiscard]] StepInput input() const;

  /// One step.
  const StepReport& step();
  /// As many steps as fit into a time [s], rounded; the report is that of the last one. Ends early
  /// if a step is refused.
  const StepReport& run(double seconds);

  /// What the next step would do at its start, without moving the state (see stiction::evaluate).
  const StepReport& evaluate();

  [[nodiscard]] const StepReport& report() const { return report_; }
  /// Torques and forces of actuators and servos in the last step, one per velocity [N·m or N].
  [[nodiscard]] Eigen::VectorXd actuator_forces() const;
  /// (v⁺ − v⁻)/h of the last step, or what evaluate() found, one per velocity.
  [[nodiscard]] Eigen::VectorXd accelerations() const;
  [[nodiscard]] const RunCounts& counts() const { return counts_; }
  [[nodiscard]] Workspace& workspace() { return workspace_; }

 private:
  Model model_;
  StepOptions options_;
  State state_;
  Workspace workspace_;
  StepReport report_;
  RunCounts counts_;
  Eigen::VectorXd control_;
  Eigen::VectorXd joint_forces_;
  std::vector<JointServo> servos_;
  std::vector<ExternalForce> forces_;
};

}  // namespace stiction
