#pragma once

/// \file
/// Where the spring of a contact is attached, for those who look at a step.

#include "stiction/spatial/linear.hpp"

namespace stiction {

/// The ends of the spring of a contact: its anchor on body a, and the point of body b that it
/// pulls. World axes.
struct SpringEnds {
  Vector3<double> a;  ///< [m]
  Vector3<double> b;  ///< [m]
  /// False for a contact that was near and is apart at the end: it has no anchor, and both ends are
  /// at its point.
  bool attached = true;

  /// Δp: the spring pushes body b against it [m].
  [[nodiscard]] Vector3<double> stretch() const { return b - a; }
};

}  // namespace stiction
