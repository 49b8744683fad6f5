#pragma once

/// \file
/// The FILE argument and the options that every subcommand with a robot shares.

#include <filesystem>
#include <string>
#include <vector>

#include "stiction/io/load.hpp"

namespace CLI {
class App;
}

namespace stiction {

/// Names of the built-in models, then of the scenes; empty if their folder is not found.
[[nodiscard]] std::vector<std::string> built_in_names();

/// A robot on the command line: a file or the name of a built-in model or scene, and how to read
/// it.
struct ModelArgument {
  std::string file;
  std::vector<std::string> packages;
  std::string srdf;
  std::string base = "automatic";
  bool strict = false;
  bool keep_inertias = false;
  bool keep_overlaps = false;   ///< links that overlap in the start pose collide all the same
  bool prefers_scenes = false;  ///< where a model and a scene have the same name

  /// `name` and `description` are those of the argument in the help.
  void add_to(CLI::App& command, const std::string& name = "FILE",
              const std::string& description =
                  "URDF or MJCF file, or a built-in model or scene such as anymal");

  /// The path as given if it exists, else that of the built-in model or scene of this name. Throws
  /// InputError that names them if there is neither.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] LoadOptions options() const;
};

}  // namespace stiction
