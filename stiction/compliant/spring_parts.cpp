// Steps that are cut where contacts begin and end.

#include <algorithm>

#include "stiction/compliant/spring_island.hpp"

namespace stiction {

namespace {

/// Beyond these the rest of the step is integrated as a whole.
constexpr int most_parts = 32;

}  // namespace

/// Adds a part to the sums and leads contacts to its end. `left`: from its begin to the end of the
/// step.
void SpringIsland::finish_part(double part, double left, std::span<AveragedSpring> springs) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    AveragedSpring& entry = springs[i];
    SpringPart& state = parts_[i];
    const Place end = place_after(part, i);
    const bool switches = overdue(i, end) > 0.0;
    state.turned |= overdue_friction(entry, state, end) > 0.0;
    state.impulse = multiply_add(part, entry.average, state.impulse);
    state.double_impulse =
        multiply_add(0.5 * part * part, entry.double_average,
                     multiply_add(part * (left - part), entry.average, state.double_impulse));
    state.way += end.way;
    state.slips |= entry.slips;
    Spring& next = entry.spring;
    const double stretch = state.begin.stretch.z + end.way.z;
    if (state.free) {
      next.stretch = {};
    } else if (!entry.slides || entry.begins) {
      next.stretch = multiply_add(-part, next.anchor_velocity, next.stretch) + end.way;
    }
    next.stretch.z = stretch;
    next.velocity = end.velocity;
    // What stops to pull above the ground is apart.
    if (switches) state.free = !state.free || (state.begin.stretch.z <= 0.0 && stretch > 0.0);
    next.apart = state.free && stretch > 0.0;
  }
}

void SpringIsland::begin_part(std::span<AveragedSpring> springs) const {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    springs[i].free = parts_[i].free;
    springs[i].waits = !parts_[i].turned;
  }
}

/// Averages over the whole step, and anchors as if they had moved evenly.
void SpringIsland::join_parts(double time_step, std::span<AveragedSpring> springs) const {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    AveragedSpring& entry = springs[i];
    const SpringPart& state = parts_[i];
    entry.average = (1.0 / time_step) * state.impulse;
    entry.double_average = (2.0 / (time_step * time_step)) * state.double_impulse;
    entry.slips = state.slips;
    entry.spring.anchor_velocity = (1.0 / time_step) * state.way;
    entry.spring.anchor_velocity.z = 0.0;
  }
}

EngineStatus SpringIsland::integrate_parts(double time_step, std::span<AveragedSpring> springs) {
  parts_.resize(springs.size());
  places_.resize(springs.size());
  present_.resize(springs.size());
  for (std::vector<Moment>& moments : moments_) moments.resize(springs.size());
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Spring& spring = springs[i].spring;
    const SpringConstants& constants = spring.constants;
    const double pull =
        spring.stretch.z + constants.damping.z / constants.stiffness.z * spring.velocity.z;
    SpringPart& state = parts_[i];
    state.impulse = state.double_impulse = state.way = {};
    state.free = spring.apart || pull > 0.0;
    state.slips = state.turned = false;
  }
  double left = time_step;
  for (int count = 1;; ++count) {
    rubbings_.clear();
    ++part_count_;
    share_left_ = left / time_step;
    begin_part(springs);
    for (std::size_t i = 0; i < springs.size(); ++i) parts_[i].begin = springs[i].spring;
    double part = left;
    if (count == most_parts) {
      for (AveragedSpring& entry : springs) entry.waits = false;
    }
    const EngineStatus status =
        count < most_parts ? find_event(left, springs, part) : integrate_part(left, true, springs);
    if (status != EngineStatus::solved) return status;
    const bool last = !(part < left);
    if (last && count == 1) {
      for (AveragedSpring& entry : springs) entry.spring.apart &= entry.free;
      return status;
    }
    was_cut_ = true;
    finish_part(part, left, springs);
    left -= part;
    if (last) break;
    for (AveragedSpring& entry : springs) {
      load_spring(options_.rules, entry.friction, entry.spring);
    }
  }
  join_parts(time_step, springs);
  return EngineStatus::solved;
}

}  // namespace stiction
