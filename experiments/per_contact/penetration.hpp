#pragma once

/// \file
/// How deep the feet of the hanging robot sink in the long run [PCI, figure 7].

#include <string>
#include <string_view>
#include <vector>

#include "experiments/exponential/progress.hpp"

namespace stiction::experiments {

/// Set-ups of the hanging robot.
enum class HangingSetup {
  /// As in the task and with the default step: joints without friction, so that the robot swings on
  /// for minutes, and overlaps are pushed out.
  swinging,
  /// What solvers leave, alone: dampers in the joints bring the robot to rest, nothing is pushed
  /// out
  /// (gap rule `velocity`), and each solve begins at zero, because at rest a warm start would find
  /// the answer of the step before and hide where the solver stops.
  resting,
};
inline constexpr double hanging_damping = 5.0;    ///< of each joint at rest [N·m·s/rad]
inline constexpr double swinging_settling = 2.0;  ///< what counts begins then [s]
inline constexpr double resting_settling = 20.0;  ///< the same; then the robot rests

struct PenetrationTrace {
  std::string method;
  HangingSetup setup = HangingSetup::swinging;
  std::vector<double> time;   ///< [s]
  std::vector<double> depth;  ///< mean over the feet of max(0, −gap) [m]
  double first = 0.0;         ///< mean depth over the first tenth of what counts [m]
  double last = 0.0;          ///< the same over the last tenth [m]
  double deepest = 0.0;       ///< largest mean over a tenth of a second [m]

  /// How much deeper the feet are at the end [m].
  [[nodiscard]] double sunk() const { return last - first; }
};

std::string_view to_string(HangingSetup setup);

/// Runs of this length [s] of all methods that figure 7 shows, in both set-ups.
std::vector<PenetrationTrace> trace_penetration(double seconds, Progress& progress);

/// Steps that trace_penetration() takes.
double penetration_cost(double seconds);

}  // namespace stiction::experiments
