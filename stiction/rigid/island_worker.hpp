#pragma once

/// \file
/// What one thread needs to solve islands.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stiction/rigid/load_spreading.hpp"
#include "stiction/rigid/lock_targets.hpp"
#include "stiction/rigid/position_push.hpp"
#include "stiction/solver/solver.hpp"
#include "stiction/touch/island_assembler.hpp"

namespace stiction {

/// A contact of an island that is solved impact by impact; times since the step began.
struct Impact {
  Vector3<double> gained;    ///< velocity by the impulses so far, contact axes [m/s]
  double lag = 0.0;          ///< Σ gained normal velocity times its time [m]
  double changed = 0.0;      ///< when its velocity was changed last [s]
  double time = 0.0;         ///< when it meets next [s]
  double restitution = 0.0;  ///< of the last meeting
  bool meets = false;        ///< in this pass
  bool touched = false;      ///< closed when others on its trees meet
  bool held = false;         ///< met without bounce
};

/// Scratch of rigid/impacts.cpp. `contacts`, `total` and `time_weighted` are its answer.
struct ImpactScratch {
  std::vector<Impact> contacts;  ///< one per block of the island
  std::vector<double> total;     ///< impulses of all impacts, all rows
  /// Each impulse times the fraction of the step that was left when it acted, all rows.
  std::vector<double> time_weighted;
  std::vector<double> change;       ///< of the velocities by one pass, all rows
  std::vector<double> first_times;  ///< one per tree: its first impact in this pass [s]
};

/// Seconds that a thread spent on each stage of its islands; measured if asked for.
struct IslandTimings {
  double assemble = 0.0;
  double solve = 0.0;
  double certify = 0.0;
  double move = 0.0;
};

/// What becomes of the overlaps of an island (rigid/overlaps.hpp).
enum class Overlaps : std::uint8_t {
  none,
  pushed,             ///< by velocities
  pushed_and_judged,  ///< the same, and they do not contradict each other
  left,               ///< they stay
  left_to_positions,  ///< pushed out of the positions
};

/// Holds one island at a time, on its way through the stages of rigid/island_stages.hpp.
struct IslandWorker {
  IslandWorker(const Model& model, const SceneLayout& layout)
      : assembler(model), velocity_change(static_cast<std::size_t>(model.velocity_count())) {
    impacts.first_times.resize(layout.trees.size());
  }

  IslandAssembler assembler;
  ContactProblem problem;
  std::vector<double> impulses;    ///< all rows of the problem
  std::vector<double> warm_start;  ///< the same, where a solve may be repeated with other targets
  /// Islands up to this number of rows are asked whether their overlaps contradict each other: of
  /// one tree, and of several, where pushes wander from body to body. At most so many of the rows
  /// may be normals.
  static constexpr int judged_rows = 144, judged_rows_of_many = 36;
  static constexpr int judged_normals = 72;
  Overlaps overlaps = Overlaps::none;
  std::vector<int> push_rows;  ///< normals that may push overlaps out
  std::vector<double> push_matrix =
      std::vector<double>(judged_normals * (judged_normals + lane_width));
  std::vector<double> push_unit = std::vector<double>(judged_rows + lane_width);
  std::vector<double> push_velocity = std::vector<double>(judged_rows + lane_width);
  std::vector<double> pushed_impulses;  ///< those that push overlaps out, where that may be undone
  std::string solver_name;
  std::unique_ptr<Solver> solver;
  SolverReport report;
  LoadSpreading spreading;
  std::unique_ptr<LockTargets> lock_targets;  ///< made when the first lock is met
  PositionPush position_push;
  ImpactScratch impacts;
  std::vector<double> velocity_change;  ///< one per velocity; entries of the island's trees
  IslandTimings timings;
};

}  // namespace stiction
