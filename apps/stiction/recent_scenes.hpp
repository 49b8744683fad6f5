#pragma once

/// \file
/// Scenes that were viewed last, for the list in the live view.

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// In `stiction/recent_scenes` of the folder for state files: $XDG_STATE_HOME, or ~/.local/state.
/// Empty if there is no such folder.
[[nodiscard]] std::filesystem::path recent_scenes_file();

/// Paths of scene files that still exist, the newest first, at most ten.
[[nodiscard]] std::vector<std::string> recent_scenes();

/// Puts a scene file at the head of the list. A list that cannot be written is no reason to fail:
/// then nothing happens.
void remember_scene(const std::filesystem::path& scene);

}  // namespace stiction
