#pragma once

/// \file
/// xacro templates of URDF: recognised, and expanded by the program `xacro`. Private to
/// stiction/io.

#include <filesystem>
#include <string>

#include "stiction/io/xml.hpp"

namespace stiction {

/// Whether a file has elements or expressions that only xacro understands.
[[nodiscard]] bool uses_xacro(const XmlFile& file);

/// Replaces `$(optenv NAME default)` in attributes, which old versions of xacro left in place.
void insert_environment(const XmlFile& file);

/// What to do with a template that was not expanded.
[[nodiscard]] std::string xacro_remedy(const std::string& file);

/// Runs `xacro` on the file and returns the robot. Throws InputError if the program is not
/// installed, fails, or takes too long.
[[nodiscard]] XmlFile expand_xacro(const XmlFile& file, const std::filesystem::path& path);

}  // namespace stiction
