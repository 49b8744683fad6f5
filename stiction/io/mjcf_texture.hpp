#pragma once

/// \file
/// Textures of MJCF. Private to stiction/io.

#include <filesystem>
#include <string>

#include "stiction/io/mjcf_attributes.hpp"
#include "stiction/model/appearance.hpp"

namespace stiction {

/// A texture of the file, or why there is none.
struct MjcfTexture {
  Texture texture;
  bool on_all_sides = false;  ///< of a cube: the same image on each side
  std::string problem;        ///< empty: it can be drawn
  std::string remedy;
};

/// Reads `file`, or draws what `builtin` says.
MjcfTexture read_texture(const MjcfAttributes& given, const std::filesystem::path& file);

}  // namespace stiction
