#pragma once

/// \file
/// Writes files as a whole: a reader sees the old or the new file, never a part of it.

#include <filesystem>
#include <string_view>

namespace stiction {

/// Writes to a file next to it first, then renames; if the path is a link, its target is replaced
/// and the link stays. Throws std::runtime_error that names the path and the reason on failure;
/// the old file is kept then. Devices and pipes are refused because renaming would put a file
/// in their place.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws as write_file() would; call it before long work.
void check_writable(const std::filesystem::path& path);

}  // namespace stiction
