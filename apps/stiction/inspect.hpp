#pragma once

/// \file
/// What `stiction inspect` prints about a model.

#include <nlohmann/json.hpp>
#include <string>

#include "apps/stiction/output.hpp"
#include "stiction/io/load.hpp"

namespace stiction {

/// Tree, bodies, actuators and problems, for people.
std::string inspect_text(const std::string& file, const LoadedModel& loaded,
                         const Palette& palette);

/// The same and more, for programs.
nlohmann::ordered_json inspect_json(const std::string& file, const LoadedModel& loaded);
nlohmann::ordered_json problems_json(const ProblemList& problems);

/// Moments of inertia about the principal axes through the centre of mass, smallest first [kg·m²].
Eigen::Vector3d principal_inertia(const BodyInertia& inertia);

}  // namespace stiction
