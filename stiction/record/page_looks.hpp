#pragma once

/// \file
/// Meshes, textures and finishes of a scene for the viewer, made smaller where a page would become
/// too large. Private to stiction/record.

#include <string>

#include "stiction/model/model.hpp"
#include "stiction/record/page_encoding.hpp"

namespace stiction {

/// What the meshes and the textures of a scene may take in a page, each [bytes]. With the viewer
/// and the numbers of a minute, a page stays below 10 MB.
inline constexpr std::size_t most_mesh_bytes = 5'000'000;
inline constexpr std::size_t most_texture_bytes = 2'000'000;

/// Adds `meshes`, `textures`, `finishes` and the `finish` of shapes to a scene; `reduced` says what
/// is drawn with less than the Model has.
void add_looks(nlohmann::ordered_json& scene, const Model& model);

}  // namespace stiction
