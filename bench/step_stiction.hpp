#pragma once

/// \file
/// Stiction's own engine in the race of steps, with its reports.

#include "bench/step_engine.hpp"
#include "stiction/sim/step.hpp"

namespace stiction::bench {

class StictionEngine : public StepEngine {
 public:
  explicit StictionEngine(const StepRobot& robot);

  void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override;
  void read_legs(LegState& legs) override;
  double fastest() override;
  void step(const LegTorques& torques) override;
  void read_state(FullState& state) override;
  [[nodiscard]] int contacts() const override;

  [[nodiscard]] StepOptions& options() { return options_; }
  [[nodiscard]] const StepReport& report() const { return report_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  Model model_;
  Eigen::VectorXd stand_;
  StepOptions options_;
  State state_;
  Workspace workspace_;
  StepReport report_;
  std::vector<double> forces_;  ///< one per velocity, those of the base zero
};

}  // namespace stiction::bench
