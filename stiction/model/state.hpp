#pragma once

#include <Eigen/Core>

namespace stiction {

/// Everything that the next step depends on. Plain data: copy it, compare it, store it.
struct State {
  double time = 0.0;  ///< [s]
  Eigen::VectorXd q;  ///< positions, Model::position_count() entries
  Eigen::VectorXd v;  ///< velocities, Model::velocity_count() entries
};

}  // namespace stiction
