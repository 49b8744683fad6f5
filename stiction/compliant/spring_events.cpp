// Where a part of a step ends: the first event of its contacts.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/compliant/spring_island.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Events at which no force jumps, those of contacts that press before and after, need not be found
/// as precisely as a touch-down: by this factor.
constexpr double smooth_event = 0.03;

/// Swings up to this share of a mean force do not make a contact pull.
constexpr double quiet_swing = 0.7;

/// Stretch that a spring would have without its damper [m]; above zero it pulls.
double pull(const Spring& spring, double stretch, double velocity) {
  return stretch + spring.constants.damping.z / spring.constants.stiffness.z * velocity;
}

}  // namespace

/// Where a contact is and how it moves at the end of a part.
SpringIsland::Place SpringIsland::place_after(double part, std::size_t contact) const {
  const Spring& begin = parts_[contact].begin;
  const double* mean = accelerations_.data() + 3 * contact;
  const double* twice = mean + accelerations_.size() / 2;
  const Vector3<double> speed{mean[0], mean[1], mean[2]};
  const Vector3<double> bend{twice[0], twice[1], twice[2]};
  return {part * multiply_add(0.5 * part, bend, begin.velocity),
          multiply_add(part, speed, begin.velocity)};
}

/// How far a contact is beyond an event at the end of a part, as a stretch of its spring; above
/// zero: it has begun to pull, touch or press.
double SpringIsland::overdue(std::size_t contact, const Place& end) const {
  const Spring& begin = parts_[contact].begin;
  const double stretch = begin.stretch.z + end.way.z;
  if (parts_[contact].free && begin.stretch.z > 0.0) return -stretch;
  const double pulls = smooth_event * pull(begin, stretch, end.velocity.z);
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
    return smooth_event * B.x / K.x * back;
  }
  if (begin.slips) return -HUGE_VAL;
  const double x = K.x * (begin.stretch.x + end.way.x) + B.x * end.velocity.x;
  const double y = K.y * (begin.stretch.y + end.way.y) + B.y * end.velocity.y;
  const double bound =
      -entry.friction * K.z * pull(begin, begin.stretch.z + end.way.z, end.velocity.z);
  return smooth_event * (length_of(x, y) - bound) / K.z;
}

/// Accelerations of all contacts under their forces at the places of a moment.
void SpringIsland::find_present_accelerations(std::span<const AveragedSpring> springs,
                                              std::span<const Place> places) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    present_[i] = springs[i].acceleration;
  }
  for (std::size_t j = 0; j < springs.size(); ++j) {
    if (parts_[j].free) continue;
    const Spring& begin = parts_[j].begin;
    const Vector3<double>& K = begin.constants.stiffness;
    const Vector3<double>& B = begin.constants.damping;
    const Vector3<double> stretch = begin.stretch + places[j].way;
    const Vector3<double>& velocity = places[j].velocity;
    Vector3<double> force{-K.x * stretch.x - B.x * velocity.x, -K.y * stretch.y - B.y * velocity.y,
                          -K.z * stretch.z - B.z * velocity.z};
    if (springs[j].slides) {
      const double size = springs[j].friction * std::max(force.z, 0.0);
      force.x = size * springs[j].direction.x;
      force.y = size * springs[j].direction.y;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const double* column = matrix_ + (3 * static_cast<Eigen::Index>(j) + axis) * stride_;
      const double size = axis == 0 ? force.x : axis == 1 ? force.y : force.z;
      for (std::size_t i = 0; i < springs.size(); ++i) {
        present_[i].x = fma(column[3 * i], size, present_[i].x);
        present_[i].y = fma(column[3 * i + 1], size, present_[i].y);
        present_[i].z = fma(column[3 * i + 2], size, present_[i].z);
      }
    }
  }
}

