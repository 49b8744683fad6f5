#include "stiction/control/policy.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "stiction/core/paths.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction::test {
namespace {

TEST(LayeredNetwork, AnswersAsByHand) {
  LayeredNetwork::Layer first{Eigen::MatrixXd(2, 2), Eigen::VectorXd(2)};
  first.weights << 1.0, -2.0, 0.5, 0.25;
  first.biases << 0.1, -0.2;
  LayeredNetwork::Layer second{Eigen::MatrixXd(1, 2), Eigen::VectorXd(1)};
  second.weights << 3.0, -1.0;
  second.biases << 0.5;
  LayeredNetwork network({first, second});
  // 1 · 1 − 2 · 2 + 0.1 = −2.9, which ELU bends; 0.5 + 0.5 − 0.2 = 0.8, which it leaves.
  const double expected = 3.0 * std::expm1(-2.9) - 0.8 + 0.5;
  EXPECT_DOUBLE_EQ(network.answer(Eigen::Vector2d(1.0, 2.0))[0], expected);
}

TEST(LayeredNetwork, RefusesLayersThatDoNotFit) {
  const auto layer = [](int rows, int columns, int biases) {
    return LayeredNetwork::Layer{Eigen::MatrixXd::Ones(rows, columns),
                                 Eigen::VectorXd::Ones(biases)};
  };
  EXPECT_THROW(LayeredNetwork({}), std::invalid_argument);
  EXPECT_THROW(LayeredNetwork({layer(2, 3, 1)}), std::invalid_argument);
  EXPECT_THROW(LayeredNetwork({layer(2, 3, 2), layer(1, 3, 1)}), std::invalid_argument);
  LayeredNetwork::Layer broken = layer(1, 1, 1);
  broken.weights(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(LayeredNetwork({broken}), std::invalid_argument);
}

nlohmann::json policy_of(const Model& model) {
  nlohmann::json joints = nlohmann::json::array(), pose = nlohmann::json::array();
  for (const Joint& joint : model.joints()) {
    if (velocity_size(joint.kind) != 1) continue;
    joints.push_back(joint.name);
    pose.push_back(0.01 * static_cast<double>(pose.size()));
  }
  const std::size_t n = joints.size();
  nlohmann::json weights = nlohmann::json::array();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(14 + 2 * n, 0.0);
    row[i] = 1.0;  // the first answers are what it sees of the base
    weights.push_back(row);
  }
  return {{"format", "stiction policy 1"},
          {"control_interval", 0.02},
          {"joints", joints},
          {"pose", pose},
          {"stiffness", 80.0},
          {"damping", 2.0},
          {"action_scale", 0.5},
          {"stride", 0.5},
          {"command_scale", {2.0, 3.0, 0.25}},
          {"layers", {{{"weights", weights}, {"biases", std::vector<double>(n, 0.0)}}}}};
}

TEST(Policy, SeesTheBaseInItsOwnAxes) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "policy.json";
  std::ofstream(file) << policy_of(model);
  Policy policy(file, model);
  policy.command = {0.1, -0.1, 0.4};
  State state = model.initial_state();
  // Turned left by 90°: what moves along world y moves forward.
  state.q.segment<4>(3) << 0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5);
  state.v.segment<6>(0) << 0.0, 0.2, 0.1, 0.0, 0.8, -0.4;
  const Eigen::VectorXd& targets = policy.targets(state);
  const double expected[] = {0.4, 0.0,  0.2,  0.2, 0.0, -0.1,  // velocity, turning
                             0.0, 0.0,  -1.0,                  // gravity
                             0.2, -0.3, 0.1};                  // command
  for (Eigen::Index k = 0; k < 12; ++k) {
    EXPECT_NEAR(targets[k], 0.01 * static_cast<double>(k) + 0.5 * expected[k], 1e-15) << k;
  }
  // Answers beyond one are clipped.
  state.v[1] = 100.0;
  EXPECT_DOUBLE_EQ(policy.targets(state)[0], 0.5);
}

TEST(Policy, SeesAClockWhileItWalks) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "policy.json";
  nlohmann::json document = policy_of(model);
  auto& weights = document["layers"][0]["weights"];
  std::swap(weights[0][0], weights[0][12]);
  std::swap(weights[1][1], weights[1][13]);
  std::ofstream(file) << document;
  Policy policy(file, model);
  State state = model.initial_state();
  state.time = 7.0 * 0.5 + 0.5 / 8.0;  // an eighth of a stride
  EXPECT_EQ(policy.targets(state)[0], 0.0) << "it stands";
  policy.command = {0.0, 0.0, -0.5};
  EXPECT_NEAR(policy.targets(state)[0], 0.5 * std::sqrt(0.5), 1e-13);
  EXPECT_NEAR(policy.targets(state)[1] - 0.01, 0.5 * std::sqrt(0.5), 1e-13);
}

TEST(Policy, RefusesFilesWithTheirNameAndTheReason) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  const Model other = load_model(models_folder() / "chain10.xml").model;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "policy.json";
  const auto message = [&](const std::string& text, const Model& scene) {
    std::ofstream(file) << text;
    try {
      const Policy policy(file, scene);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  nlohmann::json document = policy_of(model);
  EXPECT_EQ(message(document.dump(), model), "none");
  EXPECT_NE(message("{", model).find("policy.json"), std::string::npos);
  EXPECT_NE(message("[1]", model).find("no policy"), std::string::npos);
  EXPECT_NE(message(document.dump(), other).find("no joint"), std::string::npos);
  document["layers"][0]["weights"][0].push_back(1.0);
  EXPECT_NE(message(document.dump(), model).find("differ in length"), std::string::npos);
}

}  // namespace
}  // namespace stiction::test
