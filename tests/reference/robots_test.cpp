// Robots that others wrote, as MuJoCo 3.12.1 compiles and computes them: ../shared/reference.

#include <cmath>

#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/forces.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

/// Robots with actuators, tendons or passive forces that are not there yet.
const std::map<std::string, std::string> force_gaps{
    {"dm_control__ball_in_cup", "spatial tendons"},
    {"dm_control__fish", "actuators of spatial tendons, fluid forces"},
    {"dm_control__quadruped", "actuators with dynamics"},
    {"dm_control__swimmer", "fluid forces"},
    {"menagerie__robotiq_2f85__scene", "fluid forces"},
    {"menagerie__skydio_x2__scene", "actuators at sites, fluid forces"},
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
    const bool limited = joint.at("limited") && !is_switched_off("Constraint");
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
    Forces forces(*model_);
    forces.collect(*model_, input, state, 1e-12);  // at the start of the step
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

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceRobot, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
