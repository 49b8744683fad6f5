#include "apps/stiction/model_argument.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "apps/stiction/argument_checks.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

std::optional<fs::path> built_in_model(const fs::path& folder, const std::string& name) {
  for (const char* ending : {"", ".urdf", ".xml"}) {
    std::error_code error;
    const fs::path candidate = folder / (name + ending);
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".urdf" || ending == ".xml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void refuse(const std::string& file, const std::string& remedy) {
  ProblemList problems;
  problems.error({file, 0, ""}, "there is no such file", remedy);
  throw InputError(std::move(problems));
}

/// The text of an error in one line.
std::string one_line(const std::exception& error) {
  std::istringstream words(error.what());
  std::string text;
  for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string check_folder(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) ? "" : fmt::format("no such folder: '{}'", folder);
}

}  // namespace

std::vector<std::string> built_in_names() {
  try {
    const fs::path folder = models_folder();
    std::vector<std::string> names = names_in(folder);
    const std::vector<std::string> scenes = names_in(folder / "scenes");
    names.insert(names.end(), scenes.begin(), scenes.end());
    return names;
  } catch (const std::runtime_error&) {
    return {};
  }
}

void ModelArgument::add_to(CLI::App& command, const std::string& name,
                           const std::string& description) {
  command.add_option(name, file, description)->required()->check(check_file_name);
  command.add_option("--package", packages, "Folder to search for package://NAME/...")
      ->type_name("FOLDER")
      ->check(check_folder)
      ->allow_extra_args(false);
  command
      .add_option("--srdf", srdf,
                  "SRDF file: pairs of links that never collide, and poses as keyframes")
      ->type_name("FILE");
  command
      .add_option("--base", base,
                  "How the root link of a URDF robot is attached: automatic, floating or fixed")
      ->type_name("KIND")
      ->check(CLI::IsMember({"automatic", "floating", "fixed"}));
  command.add_flag(
      "--strict", strict,
      "Refuse URDF robots with impossible inertias or massless moving links instead of "
      "repairing them");
  command.add_flag("--keep-inertias", keep_inertias,
                   "Use inertias of URDF robots as they are if they are positive, even if no body "
                   "can have them");
  command.add_flag("--keep-overlaps", keep_overlaps,
                   "Let links of one robot collide that overlap in its start pose");
}

std::filesystem::path ModelArgument::path() const {
  std::error_code error;
  if (fs::exists(file, error) || fs::path(file).has_parent_path()) return file;
  fs::path folder;
  try {
    folder = models_folder();
  } catch (const std::runtime_error& error) {
    refuse(file, "check the path; " + one_line(error));
  }
  const fs::path scenes = folder / "scenes";
  for (const fs::path& place :
       {prefers_scenes ? scenes : folder, prefers_scenes ? folder : scenes}) {
    if (const auto found = built_in_model(place, file)) return *found;
  }
  const std::vector<std::string> models = names_in(folder);
  const std::vector<std::string> scene_names = names_in(scenes);
  std::vector<std::string_view> known(models.begin(), models.end());
  known.insert(known.end(), scene_names.begin(), scene_names.end());
  const std::string all =
      fmt::format("check the path, or use a built-in model: {}; or a built-in scene: {}",
                  fmt::join(models, ", "), fmt::join(scene_names, ", "));
  refuse(file, suggestion(file, known, all));
}

LoadOptions ModelArgument::options() const {
  LoadOptions options;
  options.package_folders.assign(packages.begin(), packages.end());
  if (!srdf.empty()) options.srdf = srdf;
  options.strict = strict;
  options.keep_inertias = keep_inertias;
  if (base == "floating") options.base = BaseKind::floating;
  if (base == "fixed") options.base = BaseKind::fixed;
  return options;
}

}  // namespace stiction
