#include "stiction/sim/lane_touch.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

namespace {

/// Robots that touch alike share lanes if there are at least so many.
constexpr int least_alike = 2;

/// Columns of a contact problem have whole lanes of four.
constexpr std::size_t rounded_up(std::size_t rows) { return (rows + 3) / 4 * 4; }

bool touch_alike(const StepRun& a, const StepRun& b) {
  const std::vector<Candidate>& first = a.w.contacts.contacts;
  const std::vector<Candidate>& second = b.w.contacts.contacts;
  const auto same_bodies = [](const Candidate& x, const Candidate& y) {
    return x.contact.body_a == y.contact.body_a && x.contact.body_b == y.contact.body_b;
  };
  return std::ranges::equal(first, second, same_bodies) &&
         std::ranges::equal(a.w.islands.view(0).trees, b.w.islands.view(0).trees);
}

bool can_share(const StepRun& run) {
  return run.w.islands.count() == 1 && needs_delassus_alone(island_input(run, false), 0);
}

std::size_t first_of(const PerLane<bool>& chosen) {
  return static_cast<std::size_t>(std::ranges::find(chosen, true) - chosen.begin());
}

}  // namespace

LaneTouch::LaneTouch(const Model& structure)
    : structure_(structure), kernel_(structure, 1), change_(index(structure.velocity_count())) {}

PerLane<bool> LaneTouch::alike(const LaneRuns& runs, const PerLane<bool>& candidates) {
  PerLane<bool> able{};
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    able[slot] = candidates[slot] && can_share(runs[slot]);
  }
  for (std::size_t leader = 0; leader < lane_width; ++leader) {
    if (!able[leader]) continue;
    PerLane<bool> chosen{};
    for (std::size_t slot = leader; slot < lane_width; ++slot) {
      chosen[slot] = able[slot] && (slot == leader || touch_alike(runs[leader], runs[slot]));
    }
    if (std::ranges::count(chosen, true) >= least_alike) return chosen;
  }
  return {};
}

/// Lanes without a robot of these repeat the contacts of the leader.
void LaneTouch::take_contacts(const LaneRuns& runs, std::size_t leader,
                              const PerLane<bool>& alike) {
  const std::vector<Candidate>& first = runs[leader].w.contacts.contacts;
  contacts_.resize(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    ContactPoint<Lane>& contact = contacts_[i];
    contact.body_a = first[i].contact.body_a;
    contact.body_b = first[i].contact.body_b;
    const auto source = [&](std::size_t slot) -> const ContactPoint<double>& {
      return runs[alike[slot] ? slot : leader].w.contacts.contacts[i].contact;
    };
    gather_records<3>(for_lanes([&](std::size_t slot) { return numbers(source(slot).point); }),
                      numbers(contact.point));
    gather_records<9>(for_lanes([&](std::size_t slot) { return numbers(source(slot).axes); }),
                      numbers(contact.axes));
  }
}

/// G of all lanes, written as IslandAssembler writes it: on the diagonal one triangle over the
/// other.
void LaneTouch::fill_matrix(std::size_t count) {
  const std::size_t rows = 3 * count;
  const std::size_t stride = rounded_up(rows);
  matrix_.resize(std::max(matrix_.size(), stride * rows));
  for (std::size_t column = 0; column < rows; ++column) {
    for (std::size_t row = rows; row < stride; ++row) matrix_[column * stride + row] = Lane(0.0);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Matrix3<Lane> block = kernel_.block(static_cast<int>(i), static_cast<int>(j));
      const auto write = [&](std::size_t k, const Vector3<Lane>& values) {
        Lane* below = matrix_.data() + (3 * j + k) * stride + 3 * i;
        below[0] = values.x;
        below[1] = values.y;
        below[2] = values.z;
        Lane* above = matrix_.data() + 3 * i * stride + 3 * j + k;
        above[0] = values.x;
        above[stride] = values.y;
        above[2 * stride] = values.z;
      };
      write(0, block.c0);
      write(1, block.c1);
      write(2, block.c2);
    }
  }
}

