#include "stiction/sim/lane_touch.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

namespace {

/// Robots share lanes if there are at least so many.
constexpr int least_together = 2;

/// Columns of a contact problem have whole lanes of four.
constexpr std::size_t rounded_up(std::size_t rows) { return (rows + 3) / 4 * 4; }

/// Instructions for a robot with so many contacts alone, and for all lanes with so many slots
/// (decision 0052).
constexpr std::size_t cost_alone(std::size_t contacts) {
  return 700 + 755 * contacts + 82 * contacts * (contacts + 1);
}
constexpr std::size_t cost_together(std::size_t slots) {
  return 1600 + 1090 * slots + 112 * slots * (slots + 1);
}

const std::vector<Candidate>& contacts_of(const StepRun& run) { return run.w.contacts.contacts; }

/// Points of one pair of shapes come one after the other.
std::uint64_t pair_of(const Candidate& contact) { return contact.key >> 16; }

bool can_share(const StepRun& run) {
  return run.w.islands.count() == 1 && needs_delassus_alone(island_input(run, false), 0) &&
         std::ranges::is_sorted(contacts_of(run), {}, pair_of);
}

std::size_t first_of(const PerLane<bool>& chosen) {
  return static_cast<std::size_t>(std::ranges::find(chosen, true) - chosen.begin());
}

bool same_trees(const StepRun& a, const StepRun& b) {
  return std::ranges::equal(a.w.islands.view(0).trees, b.w.islands.view(0).trees);
}

}  // namespace

LaneTouch::LaneTouch(const Model& structure)
    : structure_(structure),
      kernel_(structure, static_cast<int>(IslandAssembler::most_entries)),
      change_(index(structure.velocity_count())),
      unused_(change_.size()) {
  constexpr std::size_t rows = 3 * IslandAssembler::most_entries;
  slots_.reserve(IslandAssembler::most_entries + 1);
  contacts_.reserve(IslandAssembler::most_entries);
  matrix_.resize(rounded_up(rows) * rows);
  impulses_.resize(rows);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    matrices_[slot].resize(matrix_.size());
    slot_impulses_[slot].resize(rows);
  }
}

PerLane<bool> LaneTouch::choose(const LaneRuns& runs, const PerLane<bool>& candidates) {
  PerLane<bool> chosen{};
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    chosen[lane] =
        candidates[lane] && can_share(runs[lane]) &&
        (first_of(chosen) == lane_width || same_trees(runs[first_of(chosen)], runs[lane]));
  }
  if (std::ranges::count(chosen, true) < least_together || !take_slots(runs, chosen)) return {};
  return chosen;
}

/// Finds slots for the contacts of all; false if each robot by itself is cheaper.
bool LaneTouch::take_slots(const LaneRuns& runs, const PerLane<bool>& chosen) {
  slots_.clear();
  std::size_t alone = 0;
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (!chosen[lane]) continue;
    alone += cost_alone(contacts_of(runs[lane]).size());
    std::size_t at = 0;
    for (const Candidate& contact : contacts_of(runs[lane])) {
      const std::uint64_t pair = pair_of(contact);
      while (at < slots_.size() && slots_[at] < pair) ++at;
      if (at == slots_.size()) {
        slots_.push_back(pair);
      } else if (slots_[at] != pair) {
        slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(at), pair);
      }
      if (slots_.size() > IslandAssembler::most_entries) return false;
      ++at;
    }
  }
  if (cost_together(slots_.size()) > alone) return false;
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (!chosen[lane]) continue;
    std::uint8_t at = 0;
    for (std::size_t i = 0; i < contacts_of(runs[lane]).size(); ++i) {
      while (slots_[at] != pair_of(contacts_of(runs[lane])[i])) ++at;
      places_[lane][i] = at++;
    }
  }
  return true;
}

/// Open slots have a point at the origin: numbers that are finite wherever the other robots are.
void LaneTouch::take_contacts(const LaneRuns& runs, const PerLane<bool>& chosen) {
  static const ContactPoint<double> nowhere;
  PerLane<std::array<const ContactPoint<double>*, IslandAssembler::most_entries>> sources;
  contacts_.resize(slots_.size());
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    sources[lane].fill(&nowhere);
    if (!chosen[lane]) continue;
    for (std::size_t i = 0; i < contacts_of(runs[lane]).size(); ++i) {
      const ContactPoint<double>& contact = contacts_of(runs[lane])[i].contact;
      sources[lane][places_[lane][i]] = &contact;
      contacts_[places_[lane][i]].body_a = contact.body_a;
      contacts_[places_[lane][i]].body_b = contact.body_b;
    }
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    gather_records<3>(
        for_lanes([&](std::size_t lane) { return numbers(sources[lane][slot]->point); }),
        numbers(contacts_[slot].point));
    gather_records<9>(
        for_lanes([&](std::size_t lane) { return numbers(sources[lane][slot]->axes); }),
        numbers(contacts_[slot].axes));
  }
}

