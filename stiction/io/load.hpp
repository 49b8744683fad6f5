#pragma once

/// \file
/// Loads a Model from files.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// How the root link of a robot is attached.
enum class BaseKind {
  automatic,  ///< URDF: floating, unless the root link is called `world` or has no mass
  floating,
  fixed,
};

/// Options of a reader.
struct LoadOptions {
  /// Folders to search for `package://NAME/...` (as FOLDER/NAME/... and, if FOLDER itself
  /// is called NAME, inside it), before ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
  std::vector<std::filesystem::path> package_folders;
  BaseKind base = BaseKind::automatic;        ///< URDF only; an MJCF file defines it itself
  std::string prefix;                         ///< put before every name, to load one robot twice
  std::optional<std::filesystem::path> srdf;  ///< URDF: read `disable_collisions` from here
  /// URDF: true refuses what is otherwise repaired with a warning: inertias that break the triangle
  /// inequality, moving links without mass, a mimic of a joint that is not there.
  bool strict = false;
  /// URDF: true keeps inertias that break the triangle inequality, with a warning, as programs do
  /// that do not check them. Their principal moments must be positive. Decides against `strict`.
  bool keep_inertias = false;
};

/// A model, with warnings and notes about odd or unused parts of its file (never errors).
struct LoadedModel {
  Model model;
  ProblemList problems;
};

/// Reads URDF or MJCF, told apart by the root element. Throws InputError that lists every problem.
[[nodiscard]] LoadedModel load_model(const std::filesystem::path& path,
                                     const LoadOptions& options = {});

/// The same for text in memory; relative paths in it start at `folder`.
[[nodiscard]] LoadedModel load_model_text(const std::string& text, const std::string& name,
                                          const std::filesystem::path& folder = {},
                                          const LoadOptions& options = {});

class XmlFile;

/// Adds the robot of a URDF file to a builder; errors go to `problems`.
void add_urdf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems);

/// Adds the scene of an MJCF file to a builder; errors go to `problems`.
void add_mjcf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems);

}  // namespace stiction
