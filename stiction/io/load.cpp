#include "stiction/io/load.hpp"

#include <string_view>
#include <system_error>

#include "stiction/io/model_file.hpp"
#include "stiction/io/start_numbers.hpp"
#include "stiction/io/xacro.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

namespace {

/// MJCF says itself how its bodies are held and which pairs never collide. Whoever chose something
/// else must learn that the choice does nothing.
void check_options_of_mjcf(const XmlFile& file, const LoadOptions& options, ProblemList& problems) {
  if (options.base != BaseKind::automatic) {
    problems.warning(file.source(file.root()), "the base option is not used for MJCF",
                     "set it in the file: <freejoint/> in the root body makes it float");
  }
  if (!options.srdf) return;
  std::error_code unreadable;
  if (!std::filesystem::exists(*options.srdf, unreadable)) {
    problems.error({options.srdf->string(), 0, ""}, "there is no such file",
                   "check the path of the SRDF file");
    return;
  }
  problems.warning({options.srdf->string(), 0, ""}, "the SRDF file is not used for MJCF",
                   "list the pairs in the MJCF file as <contact><exclude/></contact>");
}

/// Reads into the builder what the root element says that it is.
void add_file(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks) {
  const std::string_view root = file.root().name();
  if (root == "mujoco") {
    check_options_of_mjcf(file, options, problems);
    add_mjcf(builder, file, folder, options, problems, looks);
  } else if (root != "robot") {
    problems.error(file.source(file.root()), "this file is neither URDF nor MJCF",
                   "its root element must be <robot> (URDF) or <mujoco> (MJCF)");
  } else {
    add_urdf(builder, file, folder, options, problems, looks);
  }
}

/// What the builder says about the whole model names no file; a user wants to know which.
ProblemList with_file(const ProblemList& problems, const std::string& file) {
  ProblemList named;
  for (const Problem& problem : problems.all()) {
    Source source = problem.source;
    if (source.file.empty()) source.file = file;
    switch (problem.severity) {
      case Severity::error:
        named.error(std::move(source), problem.what, problem.remedy);
        break;
      case Severity::warning:
        named.warning(std::move(source), problem.what, problem.remedy);
        break;
      case Severity::note:
        named.note(std::move(source), problem.what, problem.remedy);
    }
  }
  return named;
}

LoadedModel load(const XmlFile& file, const std::filesystem::path& folder,
                 const LoadOptions& options) {
  ModelBuilder builder;
  ProblemList problems;
  AppearanceSpec looks;
  add_file(builder, file, folder, options, problems, looks);
  if (!problems.has_errors()) problems.append(with_file(builder.check(), file.name()));
  if (problems.has_errors()) throw InputError(std::move(problems));
  Model model = builder.build();
  set_appearance(model, looks);
  find_start_numbers(model, problems);
  return {std::move(model), std::move(problems)};
}

}  // namespace

void add_urdf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems) {
  AppearanceSpec looks;
  add_urdf(builder, file, folder, options, problems, looks);
}

void add_mjcf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems) {
  AppearanceSpec looks;
  add_mjcf(builder, file, folder, options, problems, looks);
}

XmlFile open_model_file(const std::filesystem::path& path) {
  XmlFile file(path);
  if (uses_xacro(file)) return expand_xacro(file, path);
  return file;
}

LoadedModel load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return load(open_model_file(path), path.parent_path(), options);
}

LoadedModel load_model_text(const std::string& text, const std::string& name,
                            const std::filesystem::path& folder, const LoadOptions& options) {
  return load(XmlFile(text, name), folder, options);
}

}  // namespace stiction
