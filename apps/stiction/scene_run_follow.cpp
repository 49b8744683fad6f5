#include "apps/stiction/scene_run_follow.hpp"

namespace stiction {

bool can_be_held(const Joint& joint) { return !joint.kinematic && velocity_size(joint.kind) == 1; }

bool follows_position(const Actuator& actuator) {
  const bool direct = actuator.dynamics == ActuatorDynamics::none ||
                      actuator.dynamics == ActuatorDynamics::filter ||
                      actuator.dynamics == ActuatorDynamics::filter_exact;
  if (!direct || !actuator.enabled || actuator.muscle_gain || actuator.muscle_bias) return false;
  return (actuator.joint >= 0 || actuator.tendon >= 0) && actuator.gain[0] > 0.0 &&
         actuator.gain[1] == 0.0 && actuator.gain[2] == 0.0 && actuator.bias[0] == 0.0 &&
         actuator.bias[1] == -actuator.gain[0];
}

}  // namespace stiction
