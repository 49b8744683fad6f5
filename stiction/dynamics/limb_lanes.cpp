#include "stiction/dynamics/limb_lanes.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

namespace {

/// Whether two limbs, given by their first bodies, take the same road through the kernels.
bool same_form(const std::vector<BodyConstants>& constants, int a, int b) {
  const int size = constants[index(a)].subtree_end - a;
  if (constants[index(b)].subtree_end - b != size) return false;
  for (int k = 0; k < size; ++k) {
    const BodyConstants& x = constants[index(a + k)];
    const BodyConstants& y = constants[index(b + k)];
    if (x.joint != y.joint || x.axis_kind != y.axis_kind || x.rotated != y.rotated) return false;
    if (k > 0 && x.parent - a != y.parent - b) return false;
  }
  return true;
}

/// Constants of the bodies `bodies[slot]`, whose limbs begin with `first`.
RowConstants row_constants(const std::vector<BodyConstants>& constants,
                           const std::array<int, lane_width>& bodies, int first) {
  const BodyConstants& form = constants[index(bodies[0])];
  RowConstants row;
  row.parent = bodies[0] == first ? -1 : form.parent - first;
  row.joint = form.joint;
  row.axis_kind = form.axis_kind;
  row.rotated = form.rotated;
  row.velocity_count = form.velocity_count;
  row.handover = form.handover;
  row.gathers = form.gathers;
  row.coincident =
      std::ranges::all_of(bodies, [&](int body) { return constants[index(body)].coincident; });
  row.subtree_end = form.subtree_end - first;
  const auto read = [&](const auto BodyConstants::*member, auto& lanes) {
    gather_whole(
        bodies, [&](std::size_t i) -> const auto& { return constants[i].*member; }, lanes);
  };
  row.axis_sign =
      make_lane([&](std::size_t slot) { return constants[index(bodies[slot])].axis_sign; });
  read(&BodyConstants::joint_rotation, row.joint_rotation);
  read(&BodyConstants::joint_translation, row.joint_translation);
  read(&BodyConstants::axis, row.axis);
  read(&BodyConstants::plane_x, row.plane_x);
  read(&BodyConstants::plane_y, row.plane_y);
  return row;
}

/// Appends the group of the limbs that begin with `firsts`, 2 to lane_width bodies.
void add_group(const Model& model, const std::vector<int>& firsts, LimbLanes& limbs) {
  const std::vector<BodyConstants>& constants = model.constants();
  const BodyConstants& first = constants[index(firsts[0])];
  LimbGroup group;
  group.parent = first.parent;
  group.first_row = static_cast<int>(limbs.rows.size());
  group.first_arrival = static_cast<int>(limbs.arrivals.size());
  for (std::size_t slot = 0; slot < firsts.size(); ++slot) {
    limbs.arrival_of_body[index(firsts[slot])] = group.first_arrival + static_cast<int>(slot);
  }
  limbs.arrivals.resize(limbs.arrivals.size() + lane_width);
  for (int k = 0; k < first.subtree_end - firsts[0]; ++k) {
    LimbRow row;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      row.bodies[slot] = firsts[slot < firsts.size() ? slot : 0] + k;
      row.positions[slot] = constants[index(row.bodies[slot])].position_index;
      row.velocities[slot] = constants[index(row.bodies[slot])].velocity_index;
    }
    row.constants = row_constants(constants, row.bodies, firsts[0]);
    row.first_dof = static_cast<int>(limbs.dofs.size());
    limbs.dofs.resize(limbs.dofs.size() + index(row.constants.velocity_count));
    limbs.rows.push_back(row);
  }
  group.end_row = static_cast<int>(limbs.rows.size());
  limbs.groups.push_back(group);
}

/// Groups the limbs of body `parent`; marks their bodies in `taken`.
void group_limbs(const Model& model, int parent, std::vector<bool>& taken, LimbLanes& limbs) {
  const std::vector<BodyConstants>& constants = model.constants();
  const int end = constants[index(parent)].subtree_end;
  for (int child = parent + 1; child < end; child = constants[index(child)].subtree_end) {
    if (taken[index(child)]) continue;
    std::vector<int> firsts{child};
    for (int other = constants[index(child)].subtree_end; other < end && firsts.size() < lane_width;
         other = constants[index(other)].subtree_end) {
      if (!taken[index(other)] && same_form(constants, child, other)) firsts.push_back(other);
    }
    if (firsts.size() < 2) continue;
    add_group(model, firsts, limbs);
    for (const int first : firsts) {
      std::fill(taken.begin() + first, taken.begin() + constants[index(first)].subtree_end, true);
    }
  }
}

}  // namespace

LimbLanes::LimbLanes(const Model& model, LimbUse use)
    : arrival_of_body(index(model.body_count()), -1) {
  std::vector<bool> taken(arrival_of_body.size(), false);
  for (int body = 0; body < model.body_count(); ++body) {
    alone_before.push_back(static_cast<int>(alone.size()));
    groups_before.push_back(static_cast<int>(groups.size()));
    if (!taken[index(body)]) {
      alone.push_back(body);
      if (use == LimbUse::in_lanes) group_limbs(model, body, taken, *this);
    }
    if (!taken[index(body)] || arrival_of_body[index(body)] >= 0) inwards.push_back(body);
  }
  alone_before.push_back(static_cast<int>(alone.size()));
  groups_before.push_back(static_cast<int>(groups.size()));
  parked.resize(rows.size());
  external.resize(rows.size());
}

}  // namespace stiction
