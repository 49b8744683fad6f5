#pragma once

/// \file
/// How deep the feet of the hanging robot sink in the long run [PCI, figure 7].

#include <string>
#include <string_view>
#include <vector>

#include "experiments/progress.hpp"

namespace stiction::experiments {

/// Set-ups of the hanging robot. Its joints have no friction, so it swings on for minutes.
enum class HangingSetup {
  pushed_out,  ///< the default step: overlaps are pushed out
  /// Touching feet may not approach, and nothing is pushed out (gap rule `velocity`, as in [PCI]).
  /// Then overlaps come from the impact, from the curved way of the feet within a step, and from
  /// what the solver leaves.
  left_in,
};
inline constexpr double settling_time = 2.0;  ///< what counts begins then [s]

struct PenetrationTrace {
  std::string method;
  HangingSetup setup = HangingSetup::pushed_out;
  std::vector<double> time;   ///< [s]
  std::vector<double> depth;  ///< mean over the feet of max(0, −gap) [m]
  /// How far the solver has let pressing feet sink since counting began, mean over the feet: the
  /// sum of −h v_n after each step, where v_n should be zero [m].
  std::vector<double> by_solver;
  double mean = 0.0;     ///< of the depth over all that counts [m]
  double first = 0.0;    ///< mean depth over the first tenth of what counts [m]
  double last = 0.0;     ///< the same over the last tenth [m]
  double deepest = 0.0;  ///< largest mean depth over a tenth of a second [m]

  /// How much deeper the feet are at the end [m].
  [[nodiscard]] double sunk() const { return last - first; }
  /// The share of the solver [m].
  [[nodiscard]] double sunk_by_solver() const { return by_solver.empty() ? 0.0 : by_solver.back(); }
};

std::string_view to_string(HangingSetup setup);

/// Runs of this length [s] of all methods that figure 7 shows, in both set-ups.
std::vector<PenetrationTrace> trace_penetration(double seconds, Progress& progress);

/// Steps that trace_penetration() takes.
double penetration_cost(double seconds);

}  // namespace stiction::experiments
