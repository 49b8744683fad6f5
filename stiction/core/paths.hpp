#pragma once

#include <filesystem>

namespace stiction {

/// The folder of the built-in robots and scenes (`anymal.urdf` and the others).
///
/// Searched in this order: the environment variable `STICTION_MODELS`, `share/stiction/models`
/// next to the `bin` folder of the running program (an installed copy), the source tree that the
/// library was built from, and the prefix that it was configured for.
/// @throws std::runtime_error if none of them is a folder; its text lists the tried places.
std::filesystem::path models_folder();

}  // namespace stiction
