#include "stiction/io/load.hpp"

#include <string_view>

#include "stiction/io/xml.hpp"

namespace stiction {

namespace {

bool uses_xacro(const pugi::xml_node& root) {
  const auto is_xacro = [](const pugi::xml_node& node) {
    return std::string_view(node.name()).starts_with("xacro:");
  };
  return static_cast<bool>(root.find_node(is_xacro));
}

/// Reads into the builder what the root element says that it is.
void add_file(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems) {
  const std::string_view root = file.root().name();
  if (root == "mujoco") {
    add_mjcf(builder, file, folder, options, problems);
  } else if (root != "robot") {
    problems.error(file.source(file.root()), "this file is neither URDF nor MJCF",
                   "its root element must be <robot> (URDF) or <mujoco> (MJCF)");
  } else if (uses_xacro(file.root())) {
    problems.error(file.source(file.root()), "this is a xacro template, not a finished URDF",
                   "run `xacro " + file.name() + " > robot.urdf` and load that");
  } else {
    add_urdf(builder, file, folder, options, problems);
  }
}

LoadedModel load(const XmlFile& file, const std::filesystem::path& folder,
                 const LoadOptions& options) {
  ModelBuilder builder;
  ProblemList problems;
  add_file(builder, file, folder, options, problems);
  if (!problems.has_errors()) problems.append(builder.check());
  if (problems.has_errors()) throw InputError(std::move(problems));
  return {builder.build(), std::move(problems)};
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return load(XmlFile(path), path.parent_path(), options);
}

LoadedModel load_model_text(const std::string& text, const std::string& name,
                            const std::filesystem::path& folder, const LoadOptions& options) {
  return load(XmlFile(text, name), folder, options);
}

}  // namespace stiction
