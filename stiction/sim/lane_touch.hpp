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

class LaneTouch {
 public:
  explicit LaneTouch(const Model& structure);

  /// The robots among `candidates` whose contacts are between the same bodies, if there are several
  /// of them and nothing but the Delassus matrix is needed of their dynamics.
  [[nodiscard]] static PerLane<bool> alike(const LaneRuns& runs, const PerLane<bool>& candidates);

  /// What solve_blocks() does, for robots that are alike(); `dynamics` is that of all lanes.
  void solve(const LaneRuns& runs, const PerLane<bool>& alike, const DynamicsData<Lane>& dynamics);

 private:
  void take_contacts(const LaneRuns& runs, std::size_t leader, const PerLane<bool>& alike);
  void fill_matrix(std::size_t count);
  void hand_out_matrix(const LaneRuns& runs, const PerLane<bool>& alike, std::size_t rows);
  void move(const LaneRuns& runs, const PerLane<bool>& alike, std::size_t count,
            const DynamicsData<Lane>& dynamics);

  Model structure_;
  DelassusKernel<Lane> kernel_;
  std::vector<ContactPoint<Lane>> contacts_;
  std::vector<Lane> matrix_;    ///< columns of the rows of all contacts, rounded up to four
  std::vector<double> unused_;  ///< where lanes without a robot of these write
  std::vector<Lane> impulses_;  ///< three per contact
  std::vector<Lane> change_;    ///< one per velocity
  std::vector<double> still_;   ///< impulses of lanes without a robot of these: zero
};

}  // namespace stiction
