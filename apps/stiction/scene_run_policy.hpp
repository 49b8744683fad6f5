#pragma once

/// \file
/// A learnt policy as control of a run.

#include <string>
#include <vector>

#include "stiction/control/policy.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {

/// Servos whose targets a policy moves.
class PolicyControl {
 public:
  /// `command` has three numbers, or none for zeros. Throws InputError.
  PolicyControl(const std::string& file, const std::vector<double>& command, const Model& model);

  /// Sets the targets if the time is a multiple of the policy's interval, or if the servos of the
  /// simulation are not its own; otherwise they stay.
  void apply(Simulation& simulation);
  /// Forward, left [m/s], turning [rad/s]; counts from the next answer on.
  void set_command(const Eigen::Vector3d& command) { policy_.command = command; }
  [[nodiscard]] const Eigen::Vector3d& command() const { return policy_.command; }
  [[nodiscard]] double interval() const { return policy_.control_interval(); }  ///< [s]
  /// 16 digits that tell policies apart.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  [[nodiscard]] bool has_own_servos(const std::vector<JointServo>& servos) const;

  Policy policy_;
  std::vector<JointServo> servos_;
  std::string fingerprint_;
};

}  // namespace stiction
