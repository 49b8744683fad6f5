#include "stiction/rigid/targets.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Least velocity along a gap by the gap rule alone.
double gap_target(const RigidSettings& settings, double gap) {
  const double h = settings.time_step;
  if (settings.gap_rule == GapRule::velocity) return 0.0;
  if (gap >= 0.0) return -gap / h;
  if (settings.push_out_sweeps > 0) return 0.0;
  return std::min({-settings.push_out_fraction * gap / h, settings.push_out_speed,
                   settings.velocity_push_speed});
}

/// Restitution of a contact that closes fast enough, whatever the rest of its island does.
double bounce_of(const RigidSettings& settings, const Candidate& contact,
                 const ContactVelocity& velocity) {
  const ContactMaterial& material = contact.material;
  if (material.restitution == 0.0) return 0.0;
  const bool closes = settings.gap_rule == GapRule::velocity
                          ? velocity.free.z < 0.0
                          : contact.gap + settings.time_step * velocity.free.z < 0.0;
  const double least = std::max(settings.bounce_speed, material.restitution_threshold);
  return closes && velocity.before.z < -least ? material.restitution : 0.0;
}

void set_constraint_target(const RigidSettings& settings, const Constraint& constraint,
                           std::array<double, 6>& target) {
  target = {};
  if (constraint.kind == BlockKind::limit) {
    target[0] = gap_target(settings, constraint.gap);
  } else if (constraint.kind == BlockKind::lock) {
    for (int k = 0; k < constraint.rows; ++k) {
      const double rate = -settings.lock_fraction * constraint.error[index(k)] / settings.time_step;
      target[index(k)] = std::clamp(rate, -settings.push_out_speed, settings.push_out_speed);
    }
  }
}

/// Whether every closing contact of the island bounces and nothing else acts in it.
bool has_impacts_only(const ContactSet& set, const BlockVelocities& velocities,
                      const BlockTargets& targets, std::span<const int> blocks) {
  bool any = false;
  for (const int block : blocks) {
    if (!set.is_contact(block)) return false;
    const std::size_t i = index(block);
    if (targets.restitution[i] > 0.0) {
      any = true;
    } else if (velocities.contacts[i].free.z < targets.normal[i]) {
      return false;
    }
  }
  return any;
}

/// Contacts that bounce leave with their share of the velocity at which they met. Islands that are
/// solved impact by impact find their targets there.
void add_bounces(const RigidSettings& settings, const ContactSet& set, const IslandSet& islands,
                 const BlockVelocities& velocities, BlockTargets& targets) {
  for (int island = 0; island < islands.count(); ++island) {
    const std::span<const int> blocks = islands.view(island).blocks;
    if (settings.impacts_in_time && has_impacts_only(set, velocities, targets, blocks)) {
      targets.by_impacts[index(island)] = 1;
      continue;
    }
    for (const int block : blocks) {
      if (!set.is_contact(block)) continue;
      const std::size_t i = index(block);
      if (targets.restitution[i] == 0.0) continue;
      targets.normal[i] =
          std::max(targets.normal[i], -targets.restitution[i] * velocities.contacts[i].before.z);
    }
  }
}

}  // namespace

void find_targets(const RigidSettings& settings, const ContactSet& set, const IslandSet& islands,
                  const BlockVelocities& velocities, bool has_restitution, BlockTargets& targets) {
  const std::size_t contacts = set.contacts.size();
  targets.normal.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    targets.normal[i] = gap_target(settings, set.contacts[i].gap);
  }
  targets.constraints.resize(set.constraints.size());
  for (std::size_t i = 0; i < set.constraints.size(); ++i) {
    set_constraint_target(settings, set.constraints[i], targets.constraints[i]);
  }
  targets.restitution.clear();
  targets.by_impacts.clear();
  if (!has_restitution) return;
  targets.restitution.resize(contacts);
  targets.by_impacts.resize(index(islands.count()));
  for (std::size_t i = 0; i < contacts; ++i) {
    targets.restitution[i] = bounce_of(settings, set.contacts[i], velocities.contacts[i]);
  }
  add_bounces(settings, set, islands, velocities, targets);
}

}  // namespace stiction
