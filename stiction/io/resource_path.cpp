#include "stiction/io/resource_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <string_view>

namespace stiction {

namespace {

namespace fs = std::filesystem;

/// Entries of a folder that are looked at for packages.
constexpr int most_neighbours = 1000;
/// Places that an error names.
constexpr std::size_t most_named = 4;

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

/// The name that the package.xml of a folder gives to the package; empty if there is none.
std::string declared_name(const fs::path& folder) {
  const fs::path manifest = folder / "package.xml";
  pugi::xml_document document;
  if (!is_file(manifest) || !document.load_file(manifest.c_str())) return {};
  const std::string name = document.child("package").child_value("name");
  const std::size_t first = name.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of(" \t\r\n") - first + 1);
}

/// Folders in `folder` that say they are the package.
void add_declared_packages(const fs::path& folder, const std::string& package,
                           std::vector<fs::path>& packages) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  std::vector<fs::path> found;
  for (int i = 0; !error && entry != fs::directory_iterator() && i < most_neighbours; ++i) {
    if (entry->is_directory(error) && declared_name(entry->path()) == package) {
      found.push_back(entry->path());
    }
    entry.increment(error);
  }
  std::ranges::sort(found);  // the order of a folder's entries differs between file systems
  packages.insert(packages.end(), found.begin(), found.end());
}

/// A folder and all that it lies in, from the inside out.
std::vector<fs::path> folders_above(const fs::path& folder) {
  std::error_code error;
  fs::path at = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  std::vector<fs::path> above;
  for (; at.has_relative_path(); at = at.parent_path()) above.push_back(at);
  return above;
}

/// Folders that could be the package, best guess first.
std::vector<fs::path> package_roots(const std::string& package, const fs::path& folder,
                                    const std::vector<fs::path>& package_folders) {
  std::vector<fs::path> packages;
  const auto add = [&](const fs::path& root) {
    packages.push_back(root / package);
    if (folder_name(root) == package || declared_name(root) == package) packages.push_back(root);
  };
  for (const fs::path& root : package_folders) add(root);
  for (const fs::path& root : folders_of_variable("ROS_PACKAGE_PATH")) add(root);
  for (const fs::path& root : folders_of_variable("AMENT_PREFIX_PATH")) {
    packages.push_back(root / "share" / package);
  }
  for (const fs::path& root : folders_above(folder)) add(root);
  return packages;
}

/// ROS looks for packages within the folders of its path, too: here one level down.
void add_nested_packages(const fs::path& folder, const std::string& package,
                         std::vector<fs::path>& packages) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  std::vector<fs::path> found;
  for (int i = 0; !error && entry != fs::directory_iterator() && i < most_neighbours; ++i) {
    std::error_code absent;
    if (fs::is_directory(entry->path() / package, absent)) found.push_back(entry->path() / package);
    entry.increment(error);
  }
  std::ranges::sort(found);
  packages.insert(packages.end(), found.begin(), found.end());
  add_declared_packages(folder, package, packages);
}

/// Where a package may be whose folder has another name: beside the package that the file is in, or
/// around the file.
std::vector<fs::path> renamed_packages(const std::string& package, const fs::path& folder,
                                       const std::vector<fs::path>& package_folders) {
  const std::vector<fs::path> above = folders_above(folder);
  std::vector<fs::path> packages;
  for (const fs::path& root : package_folders) add_nested_packages(root, package, packages);
  for (const fs::path& root : folders_of_variable("ROS_PACKAGE_PATH")) {
    add_nested_packages(root, package, packages);
  }
  for (const fs::path& at : above) {
    if (is_file(at / "package.xml")) add_declared_packages(at.parent_path(), package, packages);
  }
  packages.insert(packages.end(), above.begin(), above.end());
  return packages;
}

std::string list_of(const std::vector<fs::path>& paths) {
  std::string list;
  for (std::size_t i = 0; i < std::min(paths.size(), most_named); ++i) {
    list += (i == 0 ? "" : ", ") + paths[i].string();
  }
  if (paths.size() > most_named) list += fmt::format(" and {} more", paths.size() - most_named);
  return list;
}

ResourcePath find_in_package(const std::string& uri, const fs::path& folder,
                             const std::vector<fs::path>& package_folders) {
  // Some files have three slashes, as after file:.
  const std::size_t start = uri.find_first_not_of('/', uri.find("://") + 3);
  const std::string body = start == std::string::npos ? std::string() : uri.substr(start);
  const std::size_t slash = body.find('/');
  // Two slashes would make the rest an absolute path.
  const std::size_t rest = body.find_first_not_of('/', slash);
  if (slash == std::string::npos || rest == std::string::npos) {
    return {{},
            fmt::format("'{}' does not name a file in a package", uri),
            "write package://PACKAGE/folder/file"};
  }
  const std::string package = body.substr(0, slash);
  std::vector<fs::path> tried;
  const auto found_in = [&](const std::vector<fs::path>& packages) {
    return std::ranges::any_of(packages, [&](const fs::path& root) {
      tried.push_back(root / body.substr(rest));
      return is_file(tried.back());
    });
  };
  if (found_in(package_roots(package, folder, package_folders)) ||
      found_in(renamed_packages(package, folder, package_folders))) {
    return {tried.back(), {}, {}};
  }
  return {{},
          fmt::format("mesh file {} was not found ({})", uri,
                      tried.empty() ? "no package folders are set" : "tried " + list_of(tried)),
          fmt::format("give the folder that contains '{}' with --package, or set ROS_PACKAGE_PATH",
                      package)};
}

}  // namespace

ResourcePath find_resource(const std::string& uri, const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& package_folders) {
  // Gazebo's models are folders like packages.
  if (uri.starts_with("package://") || uri.starts_with("model://")) {
    return find_in_package(uri, folder, package_folders);
  }
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
  std::string slashes = path.string();  // Windows writes backslashes
  std::ranges::replace(slashes, '\\', '/');
  if (is_file(slashes)) return {slashes, {}, {}};
  std::error_code error;
  return {
      {},
      fmt::format("mesh file {} {} (tried {})", uri,
                  fs::is_directory(path, error) ? "is a folder" : "was not found", path.string()),
      "check the path; it is relative to the folder of the file that uses it"};
}

}  // namespace stiction
