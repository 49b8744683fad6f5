#pragma once

/// \file
/// SRDF: which links of a URDF robot need not be checked for collision, and its named poses.
///

#include <filesystem>
#include <functional>
#include <string>

#include "stiction/core/problem.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// Reads `disable_collisions`, and each `group_state` as a keyframe, into a builder that has links,
/// joints and couplings already, under `prefix`. `finish` may complete each keyframe.
void add_srdf(ModelBuilder& builder, const std::filesystem::path& path, const std::string& prefix,
              ProblemList& problems, const std::function<void(KeyframeSpec&)>& finish = {});

}  // namespace stiction
