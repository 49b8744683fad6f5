#pragma once

/// \file
/// Opens the file of a model, whatever it takes to get at its elements, and reads what is drawn.

#include <filesystem>

#include "stiction/core/problem.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"
#include "stiction/model/appearance.hpp"

namespace stiction {

/// The file that load_model() reads. A xacro template is expanded. Throws InputError.
[[nodiscard]] XmlFile open_model_file(const std::filesystem::path& path);

/// The functions of load.hpp that also tell how the shapes look: for set_appearance(), once the
/// Model is built.
void add_urdf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks);
void add_mjcf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks);

}  // namespace stiction
