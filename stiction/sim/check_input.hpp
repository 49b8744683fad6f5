#pragma once

/// \file
/// Whether a step can be taken at all.

#include <span>
#include <string>

#include "stiction/model/model.hpp"
#include "stiction/sim/option_table.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// What is wrong with state, input or options and how to mend it; empty if nothing is. Costs little
/// where nothing is wrong, and allocates nothing then.
/// `right` is of the step before.
/// `prepared` and `layout` are the model that the workspace was made for.
[[nodiscard]] std::string fault_of_step(const Model& prepared, const SceneLayout& layout,
                                        const Model& model, const StepOptions& options,
                                        const StepInput& input, const State& state,
                                        RightOptions& right);

/// The same of servos alone.
[[nodiscard]] std::string fault_of_servos(const Model& model, std::span<const JointServo> servos);

}  // namespace stiction
