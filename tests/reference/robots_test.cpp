// Robots that others wrote, as MuJoCo 3.12.1 compiles and computes them: ../shared/reference.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/forces.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What is not there yet, by the name of the reference file: the test skips it and says so.
const std::map<std::string, std::string> gaps{
    {"dm_control__lqr", "has no body that can move"},
    {"menagerie__iit_softfoot__scene", "is built from other files by <attach>"},
};
/// Robots with actuators, tendons or passive forces that are not there yet.
const std::map<std::string, std::string> force_gaps{
    {"dm_control__fish", "fluid forces"},
    {"dm_control__quadruped", "actuators with dynamics"},
    {"dm_control__swimmer", "fluid forces"},
    {"menagerie__robotiq_2f85__scene", "fluid forces"},
    {"menagerie__skydio_x2__scene", "actuators at sites, fluid forces"},
};
/// Robots some of whose actuators are not there yet.
const std::map<std::string, std::string> actuator_gaps{
    {"dm_control__quadruped", "actuators with dynamics"},
    {"menagerie__skydio_x2__scene", "actuators at sites"},
};
std::vector<std::string> names_of_references() {
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

Eigen::VectorXd vector_of(const json& list) {
  const auto numbers = list.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

class ReferenceRobot : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "absent") {
      GTEST_SKIP() << "the robots are not in " << STICTION_REFERENCE_DIR << "/mujoco3";
    }
    const auto gap = gaps.find(GetParam());
    if (gap != gaps.end()) GTEST_SKIP() << GetParam() << ' ' << gap->second;
    const fs::path folder = STICTION_REFERENCE_DIR;
    std::ifstream file(folder / "mujoco3" / (GetParam() + ".json"));
    data_ = json::parse(file);
    model_ = load_model(file_of(folder)).model;
    for (const Joint& joint : model_->joints()) {
      if (!joint.kinematic) joints_.push_back(&joint);
    }
  }

  /// `menagerie__unitree_go1__scene` is menagerie/unitree_go1/scene.xml.
  [[nodiscard]] static fs::path file_of(const fs::path& folder) {
    std::string path = GetParam() + ".xml";
    for (std::size_t at = 0; (at = path.find("__", at)) != std::string::npos;) {
      path.replace(at, 2, "/");
    }
    constexpr std::string_view suite = "dm_control/";
    if (path.starts_with(suite)) path.replace(0, suite.size(), "suite/");
    return folder / path;
  }

  [[nodiscard]] const json& facts() const { return data_.at("model"); }

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

  [[nodiscard]] TendonSet tendons_at(const State& state) const {
    TendonSet tendons(*model_);
    DynamicsData<double> data(*model_);
    update_positions<double>(*model_, data, as_span(state.q));
    tendons.update(*model_, data, as_span(state.q));
    return tendons;
  }

  json data_;
  std::optional<Model> model_;
  std::vector<const Joint*> joints_;  ///< those that MuJoCo has, too
};

TEST_P(ReferenceRobot, HasTheMassesJointsAndRangesThatMujocoSees) {
  const double mass = facts().at("moving_mass");
  EXPECT_NEAR(model_->total_mass(), mass, 1e-9 * mass);
  ASSERT_EQ(joints_.size(), facts().at("joints").size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const json& joint = facts().at("joints")[i];
    SCOPED_TRACE(joint.at("name").get<std::string>());
    if (joint.at("name") != "") {
      EXPECT_EQ(joints_[i]->name, joint.at("name"));
    }
    if (velocity_size(joints_[i]->kind) != 1) continue;
    const bool limited = joint.at("limited");
    EXPECT_EQ(std::isfinite(joints_[i]->limits.lower), limited);
    if (!limited) continue;
    EXPECT_NEAR(joints_[i]->limits.lower, joint.at("range")[0].get<double>(), 1e-12);
    EXPECT_NEAR(joints_[i]->limits.upper, joint.at("range")[1].get<double>(), 1e-12);
  }
}

/// M and the bias forces, relative to their largest entries.
TEST_P(ReferenceRobot, HasTheMassMatrixAndBiasOfMujoco) {
  const std::vector<Eigen::Index> order = entries();
  DynamicsData<double> data(*model_);
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const Eigen::MatrixXd T = to_our_axes(state);
    update_kinematics<double>(*model_, data, as_span(state.q), as_span(state.v));
    const auto count = model_->velocity_count();
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> whole(count, count);
    mass_matrix<double>(*model_, data, {whole.data(), static_cast<std::size_t>(whole.size())});
    Eigen::VectorXd bias(count);
    bias_forces<double>(*model_, data, {bias.data(), static_cast<std::size_t>(bias.size())});
    const Eigen::MatrixXd M = T.transpose() * whole(order, order) * T;
    const Eigen::VectorXd c = T.transpose() * bias(order);
    Eigen::MatrixXd expected(M.rows(), M.cols());
    const auto lower = at.at("M_lower").get<std::vector<double>>();
    std::size_t next = 0;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        expected(i, j) = expected(j, i) = lower[next++];
      }
    }
    const Eigen::VectorXd forces = vector_of(at.at("qfrc_bias"));
    // MuJoCo turns inertias into principal axes, and stops when that is good to about 1e-8.
    EXPECT_LT((M - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff());
    EXPECT_LT((c - forces).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + forces.cwiseAbs().maxCoeff()));
  }
}

