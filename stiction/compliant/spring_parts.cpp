// Steps that are cut where contacts begin and end.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/compliant/spring_island.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Beyond these the rest of the step is integrated as a whole.
constexpr int most_parts = 32;
/// Swings up to this share of a mean force do not make a contact pull.
constexpr double quiet_swing = 0.7;
/// An event is found to this force of its spring [N], or to this share of the step.
constexpr double event_force = 1e-4;
constexpr double event_share = 1e-9;
constexpr int most_trials = 40;

/// Stretch that a spring would have without its damper [m]; above zero it pulls.
double pull(const Spring& spring, double stretch, double velocity) {
  return stretch + spring.constants.damping.z / spring.constants.stiffness.z * velocity;
}

}  // namespace

/// Where a contact is and how it moves at the end of a part.
SpringIsland::Place SpringIsland::place_after(double part, std::size_t contact,
                                              std::span<const AveragedSpring> springs) const {
  const Spring& begin = parts_[contact].begin;
  const Vector3<double> speed = acceleration_of(contact, springs, &AveragedSpring::average);
  const Vector3<double> bend = acceleration_of(contact, springs, &AveragedSpring::double_average);
  return {part * multiply_add(0.5 * part, bend, begin.velocity),
          multiply_add(part, speed, begin.velocity)};
}

/// How far a contact is beyond an event at the end of a part, as a stretch of its spring; above
/// zero: it has begun to pull, touch or press.
double SpringIsland::overdue(std::size_t contact, const Place& end) const {
  const Spring& begin = parts_[contact].begin;
  const double stretch = begin.stretch.z + end.way.z;
  if (parts_[contact].free && begin.stretch.z > 0.0) return -stretch;
  const double pulls = pull(begin, stretch, end.velocity.z);
  return parts_[contact].free ? -pulls : pulls;
}

/// The same for the events of friction: a contact that sticks begins to slide, or one that slides
/// comes to rest. Each contact has one of them in a step.
double SpringIsland::overdue_friction(const AveragedSpring& entry, const SpringPart& state,
                                      const Place& end) {
  const Spring& begin = state.begin;
  if (!entry.waits || state.free) return -HUGE_VAL;
  const Vector3<double>& K = begin.constants.stiffness;
  const Vector3<double>& B = begin.constants.damping;
  if (entry.slides) {
    const double back = entry.direction.x * end.velocity.x + entry.direction.y * end.velocity.y;
    return B.x / K.x * back;
  }
  if (begin.slips) return -HUGE_VAL;
  const double x = K.x * (begin.stretch.x + end.way.x) + B.x * end.velocity.x;
  const double y = K.y * (begin.stretch.y + end.way.y) + B.y * end.velocity.y;
  const double bound =
      -entry.friction * K.z * pull(begin, begin.stretch.z + end.way.z, end.velocity.z);
  return (std::hypot(x, y) - bound) / K.z;
}

/// Averages over a part from where the last one ended, and how far it goes beyond an event.
EngineStatus SpringIsland::try_part(double part, std::span<AveragedSpring> springs,
                                    double& overdue) {
  for (std::size_t i = 0; i < springs.size(); ++i) springs[i].spring = parts_[i].begin;
  const EngineStatus status = integrate_part(part, false, springs);
  overdue = -HUGE_VAL;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Place end = place_after(part, i, springs);
    overdue =
        std::max({overdue, this->overdue(i, end), overdue_friction(springs[i], parts_[i], end)});
  }
  return status;
}

/// How long a part may be that no contact pulls in and presses again unseen [s]: a quarter of a
/// swing where one presses that is far from its balance.
double SpringIsland::longest_part(std::span<const AveragedSpring> springs) const {
  double longest = HUGE_VAL;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    if (parts_[i].free) continue;
    const Spring& begin = parts_[i].begin;
    const double stiffness = begin.constants.stiffness.z;
    const Eigen::Index row = static_cast<Eigen::Index>(3 * i + 2);
    const double frequency = std::sqrt(stiffness * matrix_[row * (stride_ + 1)]);
    const double force = -stiffness * pull(begin, begin.stretch.z, begin.velocity.z);
    const double mean = springs[i].average.z;
    const double swing =
        std::abs(force - mean) + stiffness * std::abs(begin.velocity.z) / frequency;
    if (swing > quiet_swing * mean) longest = std::min(longest, 0.5 * std::numbers::pi / frequency);
  }
  return longest;
}

/// Averages up to the first event, which ends the part, or over all that is left. `part`: its
/// duration.
EngineStatus SpringIsland::find_event(double left, std::span<AveragedSpring> springs,
                                      double& part) {
  part = left;
  double late = 0.0;
  if (const EngineStatus status = try_part(left, springs, late); status != EngineStatus::solved) {
    return status;
  }
  if (const double longest = longest_part(springs); longest < left) {
    part = longest;
    const EngineStatus status = try_part(part, springs, late);
    if (status != EngineStatus::solved) return status;
  }
  if (!(late > 0.0)) {
    // Contacts that pull on the way, and press at the end.
    const bool pulls = std::ranges::any_of(springs, [](const AveragedSpring& entry) {
      return !entry.free && !(entry.average.z > 0.0);
    });
    if (!pulls) return EngineStatus::solved;
    for (std::size_t i = 0; i < springs.size(); ++i) springs[i].spring = parts_[i].begin;
    return integrate_part(part, true, springs);
  }
  // False position between a time without event and one beyond it (Illinois).
  double early_time = 0.0;
  double early = -HUGE_VAL;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Place now{{}, parts_[i].begin.velocity};
    early = std::max({early, overdue(i, now), overdue_friction(springs[i], parts_[i], now)});
  }
  early = std::min(early, 0.0);
  double stiffest = 0.0;
  for (const AveragedSpring& entry : springs) {
    stiffest = std::max(stiffest, entry.spring.constants.stiffness.z);
  }
  int side = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    if (stiffest * late <= event_force || part - early_time <= event_share * left) break;
    const double share = std::clamp(early / (early - late), 0.0, 1.0);
    const double middle = early_time + std::clamp(share, 1e-3, 0.999) * (part - early_time);
    double there = 0.0;
    const EngineStatus status = try_part(middle, springs, there);
    if (status != EngineStatus::solved) return status;
    if (there > 0.0) {
      part = middle;
      late = there;
      if (side > 0) early *= 0.5;
      side = 1;
    } else {
      early_time = middle;
      early = there;
      if (side < 0) late *= 0.5;
      side = -1;
    }
  }
  double unused = 0.0;
  return try_part(part, springs, unused);
}

/// Adds a part to the sums and leads contacts to its end. `left`: from its begin to the end of the
/// step.
void SpringIsland::finish_part(double part, double left, std::span<AveragedSpring> springs) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    AveragedSpring& entry = springs[i];
    SpringPart& state = parts_[i];
    const Place end = place_after(part, i, springs);
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
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Spring& spring = springs[i].spring;
    const bool pulls = pull(spring, spring.stretch.z, spring.velocity.z) > 0.0;
    parts_[i] = {.free = spring.apart || pulls};
  }
  double left = time_step;
  for (int count = 1;; ++count) {
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