void LaneTouch::hand_out_matrix(const LaneRuns& runs, const PerLane<bool>& alike,
                                std::size_t rows) {
  const std::size_t numbers = rounded_up(rows) * rows;
  unused_.resize(std::max(unused_.size(), numbers));
  const PerLane<double*> targets = for_lanes([&](std::size_t slot) {
    return alike[slot] ? runs[slot].w.workers[0].problem.edit_delassus().data() : unused_.data();
  });
  scatter_numbers({matrix_.data(), numbers}, targets);
}

void LaneTouch::solve(const LaneRuns& runs, const PerLane<bool>& alike,
                      const DynamicsData<Lane>& dynamics) {
  const std::size_t leader = first_of(alike);
  take_contacts(runs, leader, alike);
  const int count = static_cast<int>(contacts_.size());
  kernel_.reserve(count);
  kernel_.begin(count);
  for (int i = 0; i < count; ++i) {
    kernel_.set_point(structure_, dynamics, i, contacts_[index(i)]);
  }
  fill_matrix(contacts_.size());
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    if (alike[slot]) begin_assembly(island_input(runs[slot], false), 0, runs[slot].w.workers[0]);
  }
  hand_out_matrix(runs, alike, 3 * contacts_.size());
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    if (!alike[slot]) continue;
    Workspace::Parts& w = runs[slot].w;
    const IslandInput input = island_input(runs[slot], false);
    start_solution(w.contacts, w.islands, w.targets, w.solution);
    end_assembly(input, 0, w.solution.impulses, w.workers[0]);
    solve_island(input, 0, w.workers[0], w.solution);
    certify_island(input, 0, w.workers[0], w.solution);
  }
  move(runs, alike, contacts_.size(), dynamics);
}

/// As move_island().
void LaneTouch::move(const LaneRuns& runs, const PerLane<bool>& alike, std::size_t count,
                     const DynamicsData<Lane>& dynamics) {
  PerLane<bool> acts{};
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    Workspace::Parts& w = runs[slot].w;
    acts[slot] =
        alike[slot] && marks_trees_moved(island_input(runs[slot], false), 0, w.solution, w.motion);
  }
  if (std::ranges::count(acts, true) == 0) return;
  impulses_.resize(3 * count);
  still_.resize(std::max(still_.size(), impulses_.size()), 0.0);
  gather_numbers(for_lanes([&](std::size_t slot) -> const double* {
                   return acts[slot] ? runs[slot].w.workers[0].impulses.data() : still_.data();
                 }),
                 impulses_);
  const std::span<const int> trees = runs[first_of(acts)].w.islands.view(0).trees;
  const SceneLayout& layout = runs[0].w.layout;
  const auto root_of = [&](int tree) { return layout.trees[index(tree)].root; };
  for (const int tree : trees) kernel_.clear_impulses(structure_, root_of(tree));
  for (std::size_t i = 0; i < count; ++i) {
    const Lane* own = impulses_.data() + 3 * i;
    kernel_.add_impulse(structure_, static_cast<int>(i), {own[0], own[1], own[2]});
  }
  for (const int tree : trees)
    kernel_.velocity_change(structure_, dynamics, root_of(tree), change_);
  for (const int tree : trees) {
    const Tree& bodies = layout.trees[index(tree)];
    const std::size_t first = index(bodies.velocity_first);
    const std::size_t size = index(bodies.velocity_end) - first;
    unused_.resize(std::max(unused_.size(), size));
    scatter_numbers(
        std::span<const Lane>(change_).subspan(first, size), for_lanes([&](std::size_t slot) {
          return acts[slot] ? runs[slot].w.motion.next_velocity.data() + first : unused_.data();
        }));
  }
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    if (acts[slot]) move_by_change(island_input(runs[slot], false), 0, runs[slot].w.motion);
  }
}

}  // namespace stiction
