#pragma once

/// \file
/// A robot that others wrote, with what MuJoCo 3.12.1 makes of it: ../shared/reference.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stiction/io/load.hpp"

namespace stiction {

namespace fs = std::filesystem;
using nlohmann::json;

/// What is not there yet, by the name of the reference file: the test skips it and says so.
inline const std::map<std::string, std::string> gaps{
    {"dm_control__lqr", "has no body that can move"},
};

inline std::vector<std::string> names_of_references() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(fs::path(STICTION_REFERENCE_DIR) / "mujoco3", error)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && name != "index" && name != "rules") {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.emplace_back("absent");
  return names;
}

inline Eigen::VectorXd vector_of(const json& list) {
  const auto numbers = list.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// `menagerie__unitree_go1__scene` is menagerie/unitree_go1/scene.xml.
inline fs::path file_of_reference(std::string name) {
  for (std::size_t at = 0; (at = name.find("__", at)) != std::string::npos;) {
    name.replace(at, 2, "/");
  }
  constexpr std::string_view suite = "dm_control/";
  if (name.starts_with(suite)) name.replace(0, suite.size(), "suite/");
  return fs::path(STICTION_REFERENCE_DIR) / (name + ".xml");
}

class ReferenceRobot : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "absent") {
      GTEST_SKIP() << "the robots are not in " << STICTION_REFERENCE_DIR << "/mujoco3";
    }
    const auto gap = gaps.find(GetParam());
    if (gap != gaps.end()) GTEST_SKIP() << GetParam() << ' ' << gap->second;
    std::ifstream file(fs::path(STICTION_REFERENCE_DIR) / "mujoco3" / (GetParam() + ".json"));
    data_ = json::parse(file);
    model_ = load_model(file_of_reference(GetParam())).model;
    for (const Joint& joint : model_->joints()) {
      if (!joint.kinematic) joints_.push_back(&joint);
    }
  }

  [[nodiscard]] const json& facts() const { return data_.at("model"); }
  /// Whether the file switches something off by its flags.
  [[nodiscard]] bool is_switched_off(const std::string& what) const {
    const json& off = facts().at("option").at("disabled");
    return std::find(off.begin(), off.end(), what) != off.end();
  }

  /// MuJoCo's state in our order: quaternions end with w, bodies turn in world axes.
  [[nodiscard]] State state_of(const json& at) const {
    const Eigen::VectorXd qpos = vector_of(at.at("qpos"));
    const Eigen::VectorXd qvel = vector_of(at.at("qvel"));
    State state = model_->initial_state();
    Eigen::Index q = 0;
    for (const Joint* joint : joints_) {
      const int size = position_size(joint->kind);
      auto own = state.q.segment(joint->position_index, size);
      own = qpos.segment(q, size);
      if (size >= 4) {
        own.tail<4>() << qpos[q + size - 3], qpos[q + size - 2], qpos[q + size - 1],
            qpos[q + size - 4];
      }
      q += size;
    }
    const Eigen::VectorXd v = to_our_axes(state) * qvel;
    Eigen::Index k = 0;
    for (const Joint* joint : joints_) {
      const int size = velocity_size(joint->kind);
      state.v.segment(joint->velocity_index, size) = v.segment(k, size);
      k += size;
    }
    if (at.contains("act")) state.activation = vector_of(at.at("act"));
    return state;
  }

  /// Our velocities from MuJoCo's; only free joints differ.
  [[nodiscard]] Eigen::MatrixXd to_our_axes(const State& state) const {
    const auto count = static_cast<Eigen::Index>(facts().at("nv").get<int>());
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(count, count);
    Eigen::Index k = 0;
    for (const Joint* joint : joints_) {
      if (joint->kind == JointKind::floating) {
        const double* q = state.q.data() + joint->position_index;
        turn.block<3, 3>(k + 3, k + 3) =
            Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
      }
      k += velocity_size(joint->kind);
    }
    return turn;
  }

  /// Entries of our v in MuJoCo's order.
  [[nodiscard]] std::vector<Eigen::Index> entries() const {
    std::vector<Eigen::Index> result;
    for (const Joint* joint : joints_) {
      for (int k = 0; k < velocity_size(joint->kind); ++k) {
        result.push_back(joint->velocity_index + k);
      }
    }
    return result;
  }

  json data_;
  std::optional<Model> model_;
  std::vector<const Joint*> joints_;  ///< those that MuJoCo has, too
};

}  // namespace stiction
