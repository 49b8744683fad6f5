#pragma once

/// \file
/// Files that are either the old or the new one, never half of it.

#include <filesystem>
#include <string_view>

namespace stiction {

/// Writes beside the file first and renames then; where the path is a link, its target is replaced
/// and the link stays. Throws std::runtime_error that says which path could not be written and why;
/// the old file is still there then. Devices and pipes are refused, for renaming would put a file
/// in their place.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws as write_file() would, before long work instead of after it.
void check_writable(const std::filesystem::path& path);

}  // namespace stiction
