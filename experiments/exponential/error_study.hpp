#pragma once

/// \file
/// Local errors, stability and costs of all methods and steps on one motion [EXP, Figures 2 and 3,
/// Table II].

#include <string>
#include <vector>

#include "experiments/driven_motion.hpp"
#include "experiments/exponential/methods.hpp"
#include "experiments/progress.hpp"

namespace stiction::experiments {

/// One method with one step on one motion.
struct StudyRow {
  std::string motion;  ///< squat, jump, trot or romeo
  std::string source;  ///< `own` or `published`
  std::string rules;   ///< of anchors; `-` for hard contact
  std::string method;
  double step = 0.0;  ///< [s]
  ErrorStatistics error;
  bool stable = false;      ///< a whole run without resets stays bounded
  double end_height = 0.0;  ///< of the base at the end of that run [m]; of use if stable
  double real_time = 0.0;   ///< simulated time per CPU time of the steps
};

struct StudySettings {
  std::string source;
  AnchorRules rules = AnchorRules::surface;
  int truth_substeps = 0;     ///< in a control step of the ground truth; a power of two
  int smallest_explicit = 0;  ///< most substeps that methods with explicit steps are tried with
  int smallest = 0;           ///< the same for all others
  int stability_steps = 0;    ///< control steps of the runs without resets
};

/// Each method is compared with its own ground truth. A method whose ground truth fails has no row.
std::vector<StudyRow> study(const DrivenMotion& motion, const StudySettings& settings,
                            const std::vector<Method>& methods, Progress& progress);

/// Steps that the study of one method takes, for an estimate of time.
double study_cost(const DrivenMotion& motion, const StudySettings& settings);

/// Largest step of the method such that it and all smaller ones that were tried are stable [s]; 0
/// if there is none.
double largest_stable_step(const std::vector<StudyRow>& rows, const std::string& motion,
                           const std::string& source, const std::string& rules,
                           const std::string& method);

}  // namespace stiction::experiments
