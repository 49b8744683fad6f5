#pragma once

/// \file
/// Solo12 on a floor, for tests of contacts that are springs.

#include <Eigen/Core>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/model/state.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction::test {

struct Solo12 {
  Model model;                     ///< friction 1, endless plane z = 0
  std::vector<JointServo> servos;  ///< PD at all joints towards bent legs
  State touching;                  ///< at rest; all feet are 1 nm inside the floor
  Eigen::VectorXd torques;         ///< of the servos once it stands, one per velocity
};

Solo12 standing_solo12();

}  // namespace stiction::test
