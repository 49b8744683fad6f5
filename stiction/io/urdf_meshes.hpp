#pragma once

/// \file
/// Finds and reads the meshes and textures of a URDF file, each once. Private to stiction/io.

#include <filesystem>

#include "stiction/io/load.hpp"
#include "stiction/io/urdf_record.hpp"
#include "stiction/model/appearance.hpp"

namespace stiction {

/// Reads every mesh into the builder and every texture into `looks`, and notes their indices in the
/// record. Colors of a mesh file decide against the <material> of a shape, as in RViz. A mesh that
/// cannot be read is an error for a collision shape; a visual one is dropped with a warning.
void load_urdf_meshes(UrdfRecord& record, const XmlFile& file, const std::filesystem::path& folder,
                      const LoadOptions& options, ModelBuilder& builder, ProblemList& problems,
                      AppearanceSpec& looks);

}  // namespace stiction
