// The search for the moment at which the first contact of a part reaches an event.

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/compliant/spring_island.hpp"

namespace stiction {

namespace {

/// An event is found to this force of its spring [N], or to this share of the step. A ball that
/// touches down is found 1e-9 m deep then: its damper loses an impulse of B times that.
constexpr double event_force = 1e-4;
constexpr double event_share = 1e-9;
/// The share where contacts slide: their friction is not known any better.
constexpr double sliding_event_share = 1e-5;
constexpr int most_trials = 40;
/// Trials go beyond the crossing after this many that have not halved the interval, and to its
/// middle after the other number.
constexpr int few_slow_trials = 2;
constexpr int most_slow_trials = 5;
/// Trials keep this distance from the ends of the interval, as a share of it.
constexpr double least_share = 1e-6;

/// Where in (0, 1) the cubic with these values and slopes at both ends reaches `level`. At 0 it is
/// below, at 1 above.
double cubic_crossing(double first, double first_slope, double last, double last_slope,
                      double level) {
  const double rise = last - first;
  const double square = 3.0 * rise - 2.0 * first_slope - last_slope;
  const double cube = first_slope + last_slope - 2.0 * rise;
  double low = 0.0;
  double high = 1.0;
  double u = std::clamp((level - first) / rise, 0.0, 1.0);
  for (int i = 0; i < 20; ++i) {
    const double value = first - level + u * (first_slope + u * (square + u * cube));
    (value > 0.0 ? high : low) = u;
    const double slope = first_slope + u * (2.0 * square + u * 3.0 * cube);
    const double next = u - value / slope;
    const double before = u;
    // Not a number where the slope is zero.
    u = next > low && next < high ? next : 0.5 * (low + high);
    if (std::abs(u - before) < 1e-5) break;  // the next change would be its square
  }
  return u;
}

/// Time at which a growing function has `level`, by the cubic of its inverse through two points.
/// Not a number, or far away, where it does not grow.
double inverse_cubic(double t0, double v0, double rate0, double t1, double v1, double rate1,
                     double level) {
  if (!(rate0 > 0.0) || !(rate1 > 0.0)) return NAN;
  const double rise = v1 - v0;
  const double s = (level - v0) / rise;
  const double first = rise / rate0;
  const double last = rise / rate1;
  const double back = s - 1.0;
  return t0 + (t1 - t0) * s * s * (3.0 - 2.0 * s) + s * back * (first * back + last * s);
}

}  // namespace

/// When one kind of event of a contact reaches `level`, by cubics where rates are known and by
/// lines elsewhere [s].
double SpringIsland::crossing(const EventSearch& search, std::size_t contact, double Moment::*value,
                              double Moment::*rate, double level) const {
  const Moment& early = moments_[0][contact];
  const Moment& late = moments_[1][contact];
  const Moment& dropped = moments_[2][contact];
  const double below = std::min(early.*value, 0.0);
  const double width = search.late - search.early;
  if (!search.by_rates) {
    const double low = search.early_weight * below;
    return search.early + width * (level - low) / (search.late_weight * (late.*value) - low);
  }
  // The last two moments tell more than one far away on the other side.
  if (search.same_side) {
    const Moment& newest = search.newest_is_late ? late : early;
    const double time = inverse_cubic(search.dropped, dropped.*value, dropped.*rate,
                                      search.newest_is_late ? search.late : search.early,
                                      newest.*value, newest.*rate, level);
    if (time > search.early && time < search.late) return time;
  }
  return search.early + width * cubic_crossing(below, width * (early.*rate), late.*value,
                                               width * (late.*rate), level);
}

/// When the first contact reaches `level`, between the last early and the first late moment [s].
double SpringIsland::first_crossing(const EventSearch& search, double level) const {
  double first = search.late;
  for (std::size_t i = 0; i < moments_[1].size(); ++i) {
    const Moment& late = moments_[1][i];
    if (late.normal > level) {
      first = std::min(first, crossing(search, i, &Moment::normal, &Moment::normal_rate, level));
    }
    if (late.friction > level) {
      first =
          std::min(first, crossing(search, i, &Moment::friction, &Moment::friction_rate, level));
    }
  }
  return first;
}

/// Takes in a trial, whose moments are in moments_[2].
void SpringIsland::narrow_search(double time, bool is_late, EventSearch& search) {
  const double width = search.late - search.early;
  search.same_side = search.trials > 0 && search.newest_is_late == is_late;
  search.newest_is_late = is_late;
  // The end that stays a second time counts half (the rule of Illinois).
  if (search.same_side) {
    (is_late ? search.early_weight : search.late_weight) *= 0.5;
  } else {
    search.early_weight = search.late_weight = 1.0;
  }
  search.dropped = std::exchange(is_late ? search.late : search.early, time);
  moments_[is_late ? 1 : 0].swap(moments_[2]);
  const bool slow = search.late - search.early > 0.5 * width;
  search.slow_trials = slow ? search.slow_trials % most_slow_trials + 1 : 0;
  ++search.trials;
}

/// When to try next [s].
double SpringIsland::next_trial(const EventSearch& search, double level) const {
  const double width = search.late - search.early;
  double time = first_crossing(search, level);
  // Twice as far closes the interval, where trials come from one side.
  if (search.slow_trials >= few_slow_trials) {
    time += time - (search.newest_is_late ? search.late : search.early);
  }
  if (search.slow_trials == most_slow_trials) time = search.early + 0.5 * width;
  return std::clamp(time, search.early + least_share * width, search.late - least_share * width);
}

/// The moments of a part's begin and of the end that has been tried. What the part begins with
/// without friction of its own has rates; friction of sliding contacts changes with each trial.
void SpringIsland::begin_search(std::span<const AveragedSpring> springs, EventSearch& search) {
  search.by_rates = std::ranges::none_of(springs, &AveragedSpring::slides);
  if (search.by_rates) find_overdue_rates(springs);
  moments_[1].swap(moments_[2]);
  for (std::size_t i = 0; i < springs.size(); ++i) places_[i] = {{}, parts_[i].begin.velocity};
  static_cast<void>(find_overdue(springs));
  if (search.by_rates) find_overdue_rates(springs);
  moments_[0].swap(moments_[2]);
}

/// The first event in a part that has been tried and goes beyond it by `overdue`.
EngineStatus SpringIsland::search_event(double left, double overdue,
                                        std::span<AveragedSpring> springs, double& part) {
  double stiffest = 0.0;
  for (const AveragedSpring& entry : springs) {
    stiffest = std::max(stiffest, entry.spring.constants.stiffness.z);
  }
  EventSearch search{.late = part};
  begin_search(springs, search);
  const double tolerance = event_force / stiffest;
  const double narrow = (search.by_rates ? event_share : sliding_event_share) * left;
  while (search.trials < most_trials && overdue > tolerance &&
         search.late - search.early > narrow) {
    const double time = next_trial(search, 0.5 * tolerance);
    double beyond = 0.0;
    restart_part(springs);
    const EngineStatus status = try_part(time, springs, beyond);
    if (status != EngineStatus::solved) return status;
    if (search.by_rates) find_overdue_rates(springs);
    narrow_search(time, beyond > 0.0, search);
    if (search.newest_is_late) overdue = beyond;
  }
  part = search.late;
  // The springs have what belongs to the last trial.
  if (search.newest_is_late) return EngineStatus::solved;
  restart_part(springs);
  return try_part(part, springs, overdue);
}

}  // namespace stiction
