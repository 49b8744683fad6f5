#pragma once

/// \file
/// What sensors of contacts tell of a step.

#include <span>

#include "stiction/collision/geometry.hpp"
#include "stiction/model/sensor_data.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

/// Where contacts count: a volume, and where it is.
struct ZoneAt {
  ShapeGeometry geometry;
  Placement placement;
};

/// Normal impulses of all contacts of a body [N·s]; with a zone, of those whose point lies in it,
/// or that lie before it, seen along the outward normal of the body, as in MJCF.
[[nodiscard]] double touch_impulse(const StepReport& report, int body, const ZoneAt* zone);

/// Fills the slots of a contact sensor, the rest with zeros. Contacts that neither touch nor press
/// are not seen; with a zone, nor are those outside of it.
void tell_contacts(const StepReport& report, double time_step, const ContactQuery& query,
                   const ZoneAt* zone, std::span<double> values);

}  // namespace stiction
