#pragma once

/// \file
/// Gains of springs and dampers that hold a robot, from its masses and lengths.

#include <vector>

#include "stiction/model/model.hpp"

namespace stiction {

struct JointGains {
  double stiffness = 0.0;  ///< kp [N·m/rad or N/m]
  double damping = 0.0;    ///< kd [N·m·s/rad or N·s/m]
};

/// One per velocity, for joints with one velocity. The spring carries the weight of the whole tree
/// at the end of the limb that the joint moves when bent by a quarter of a radian, or, where the
/// joint slides, by a centimetre; with the limb's own inertia it is critically damped.
[[nodiscard]] std::vector<JointGains> natural_gains(const Model& model, const State& pose);

}  // namespace stiction
