#pragma once

/// \file
/// Where the files that a URDF names are: package://, file://, relative paths. Private to
/// stiction/io.

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// Outcome of looking for a file: a path that exists, or what was wrong.
struct ResourcePath {
  std::filesystem::path path;
  std::string problem;  ///< what is wrong, one sentence; empty on success
  std::string remedy;
};

/// Looks for `uri` in this order: `package://NAME/...` in `package_folders` (as FOLDER/NAME/...
/// and, if FOLDER itself is called NAME, inside it), in ROS_PACKAGE_PATH likewise, in the `share`
/// folders of AMENT_PREFIX_PATH, and in a folder called NAME that `folder` lies in; `file://` as it
/// is; anything else from `folder`.
ResourcePath find_resource(const std::string& uri, const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& package_folders);

}  // namespace stiction
