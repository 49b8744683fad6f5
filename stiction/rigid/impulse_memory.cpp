#include "stiction/rigid/impulse_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction {

namespace {

/// Running means below this are nothing [N·s]: they must not become subnormal.
constexpr double least_mean = 1e-30;

/// Calls `visit(key, place of the impulse, numbers, axes)` for each piece of memory, in ascending
/// order of the keys. `axes` are those of a contact or of a roll, else null.
template <class Visit>
void visit_impulses(const ContactSet& set, const Visit& visit) {
  std::size_t place = 0;
  for (const Candidate& contact : set.contacts) {
    visit(contact.key, place, 3, &contact.contact.axes);
    place += 3;
  }
  for (const Constraint& constraint : set.constraints) {
    visit(constraint.key, place, std::min(constraint.rows, 3),
          constraint.kind == BlockKind::roll ? &constraint.contact.axes : nullptr);
    if (constraint.rows > 3) visit(constraint.key + 1, place + 3, constraint.rows - 3, nullptr);
    place += 6;
  }
}

/// The running mean, where an impulse was recalled.
Vector3<double> mean_to_keep(const Vector3<double>& last, const RecalledImpulses& recalled,
                             std::size_t place, std::size_t numbers) {
  const double* before = recalled.impulses.data() + place;
  if (std::all_of(before, before + numbers, [](double x) { return x == 0.0; })) return last;
  const double now[3] = {last.x, last.y, last.z};
  double result[3] = {};
  for (std::size_t k = 0; k < numbers; ++k) {
    const double mean = fma(recalled.fraction, now[k] - before[k], before[k]);
    result[k] = std::abs(mean) < least_mean ? 0.0 : mean;
  }
  return {result[0], result[1], result[2]};
}

/// What the next step begins with: the last impulse, or where one was recalled, the running mean.
[[gnu::always_inline]] inline Vector3<double> impulse_to_keep(const StepSolution& solution,
                                                              const RecalledImpulses& recalled,
                                                              std::size_t place, int count) {
  const double* now = solution.impulses.data() + place;
  const Vector3<double> last{now[0], count > 1 ? now[1] : 0.0, count > 2 ? now[2] : 0.0};
  if (!(recalled.fraction < 1.0)) return last;
  return mean_to_keep(last, recalled, place, static_cast<std::size_t>(count));
}

}  // namespace

void recall_impulses(const ContactSet& set, const State& state, double fraction,
                     RecalledImpulses& recalled, std::vector<double>& impulses) {
  impulses.assign(set.row_space(), 0.0);
  recalled.is_new.assign(set.contacts.size(), 1);
  auto old = state.memory.begin();
  visit_impulses(set,
                 [&](std::uint64_t key, std::size_t place, int count, const Matrix3<double>* axes) {
                   while (old != state.memory.end() && old->key < key) ++old;
                   double* impulse = impulses.data() + place;
                   if (old == state.memory.end() || old->key != key) return;
                   if (axes == nullptr) {
                     std::copy_n(old->impulse.begin(), count, impulse);
                     return;
                   }
                   if (count == 3) recalled.is_new[place / 3] = 0;
                   const Vector3<double> local =
                       transpose_times(*axes, {old->impulse[0], old->impulse[1], old->impulse[2]});
                   impulse[0] = local.x;
                   impulse[1] = local.y;
                   if (count == 3) impulse[2] = local.z;
                 });
  recalled.fraction = fraction;
  if (fraction < 1.0) recalled.impulses = impulses;
}

void remember_impulses(const ContactSet& set, const BlockVelocities& velocities,
                       const StepSolution& solution, const RecalledImpulses& recalled,
                       State& state) {
  state.memory.clear();
  const auto closes = [&](std::size_t contact) {
    return velocities.contacts[contact].free.z < solution.normal_target[contact];
  };
  visit_impulses(
      set, [&](std::uint64_t key, std::size_t place, int count, const Matrix3<double>* axes) {
        const Vector3<double> impulse = impulse_to_keep(solution, recalled, place, count);
        const bool bears = impulse.x != 0.0 || impulse.y != 0.0 || impulse.z != 0.0;
        // One that would close but need not bear anything is remembered as well: it is not new.
        const bool is_contact = axes != nullptr && count == 3;
        if (!bears && (!is_contact || !closes(place / 3))) return;
        ImpulseMemory& entry = state.memory.emplace_back();
        entry.key = key;
        const Vector3<double> kept = axes == nullptr ? impulse : *axes * impulse;
        entry.impulse = {kept.x, kept.y, kept.z};
      });
}

}  // namespace stiction