/// Springs, dampers and actuators together.
TEST_P(ReferenceRobot, HasTheForcesOfMujoco) {
  const auto gap = force_gaps.find(GetParam());
  if (gap != force_gaps.end()) GTEST_SKIP() << GetParam() << ": " << gap->second;
  ASSERT_EQ(model_->actuators().size(), facts().at("actuators").size());
  const std::vector<Eigen::Index> order = entries();
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const Eigen::MatrixXd T = to_our_axes(state);
    const Eigen::VectorXd control = vector_of(at.at("ctrl"));
    StepInput input;
    input.control = as_span(control);
    const TendonSet tendons = tendons_at(state);
    Forces forces(*model_);
    forces.collect(*model_, input, state, tendons, 1e-12);  // at the start of the step
    while (forces.saturate(as_span(state.v))) {
    }
    const Eigen::VectorXd tau =
        T.transpose() *
        Eigen::Map<const Eigen::VectorXd>(forces.tau().data(), model_->velocity_count())(order);
    const Eigen::VectorXd expected =
        vector_of(at.at("qfrc_passive")) + vector_of(at.at("qfrc_actuator"));
    EXPECT_LT((tau - expected).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + expected.cwiseAbs().maxCoeff()))
        << (tau - expected).transpose();
  }
}

/// Kinds, ranges, springs, and lengths at the start.
TEST_P(ReferenceRobot, HasTheTendonsThatMujocoSees) {
  const json& expected = facts().at("tendons");
  ASSERT_EQ(model_->tendons().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tendon& tendon = model_->tendons()[i];
    EXPECT_EQ(tendon.name, expected[i].at("name"));
    EXPECT_EQ(tendon.kind == Tendon::Kind::spatial, expected[i].at("kind") == "spatial");
    EXPECT_EQ(tendon.stiffness, expected[i].at("stiffness"));
    EXPECT_EQ(tendon.damping, expected[i].at("damping"));
    EXPECT_EQ(tendon.friction, expected[i].at("frictionloss"));
    EXPECT_EQ(std::isfinite(tendon.limits[1]), expected[i].at("limited"));
    EXPECT_NEAR(tendon.initial_length, expected[i].at("length0").get<double>(), 1e-12);
    for (const std::size_t end : {0, 1}) {
      EXPECT_NEAR(tendon.spring_range[end], expected[i].at("springlength")[end].get<double>(),
                  1e-12);
      if (!expected[i].at("limited")) continue;
      EXPECT_EQ(tendon.limits[end], expected[i].at("range")[end]);
    }
  }
}

TEST_P(ReferenceRobot, HasTheTendonLengthsAndVelocitiesOfMujoco) {
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const TendonSet tendons = tendons_at(state);
    for (std::size_t i = 0; i < model_->tendons().size(); ++i) {
      const double length = at.at("ten_length")[i];
      const double velocity = at.at("ten_velocity")[i];
      const int tendon = static_cast<int>(i);
      EXPECT_NEAR(tendons.length(tendon), length, 1e-8 * (1.0 + std::abs(length)));
      EXPECT_NEAR(tendons.speed(tendon, as_span(state.v)), velocity,
                  1e-8 * (1.0 + std::abs(velocity)));
    }
  }
}

/// Each actuator by itself: what it acts on, and its force before the gear.
TEST_P(ReferenceRobot, HasTheActuatorForcesOfMujoco) {
  const auto gap = actuator_gaps.find(GetParam());
  if (gap != actuator_gaps.end()) GTEST_SKIP() << GetParam() << ": " << gap->second;
  ASSERT_EQ(model_->actuators().size(), facts().at("actuators").size());
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const TendonSet tendons = tendons_at(state);
    const Eigen::VectorXd control = vector_of(at.at("ctrl"));
    StepInput input;
    input.control = as_span(control);
    Forces forces(*model_);
    forces.collect(*model_, input, state, tendons, 1e-12);
    while (forces.saturate(as_span(state.v))) {
    }
    for (std::size_t i = 0; i < model_->actuators().size(); ++i) {
      const Actuator& actuator = model_->actuators()[i];
      const auto near = [](double actual, double expected) {
        EXPECT_NEAR(actual, expected, 1e-8 * (1.0 + std::abs(expected)));
      };
      // MuJoCo applies the range of a joint (actuatorfrcrange) after this force.
      const bool bounded =
          actuator.joint >= 0 && std::isfinite(model_->joint(actuator.joint).limits.effort);
      if (!bounded) {
        near(forces.actuator_force(static_cast<int>(i), as_span(state.v)),
             at.at("actuator_force")[i]);
      }
      if (actuator.tendon < 0) continue;
      near(actuator.gear[0] * tendons.length(actuator.tendon), at.at("actuator_length")[i]);
      near(actuator.gear[0] * tendons.speed(actuator.tendon, as_span(state.v)),
           at.at("actuator_velocity")[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceRobot, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
