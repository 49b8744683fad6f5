#include "apps/stiction/model_argument.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "stiction/core/paths.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

/// Empty if the models are not there: a user with files of their own does not need them.
fs::path folder_of_models() {
  try {
    return models_folder();
  } catch (const std::exception&) {
    return {};
  }
}

std::optional<fs::path> built_in_model(const std::string& name) {
  const fs::path folder = folder_of_models();
  if (folder.empty() || name.empty() || fs::path(name).has_parent_path()) return std::nullopt;
  for (const char* ending : {"", ".urdf", ".xml"}) {
    std::error_code error;
    const fs::path candidate = folder / (name + ending);
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of_models(), error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".urdf" || ending == ".xml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void ModelArgument::add_to(CLI::App& command) {
  command.add_option("FILE", file, "URDF or MJCF file, or a built-in model such as anymal")
      ->required();
  command.add_option("--package", packages, "Folder in which package://NAME/... is looked for")
      ->type_name("FOLDER")
      ->expected(1)
      ->take_all();
  command.add_option("--srdf", srdf, "SRDF file with pairs of links that never collide")
      ->type_name("FILE");
  command
      .add_option("--base", base, "How a URDF robot's root is held: automatic, floating or fixed")
      ->type_name("KIND")
      ->check(CLI::IsMember({"automatic", "floating", "fixed"}));
}

std::filesystem::path ModelArgument::path() const {
  std::error_code error;
  if (fs::exists(file, error) || fs::path(file).has_parent_path()) return file;
  if (const auto found = built_in_model(file)) return *found;
  ProblemList problems;
  problems.error({file, 0, ""}, "there is no such file",
                 fmt::format("check the path, or name a built-in model: {}",
                             fmt::join(built_in_names(), ", ")));
  throw InputError(std::move(problems));
}

LoadOptions ModelArgument::options() const {
  LoadOptions options;
  options.package_folders.assign(packages.begin(), packages.end());
  if (!srdf.empty()) options.srdf = srdf;
  if (base == "floating") options.base = BaseKind::floating;
  if (base == "fixed") options.base = BaseKind::fixed;
  return options;
}

}  // namespace stiction
