#pragma once

/// \file
/// The robots on which every property of the dynamics is tested: 200 random trees and all files of
/// models/.

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {

inline std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".urdf" || extension == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A random state of a robot, and joint forces.
struct RandomState {
  RandomState(Random& random, const Model& model)
      : q(random_positions(random, model)),
        v(random_entries(random, model.velocity_count())),
        tau(random_entries(random, model.velocity_count(), 10.0)) {}

  Eigen::VectorXd q;
  Eigen::VectorXd v;
  Eigen::VectorXd tau;
};

/// Calls `check(model, random)` for `trees` random trees, some with kinematic roots, and for all
/// files of models/; a failure tells seed or file.
template <class Check>
void for_each_robot(int trees, Check check) {
  TreeOptions options;
  options.kinematic = true;
  for (int seed = 1; seed <= trees; ++seed) {
    SCOPED_TRACE("random tree, seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Model model = make_model(random_tree(random, options));
    check(model, random);
  }
  for (const std::filesystem::path& file : model_files()) {
    SCOPED_TRACE(file.string());
    Random random(1);
    const Model model = load_model(file).model;
    check(model, random);
  }
}

}  // namespace stiction::test
