#pragma once

/// \file
/// Opens the file of a model, whatever it takes to get at its elements.

#include <filesystem>

#include "stiction/io/xml.hpp"

namespace stiction {

/// The file that load_model() reads. A xacro template is expanded. Throws InputError.
[[nodiscard]] XmlFile open_model_file(const std::filesystem::path& path);

}  // namespace stiction
