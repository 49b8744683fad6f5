#pragma once

/// \file
/// SRDF: which links of a URDF robot need not be checked for collision. Private to stiction/io.

#include <filesystem>
#include <string>

#include "stiction/core/problem.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// Reads `disable_collisions` into a builder that has the links already, under `prefix`.
void add_srdf(ModelBuilder& builder, const std::filesystem::path& path, const std::string& prefix,
              ProblemList& problems);

}  // namespace stiction
