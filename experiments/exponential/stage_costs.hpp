#pragma once

/// \file
/// What a step of each method costs in trot, and its stages [EXP, Table III].

#include <string>
#include <vector>

#include "experiments/driven_motion.hpp"

namespace stiction::experiments {

struct StageCost {
  std::string method;
  double step = 0.0;        ///< all of it, measured without a clock inside [s]
  double kinematics = 0.0;  ///< kinematics, forces and factorization [s]
  double collide = 0.0;     ///< [s]
  double contact = 0.0;    ///< springs: linear system and its integrals; hard: assembly, solver [s]
  double integrate = 0.0;  ///< [s]
};

/// Methods take turns along the states of one run, `rounds` times. A step is the mean over the
/// least disturbed round; a stage is the median over all steps, because its clock is the wall's.
std::vector<StageCost> measure_stages(const DrivenMotion& trot, int rounds);

}  // namespace stiction::experiments
