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

/// Looks for `uri`. `file://` is taken as it is, and a path without scheme from `folder`.
/// `package://NAME/REST` is looked for in this order:
/// 1. `package_folders`, then ROS_PACKAGE_PATH: FOLDER/NAME, or FOLDER itself if it is called NAME
///    or its package.xml says so;
/// 2. the `share` folders of AMENT_PREFIX_PATH;
/// 3. `folder` and all folders above it, by the rules of 1;
/// 4. folders beside the package that `folder` lies in whose package.xml says NAME;
/// 5. REST in `folder` and the folders above it, for packages whose folder has another name.
ResourcePath find_resource(const std::string& uri, const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& package_folders);

}  // namespace stiction
