#pragma once

/// \file
/// CPU time that methods need for an error, in relation to exponential integration [EXP, Figure 2].

#include <string>
#include <vector>

#include "experiments/exponential/error_study.hpp"

namespace stiction::experiments {

struct CostRatio {
  std::string motion;
  std::string source;
  std::string rules;   ///< of anchors, of all rows that are compared
  std::string method;  ///< that is compared with `exponential`
  double error = 0.0;  ///< mean local error that both must reach
  double cost = 0.0;   ///< CPU time of `exponential` per simulated time
  /// CPU time of the method over that of `exponential`, each by its cheapest step that reaches the
  /// error; above one: `exponential` is cheaper. Infinity: the method does not reach it.
  double ratio = 0.0;
};

/// At three errors per decade, from the largest that both can have down to the smallest that
/// `exponential` reaches.
std::vector<CostRatio> cost_ratios(const std::vector<StudyRow>& rows);

}  // namespace stiction::experiments
