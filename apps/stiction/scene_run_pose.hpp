#pragma once

/// \file
/// Names with values on the command line: joint positions to start with, controls of actuators.

#include <string>

#include "stiction/model/model.hpp"

namespace stiction {

/// Whether the text is a list such as `hip=0.4,knee=-45deg`, not the name of a keyframe.
[[nodiscard]] bool is_joint_list(const std::string& text);

/// Puts joints where the list says, those that couplings tie to them too, and robots that float
/// down or up until they just touch the floor, if there is one. Throws InputError that names what
/// exists.
void set_joints(const std::string& list, const Model& model, State& state);

/// Sets the controls of the actuators that the list names, such as `grip=255,wrist=0.1`. Throws
/// InputError for unknown actuators and values outside their control range.
void set_controls(const std::string& list, const Model& model, Eigen::VectorXd& control);

}  // namespace stiction
