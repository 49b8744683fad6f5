#pragma once

/// \file
/// States in files: a compact binary and HDF5, both versioned. docs/state.md has the layouts.

#include <filesystem>

#include "stiction/model/model.hpp"

namespace stiction {

/// Writes a state, and which Model it belongs to: HDF5 if the path ends in `.h5` or `.hdf5`, else
/// the compact binary. The file is written completely or not at all. Throws InputError if the state
/// does not fit the Model, contains NaN or infinity, or the path cannot be written.
void save_state(const std::filesystem::path& path, const Model& model, const State& state);

/// Reads a state of either kind (told apart by content), bit for bit as it was. Throws InputError
/// if the file is missing, damaged, of another version, or of another Model.
[[nodiscard]] State load_state(const std::filesystem::path& path, const Model& model);

}  // namespace stiction
