#pragma once

/// \file
/// The robots on which every property of the dynamics is tested: 200 random trees and all files of
/// models/.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {

std::vector<std::filesystem::path> model_files();

/// A random state of a robot, and joint forces.
struct RandomState {
  RandomState(Random& random, const Model& model);

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
