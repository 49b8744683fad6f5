#pragma once

/// \file
/// Recordings as replay pages.

#include <filesystem>
#include <span>
#include <string>

#include "stiction/record/page.hpp"

namespace stiction {

/// The frames of a recording that a page shows.
[[nodiscard]] PageRun page_run(const Recording& recording, std::string label);

/// The page with these runs, which lie over each other. Throws InputError if they do not fit the
/// scene, or if the program was built without the viewer.
[[nodiscard]] std::string replay_page(const std::string& scene, std::span<const PageRun> runs);

}  // namespace stiction
