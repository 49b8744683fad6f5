// Contacts that slide: when they begin and stop, and friction that goes with their normal forces.

#include <algorithm>
#include <cmath>

#include "stiction/compliant/spring_island.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Friction of sliding contacts and normal forces agree this well, relative to them.
constexpr double rubbing_tolerance = 1e-3;

/// Tangential part of v along a tangent.
double along(const Vector3<double>& tangent, const Vector3<double>& v) {
  return tangent.x * v.x + tangent.y * v.y;
}

}  // namespace

/// Contacts whose average leaves the cone slide from here on: instead of springs along the tangents
/// they have friction, against the springs' direction. Each begins once. Whether there are any.
bool SpringIsland::begin_sliding(std::span<AveragedSpring> springs) const {
  bool any = false;
  for (const int contact : active_) {
    AveragedSpring& entry = springs[index(contact)];
    Vector3<double> force = entry.average;
    if (entry.slides || entry.begins || entry.waits || !(force.z > 0.0)) continue;
    const double size = length_of(force.x, force.y);
    if (!(size > 0.0) || !project_to_cone(entry.friction, force)) continue;
    entry.slides = entry.begins = any = true;
    entry.direction = {entry.average.x / size, entry.average.y / size, 0.0};
    entry.rubbing = {force.x, force.y, 0.0};
  }
  return any;
}

/// Contacts that friction would turn round within the step come to rest instead: springs again, at
/// anchors that stay. Whether there are any.
bool SpringIsland::stop_sliding(double time_step, std::span<AveragedSpring> springs) const {
  bool any = false;
  for (const int contact : active_) {
    AveragedSpring& entry = springs[index(contact)];
    if (!entry.slides || entry.begins || entry.waits) continue;
    const Vector3<double> change =
        acceleration_of(index(contact), springs, &AveragedSpring::average);
    const Vector3<double> end = multiply_add(time_step, change, entry.spring.velocity);
    const double before = -along(entry.direction, entry.spring.velocity);
    if (!(along(entry.direction, end) > rubbing_tolerance * before)) continue;
    entry.slides = false;
    entry.spring.anchor_velocity = {};
    any = true;
  }
  return any;
}

/// Another trial of the same part begins with the friction that the last one ended with.
void SpringIsland::recall_rubbing(std::span<AveragedSpring> springs) {
  if (rubbings_.size() != springs.size()) return;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    if (springs[i].slides && rubbings_[i] > 0.0) {
      springs[i].rubbing = rubbings_[i] * springs[i].direction;
    }
  }
}

void SpringIsland::keep_rubbing(std::span<const AveragedSpring> springs) {
  rubbings_.resize(springs.size());
  for (std::size_t i = 0; i < springs.size(); ++i) {
    rubbings_[i] = springs[i].slides ? along(springs[i].direction, springs[i].rubbing) : 0.0;
  }
}

/// Takes over the friction that the normal forces give; whether it differs from what was assumed.
/// Then, if `gives_up`, the contacts are springs again: friction and normal force drive each other
/// up, as in Painlevé's paradox. As long as the same contacts slide, both errors depend on each
/// other almost linearly: the step is that of a secant (Anderson's acceleration).
bool SpringIsland::repeat_rubbing(std::span<AveragedSpring> springs, bool gives_up) {
  bool differs = false;
  bool same = true;
  double change = 0.0;
  double overlap = 0.0;
  for (AveragedSpring& entry : springs) {
    if (entry.slides != entry.slid) same = false;
    entry.slid = entry.slides;
    if (!entry.slides) continue;
    const double friction = along(entry.direction, entry.average);
    const double error = friction - along(entry.direction, entry.rubbing);
    differs |=
        error * error > rubbing_tolerance * rubbing_tolerance * dot(entry.average, entry.average);
    change += (error - entry.rubbing_error) * (error - entry.rubbing_error);
    overlap += error * (error - entry.rubbing_error);
  }
  if (!differs) return false;
  const double back = same && change > 0.0 ? overlap / change : 0.0;
  for (AveragedSpring& entry : springs) {
    if (!entry.slides) continue;
    const double friction = along(entry.direction, entry.average);
    const double error = friction - along(entry.direction, entry.rubbing);
    const double next = friction - back * (friction - entry.rubbing_before);
    entry.rubbing_before = friction;
    entry.rubbing_error = error;
    entry.rubbing = std::max(next, 0.0) * entry.direction;
    if (gives_up &&
        error * error > rubbing_tolerance * rubbing_tolerance * dot(entry.average, entry.average)) {
      entry.slides = false;
    }
  }
  return true;
}

/// Anchors of sliding contacts move as far as their points.
void SpringIsland::carry_anchors(double time_step, std::span<AveragedSpring> springs) const {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    AveragedSpring& entry = springs[i];
    if (!entry.slides || entry.begins) continue;
    const double* change = accelerations_.data() + 3 * (springs.size() + i);
    entry.spring.anchor_velocity = multiply_add(
        0.5 * time_step, Vector3<double>{change[0], change[1], change[2]}, entry.spring.velocity);
    entry.spring.anchor_velocity.z = 0.0;
    // Its spring goes on with the force that it has had.
    entry.spring.stretch.x = -entry.average.x / entry.spring.constants.stiffness.x;
    entry.spring.stretch.y = -entry.average.y / entry.spring.constants.stiffness.y;
  }
}

}  // namespace stiction