/// G of all lanes, written as IslandAssembler writes it: on the diagonal one triangle over the
/// other.
void LaneTouch::fill_matrix() {
  const std::size_t rows = 3 * slots_.size();
  const std::size_t stride = rounded_up(rows);
  for (std::size_t column = 0; column < rows; ++column) {
    for (std::size_t row = rows; row < stride; ++row) matrix_[column * stride + row] = Lane(0.0);
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
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

/// To the contact problem of each robot: as a whole where it needs all slots.
void LaneTouch::hand_out_matrix(const LaneRuns& runs, const PerLane<bool>& chosen) {
  const std::size_t rows = 3 * slots_.size();
  const std::size_t stride = rounded_up(rows);
  const auto needs_all = [&](std::size_t lane) {
    return chosen[lane] && contacts_of(runs[lane]).size() == slots_.size();
  };
  const auto problem_of = [&](std::size_t lane) {
    return runs[lane].w.workers[0].problem.edit_delassus();
  };
  scatter_numbers({matrix_.data(), stride * rows}, for_lanes([&](std::size_t lane) {
                    return needs_all(lane) ? problem_of(lane).data() : matrices_[lane].data();
                  }));
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (!chosen[lane] || needs_all(lane)) continue;
    ContactProblem::DenseMap G = problem_of(lane);
    const std::size_t own_stride = static_cast<std::size_t>(G.outerStride());
    const std::size_t count = contacts_of(runs[lane]).size();
    for (std::size_t column = 0; column < 3 * count; ++column) {
      const double* from = matrices_[lane].data() +
                           (3 * std::size_t{places_[lane][column / 3]} + column % 3) * stride;
      double* to = G.data() + column * own_stride;
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(from + 3 * std::size_t{places_[lane][i]}, 3, to + 3 * i);
      }
    }
  }
}

void LaneTouch::solve(const LaneRuns& runs, const PerLane<bool>& chosen,
                      const DynamicsData<Lane>& dynamics) {
  take_contacts(runs, chosen);
  kernel_.begin(static_cast<int>(slots_.size()));
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    kernel_.set_point(structure_, dynamics, static_cast<int>(slot), contacts_[slot]);
  }
  fill_matrix();
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (chosen[lane]) begin_assembly(island_input(runs[lane], false), 0, runs[lane].w.workers[0]);
  }
  hand_out_matrix(runs, chosen);
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (!chosen[lane]) continue;
    Workspace::Parts& w = runs[lane].w;
    const IslandInput input = island_input(runs[lane], false);
    start_solution(w.contacts, w.islands, w.targets, w.solution);
    end_assembly(input, 0, w.solution.impulses, w.workers[0]);
    solve_island(input, 0, w.workers[0], w.solution);
    certify_island(input, 0, w.workers[0], w.solution);
  }
  move(runs, chosen, dynamics);
}

/// Open slots, and robots on which nothing acts, have impulses of zero.
void LaneTouch::gather_impulses(const LaneRuns& runs, const PerLane<bool>& acts) {
  const std::size_t rows = 3 * slots_.size();
  PerLane<const double*> sources;
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    const double* own = runs[lane].w.workers[0].impulses.data();
    const std::size_t count = contacts_of(runs[lane]).size();
    const bool needs_all = acts[lane] && count == slots_.size();
    double* in_slots = slot_impulses_[lane].data();
    sources[lane] = needs_all ? own : in_slots;
    if (needs_all) continue;
    std::fill_n(in_slots, rows, 0.0);
    for (std::size_t i = 0; acts[lane] && i < count; ++i) {
      std::copy_n(own + 3 * i, 3, in_slots + 3 * std::size_t{places_[lane][i]});
    }
  }
  gather_numbers(sources, std::span(impulses_).first(rows));
}

/// As move_island().
void LaneTouch::move(const LaneRuns& runs, const PerLane<bool>& chosen,
                     const DynamicsData<Lane>& dynamics) {
  PerLane<bool> acts{};
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    Workspace::Parts& w = runs[lane].w;
    acts[lane] =
        chosen[lane] && marks_trees_moved(island_input(runs[lane], false), 0, w.solution, w.motion);
  }
  if (first_of(acts) == lane_width) return;
  gather_impulses(runs, acts);
  const SceneLayout& layout = runs[0].w.layout;
  for (const int i : runs[first_of(acts)].w.islands.view(0).trees) {
    const Tree& tree = layout.trees[index(i)];
    kernel_.clear_impulses(structure_, tree.root);
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const Lane* own = impulses_.data() + 3 * slot;
    kernel_.add_impulse(static_cast<int>(slot), {own[0], own[1], own[2]});
  }
  for (const int i : runs[first_of(acts)].w.islands.view(0).trees) {
    const Tree& tree = layout.trees[index(i)];
    kernel_.velocity_change(structure_, dynamics, tree.root, change_);
    const std::size_t first = index(tree.velocity_first);
    scatter_numbers(std::span<const Lane>(change_).subspan(first, index(tree.velocity_end) - first),
                    for_lanes([&](std::size_t lane) {
                      return acts[lane] ? runs[lane].w.motion.next_velocity.data() + first
                                        : unused_.data();
                    }));
  }
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    if (acts[lane]) move_by_change(island_input(runs[lane], false), 0, runs[lane].w.motion);
  }
}

}  // namespace stiction
