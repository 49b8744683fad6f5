#pragma once

/// \file
/// A robot that comes without surroundings gets a ground to stand on.

#include <filesystem>

#include "stiction/io/load.hpp"

namespace stiction {

/// Reads URDF or MJCF. A URDF robot gets an endless plane through the origin, and is lifted or
/// lowered until it just touches it if its base floats. Throws InputError.
[[nodiscard]] LoadedModel load_on_ground(const std::filesystem::path& path,
                                         const LoadOptions& options);

}  // namespace stiction
