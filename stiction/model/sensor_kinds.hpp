#pragma once

/// \file
/// What is known of each kind of sensor, in one table.

#include <string_view>

#include "stiction/model/elements.hpp"

namespace stiction {

/// What a sensor looks at, and so which part of sim/sensors.cpp reads it.
enum class SensorSource {
  nothing,    ///< kept as data only
  joint,      ///< a joint or an actuator
  tendon,     ///< length or velocity of a tendon, or of what an actuator acts on
  frame,      ///< a frame at the state at hand
  last_step,  ///< accelerations and contacts of the last step
  forces,     ///< forces between bodies in the last step
  subtree,    ///< a body and all that hangs on it
  scene,      ///< the scene as a whole: needs no target
  limit,      ///< the limit of a joint
  contacts,   ///< contacts of the last step that a ContactQuery chooses: needs no target
};

struct SensorTraits {
  SensorKind kind = SensorKind::other;
  std::string_view name;
  /// Numbers that it gives: 1, 3, 4 (quat_xyzw), or 0 if they are not known, or depend on its
  /// ContactQuery.
  int size = 0;
  SensorSource source = SensorSource::nothing;
};

[[nodiscard]] const SensorTraits& traits_of(SensorKind kind);

}  // namespace stiction
