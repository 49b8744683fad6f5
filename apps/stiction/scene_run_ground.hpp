#pragma once

/// \file
/// A robot that comes without surroundings gets a ground to stand on.

#include <filesystem>
#include <optional>
#include <string>

#include "stiction/io/load.hpp"

namespace stiction {

/// Reads URDF or MJCF. A URDF robot gets an endless plane through the origin. If its base floats,
/// it also gets a keyframe `on_ground`, in which it just touches the plane; if its base is fixed
/// and it hangs through the plane, it gets none. Throws InputError.
[[nodiscard]] LoadedModel load_on_ground(const std::filesystem::path& path,
                                         const LoadOptions& options);

/// The same for text in memory; `name` stands for the file, and relative paths start at `folder`.
[[nodiscard]] LoadedModel load_text_on_ground(const std::string& text, const std::string& name,
                                              const std::filesystem::path& folder,
                                              const LoadOptions& options);

/// How far the lowest colliding shape of bodies `first` to `end` − 1 is above planes that are fixed
/// to the world [m]; empty if none of them can touch one.
[[nodiscard]] std::optional<double> height_above_ground(const Model& model, const State& state,
                                                        int first, int end);

}  // namespace stiction
