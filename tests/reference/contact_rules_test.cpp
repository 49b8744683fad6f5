// Sliding, creep, rest and bounce, and the free joint, in scenes that MuJoCo 3.12.1 measured:
// ../shared/reference/mujoco3/rules.json. Its contacts are soft; what differs by that is said here.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/simulation.hpp"
#include "tests/reference/measured_rules.hpp"

namespace stiction {
namespace {

class ContactRule : public MeasuredRules {};

Simulation with_velocity(const Model& model, const Eigen::VectorXd& velocity) {
  Simulation simulation(model);
  State state = simulation.state();
  state.v = velocity;
  simulation.set_state(state);
  return simulation;
}

/// Boxes that slide lose µg in every direction. MuJoCo's elliptic cone loses a little less; its
/// pyramid is no law of friction along the diagonal.
TEST_F(ContactRule, SlidingBoxesLoseMuG) {
  for (const json& one : rule("sliding_friction").at("slide")) {
    const bool diagonal = one.at("direction") != "x";
    SCOPED_TRACE(one.at("cone").get<std::string>() + ' ' + one.at("direction").get<std::string>());
    const Eigen::Vector3d direction = Eigen::Vector3d(1.0, diagonal ? 1.0 : 0.0, 0.0).normalized();
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(6);
    velocity.head<3>() = 3.0 * direction;
    Simulation simulation = with_velocity(load(one.at("mjcf")), velocity);
    ASSERT_EQ(simulation.run(0.1).status, StepStatus::ok);
    const double early = simulation.state().v.head<3>().norm();
    ASSERT_EQ(simulation.run(0.2).status, StepStatus::ok);
    const double late = simulation.state().v.head<3>().norm();
    const double deceleration = (early - late) / 0.2;
    EXPECT_NEAR(deceleration, one.at("mu_g").get<double>(), 1e-6);
    EXPECT_LT((simulation.state().v.head<3>() / late - direction).norm(), 1e-9);
    if (one.at("cone") == "elliptic") {
      EXPECT_NEAR(deceleration, one.at("deceleration").get<double>(), 0.025 * deceleration);
    }
  }
}

/// Boxes that friction holds stay, where MuJoCo's creep at up to 0.9 mm/s.
TEST_F(ContactRule, BoxesOnASlopeDoNotCreep) {
  for (const json& one : rule("sliding_friction").at("creep")) {
    Simulation simulation(load(one.at("mjcf")));
    ASSERT_EQ(simulation.run(2.0).status, StepStatus::ok);
    EXPECT_LT(std::abs(simulation.state().q[0]), 1e-12);
    EXPECT_NEAR(simulation.state().q[2], 0.05, 1e-12);
    EXPECT_GT(one.at("creep_speed").get<double>(), 1e-8);
    EXPECT_LT(one.at("rest_z").get<double>(), 0.05);
  }
}

/// Balls rest on the surface with MuJoCo's force, whatever their mass and `solref`; MuJoCo's sink
/// in by up to 0.4 mm.
TEST_F(ContactRule, BallsRestOnTheSurface) {
  for (const json& one : rule("rest_penetration_and_bounce").at("rest")) {
    Simulation simulation(load(one.at("mjcf")));
    const StepReport& report = simulation.run(2.0);
    ASSERT_EQ(report.status, StepStatus::ok);
    EXPECT_NEAR(simulation.state().q[2], 0.1, 1e-12);
    EXPECT_LT(one.at("penetration").get<double>(), 4e-4);
    ASSERT_EQ(report.contacts.size(), 1U);
    const double force = one.at("normal_force");
    EXPECT_NEAR(report.contacts[0].impulse.z / simulation.time_step(), force, 1e-6 * force);
  }
}

/// Nothing bounces that has no restitution: `solref` is not read, and MuJoCo's default does not
/// bounce either.
TEST_F(ContactRule, BallsDoNotBounceByThemselves) {
  for (const json& one : rule("rest_penetration_and_bounce").at("bounce")) {
    Simulation simulation(load(one.at("mjcf")));
    ASSERT_EQ(simulation.run(std::sqrt(2.0 * 0.5 / 9.81) + 0.01).status, StepStatus::ok);
    double highest = 0.0;
    for (int k = 0; k < 1000; ++k) {
      ASSERT_EQ(simulation.step().status, StepStatus::ok);
      highest = std::max(highest, simulation.state().q[2] - 0.1);
    }
    EXPECT_LT(highest, 1e-9);
    if (one.at("mjcf").get<std::string>().find("solref") == std::string::npos) {
      EXPECT_EQ(one.at("rebound_height").get<double>(), 0.0);
    }
  }
}

/// Positions and linear velocities are those of the body's origin in the world. We turn bodies in
/// world axes, MuJoCo in their own.
TEST_F(ContactRule, FreeJointsMoveTheOriginOfTheirBody) {
  const json& scene = rule("free_joint_convention");
  Eigen::VectorXd velocity(6);
  velocity << 0.5, 0.0, 0.0, 0.0, -1.0, 0.0;  // its own z axis is −y of the world
  Simulation turning = with_velocity(load(scene.at("mjcf")), velocity);
  ASSERT_EQ(turning.run(1.0).status, StepStatus::ok);
  const auto after = scene.at("qpos_after_1s").get<std::vector<double>>();
  const Eigen::VectorXd& q = turning.state().q;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(q[k], after[static_cast<std::size_t>(k)], 1e-9);
  const Eigen::Quaterniond expected(after[3], after[4], after[5], after[6]);
  EXPECT_LT(expected.angularDistance(Eigen::Quaterniond(q[6], q[3], q[4], q[5])), 1e-9);
}

TEST_F(ContactRule, FreeBodiesAccelerateAsInMujoco) {
  const json& scene = rule("free_joint_convention");
  const Model model = load(scene.at("mjcf_offset"));
  const auto numbers = [&](const char* name) {
    const auto list = scene.at(name).get<std::vector<double>>();
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size())));
  };
  const Eigen::VectorXd q = model.initial_state().q;
  Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(6, 6);
  turn.bottomRightCorner<3, 3>() = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
  Simulation simulation = with_velocity(model, turn * numbers("qvel"));
  const Eigen::VectorXd push = numbers("xfrc_applied_force_torque");
  simulation.push({.force = push.head<3>(),
                   .torque = push.tail<3>(),
                   .point = Eigen::Vector3d(0.1, 0.05, -0.02)});
  simulation.options().time_step = 1e-9;
  simulation.evaluate();
  const Eigen::VectorXd expected = turn * numbers("qacc");
  EXPECT_LT((simulation.accelerations() - expected).cwiseAbs().maxCoeff(), 1e-6);

  DynamicsData<double> data(model);
  update_kinematics<double>(model, data, as_span(simulation.state().q),
                            as_span(simulation.state().v));
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> M;
  mass_matrix<double>(model, data, {M.data(), 36});
  const Eigen::VectorXd theirs = numbers("M");
  const Eigen::MatrixXd ours = turn.transpose() * M * turn;
  for (int i = 0; i < 36; ++i) EXPECT_NEAR(ours(i / 6, i % 6), theirs[i], 1e-12);
}

}  // namespace
}  // namespace stiction
