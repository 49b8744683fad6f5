#pragma once

/// \file
/// Robots side by side that touch alike: their Delassus matrices, and what impulses do to their
/// velocities, in lanes.

#include <optional>
#include <span>
#include <vector>

#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/robot_lanes.hpp"
#include "stiction/sim/step_run.hpp"

namespace stiction {

/// One robot in each lane, on its way through a step.
using LaneRuns = PerLane<StepRun>;

/// {find(0), find(1), …}, one per lane.
template <class Find>
auto for_lanes(const Find& find) {
  return [&]<std::size_t... slot>(std::index_sequence<slot...>) {
    return std::array{find(slot)...};
  }
  (std::make_index_sequence<lane_width>());
}

/// Each lane has the contacts of its robot in slots that all share: one per point of a pair of
/// shapes that some robot has. A robot leaves the slots open that it does not need.
class LaneTouch {
 public:
  explicit LaneTouch(const Model& structure);

  /// The robots among `candidates` that are worth taking together: nothing but the Delassus matrix
  /// is needed of their dynamics, and they need much the same slots.
  [[nodiscard]] PerLane<bool> choose(const LaneRuns& runs, const PerLane<bool>& candidates);

  /// What solve_blocks() does, for the robots that choose() chose last; `dynamics` is that of all
  /// lanes.
  void solve(const LaneRuns& runs, const PerLane<bool>& chosen, const DynamicsData<Lane>& dynamics);

 private:
  /// Where the contacts of a robot are.
  using Places = std::array<std::uint8_t, IslandAssembler::most_entries>;

  bool take_slots(const LaneRuns& runs, const PerLane<bool>& chosen);
  void take_contacts(const LaneRuns& runs, const PerLane<bool>& chosen);
  void fill_matrix();
  void hand_out_matrix(const LaneRuns& runs, const PerLane<bool>& chosen);
  void gather_impulses(const LaneRuns& runs, const PerLane<bool>& acts);
  void move(const LaneRuns& runs, const PerLane<bool>& chosen, const DynamicsData<Lane>& dynamics);

  Model structure_;
  DelassusKernel<Lane> kernel_;
  std::vector<std::uint64_t> slots_;            ///< pairs of shapes, ascending
  PerLane<Places> places_{};                    ///< of the contacts of each chosen robot
  std::vector<ContactPoint<Lane>> contacts_;    ///< one per slot
  std::vector<Lane> matrix_;                    ///< columns of all slots, rounded up to four rows
  PerLane<std::vector<double>> matrices_;       ///< the same of each lane
  PerLane<std::vector<double>> slot_impulses_;  ///< three per slot
  std::vector<Lane> impulses_;                  ///< the same of all lanes
  std::vector<Lane> change_;                    ///< one per velocity
  std::vector<double> unused_;                  ///< where lanes without a robot write
};

}  // namespace stiction
