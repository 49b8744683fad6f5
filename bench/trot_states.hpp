#pragma once

/// \file
/// Moments of a trot of Solo12 on springs, the same for all that are compared.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/compliant/linear_contacts.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"

namespace stiction::bench {

/// A state from which one step is made, and what acts in it.
struct TrotMoment {
  State state;
  Eigen::VectorXd torques;  ///< one per velocity [N·m], those of the base zero
  std::size_t contacts = 0;
};

/// The linear system of a moment's step, with its memory.
struct TrotSystem {
  Eigen::MatrixXd upsilon;
  Eigen::VectorXd stiffness, damping, position, velocity, acceleration;

  [[nodiscard]] LinearContacts view() const;
};

struct Trot {
  Model model;
  std::string urdf;                 ///< text of the robot's file, without floor
  StepOptions options;              ///< springs, exponential, `modal`
  std::vector<TrotMoment> moments;  ///< one per step, in their order
  std::vector<TrotSystem> systems;  ///< of the moments that touch the floor

  [[nodiscard]] double mean_contacts() const;
};

/// The trot of examples/control_trot.cpp on springs of the default constants, while it steps.
Trot record_trot(double time_step);

}  // namespace stiction::bench
