#include "stiction/io/resource_path.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace stiction {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The folders of an environment variable such as PATH.
std::vector<fs::path> folders_of_variable(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

/// Last part of a path's name, also where it ends with a slash or is `.`.
std::string folder_name(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  return (error ? folder : whole).filename().string();
}

/// Everywhere a package could be, best guess first.
std::vector<fs::path> package_candidates(const std::string& package, const fs::path& rest,
                                         const fs::path& folder,
                                         const std::vector<fs::path>& package_folders) {
  std::vector<fs::path> candidates;
  const auto add = [&](const fs::path& root) {
    candidates.push_back(root / package / rest);
    if (folder_name(root) == package) candidates.push_back(root / rest);
  };
  for (const fs::path& root : package_folders) add(root);
  for (const fs::path& root : folders_of_variable("ROS_PACKAGE_PATH")) add(root);
  for (const fs::path& root : folders_of_variable("AMENT_PREFIX_PATH")) {
    candidates.push_back(root / "share" / package / rest);
  }
  std::error_code error;
  const fs::path start = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  for (fs::path above = start; above.has_relative_path(); above = above.parent_path()) {
    if (above.filename() == package) candidates.push_back(above / rest);
  }
  return candidates;
}

ResourcePath find_in_package(const std::string& uri, const fs::path& folder,
                             const std::vector<fs::path>& package_folders) {
  constexpr std::string_view scheme = "package://";
  const std::string body = uri.substr(scheme.size());
  const std::size_t slash = body.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == body.size()) {
    return {{},
            fmt::format("'{}' does not name a file in a package", uri),
            "write package://PACKAGE/folder/file"};
  }
  const std::string package = body.substr(0, slash);
  const auto candidates =
      package_candidates(package, body.substr(slash + 1), folder, package_folders);
  std::string tried;
  for (const fs::path& candidate : candidates) {
    if (is_file(candidate)) return {candidate, {}, {}};
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  return {{},
          fmt::format("mesh file {} was not found ({})", uri,
                      tried.empty() ? "no package folders are set" : "tried " + tried),
          fmt::format("give the folder that contains '{}' with --package, or set ROS_PACKAGE_PATH",
                      package)};
}

}  // namespace

ResourcePath find_resource(const std::string& uri, const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& package_folders) {
  if (uri.starts_with("package://")) return find_in_package(uri, folder, package_folders);
  if (uri.starts_with("http://") || uri.starts_with("https://")) {
    return {{},
            fmt::format("'{}' is on the network; files are not downloaded", uri),
            "download the file and use its path"};
  }
  fs::path path = uri.starts_with("file://") ? fs::path(uri.substr(7)) : fs::path(uri);
  if (!uri.starts_with("file://") && uri.find("://") != std::string::npos) {
    return {{},
            fmt::format("'{}' has an unknown scheme", uri),
            "use package://, file:// or a path relative to the file"};
  }
  if (path.is_relative()) path = folder / path;
  if (is_file(path)) return {path, {}, {}};
  std::error_code error;
  return {
      {},
      fmt::format("mesh file {} {} (tried {})", uri,
                  fs::is_directory(path, error) ? "is a folder" : "was not found", path.string()),
      "check the path; it is relative to the folder of the file that uses it"};
}

}  // namespace stiction