/// How fast overdue() grows.
double SpringIsland::overdue_rate(std::size_t contact, const Place& end) const {
  const Spring& begin = parts_[contact].begin;
  const double velocity = end.velocity.z;
  if (parts_[contact].free && begin.stretch.z > 0.0) return -velocity;
  const double pulls = smooth_event * pull(begin, velocity, present_[contact].z);
  return parts_[contact].free ? -pulls : pulls;
}

/// How fast overdue_friction() grows, where that is finite.
double SpringIsland::overdue_friction_rate(std::size_t contact, const AveragedSpring& entry,
                                           const Place& end) const {
  const Spring& begin = parts_[contact].begin;
  const Vector3<double>& K = begin.constants.stiffness;
  const Vector3<double>& B = begin.constants.damping;
  const Vector3<double>& a = present_[contact];
  if (entry.slides) {
    return smooth_event * B.x / K.x * (entry.direction.x * a.x + entry.direction.y * a.y);
  }
  const double x = K.x * (begin.stretch.x + end.way.x) + B.x * end.velocity.x;
  const double y = K.y * (begin.stretch.y + end.way.y) + B.y * end.velocity.y;
  const double size = length_of(x, y);
  const double rate_x = K.x * end.velocity.x + B.x * a.x;
  const double rate_y = K.y * end.velocity.y + B.y * a.y;
  const double rate = size > 0.0 ? (x * rate_x + y * rate_y) / size : length_of(rate_x, rate_y);
  return smooth_event * (rate / K.z + entry.friction * pull(begin, end.velocity.z, a.z));
}

/// How far all contacts are beyond their events at the places of a trial; the largest.
double SpringIsland::find_overdue(std::span<const AveragedSpring> springs) {
  double largest = -HUGE_VAL;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    Moment& moment = moments_[2][i];
    moment.normal = overdue(i, places_[i]);
    moment.friction = overdue_friction(springs[i], parts_[i], places_[i]);
    largest = std::max({largest, moment.normal, moment.friction});
  }
  return largest;
}

/// How fast that grows.
void SpringIsland::find_overdue_rates(std::span<const AveragedSpring> springs) {
  find_present_accelerations(springs, places_);
  for (std::size_t i = 0; i < springs.size(); ++i) {
    Moment& moment = moments_[2][i];
    moment.normal_rate = overdue_rate(i, places_[i]);
    if (!(moment.friction > -HUGE_VAL)) continue;
    moment.friction_rate = overdue_friction_rate(i, springs[i], places_[i]);
  }
}

/// Springs again as they are where the present part begins.
void SpringIsland::restart_part(std::span<AveragedSpring> springs) const {
  for (std::size_t i = 0; i < springs.size(); ++i) springs[i].spring = parts_[i].begin;
}

/// Averages over a part from where the last one ended, and how far it goes beyond an event. The
/// springs are at its begin.
EngineStatus SpringIsland::try_part(double part, std::span<AveragedSpring> springs,
                                    double& overdue) {
  const EngineStatus status = integrate_part(part, false, springs);
  if (status != EngineStatus::solved) return status;
  for (std::size_t i = 0; i < springs.size(); ++i) places_[i] = place_after(part, i);
  overdue = find_overdue(springs);
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
  double overdue = 0.0;
  if (const EngineStatus status = try_part(left, springs, overdue);
      status != EngineStatus::solved) {
    return status;
  }
  if (const double longest = longest_part(springs); longest < left) {
    part = longest;
    restart_part(springs);
    const EngineStatus status = try_part(part, springs, overdue);
    if (status != EngineStatus::solved) return status;
  }
  if (overdue > 0.0) return search_event(left, overdue, springs, part);
  // Contacts that pull on the way, and press at the end.
  const bool pulls = std::ranges::any_of(
      springs, [](const AveragedSpring& entry) { return !entry.free && !(entry.average.z > 0.0); });
  if (!pulls) return EngineStatus::solved;
  restart_part(springs);
  return integrate_part(part, true, springs);
}

}  // namespace stiction
