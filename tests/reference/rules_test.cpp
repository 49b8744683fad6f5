// What MuJoCo 3.12.1 measured in tiny scenes, one per rule of its file format, on our own reader
// and step. The scenes and numbers are in ../shared/reference/mujoco3/rules.json.

#include <array>
#include <gtest/gtest.h>
#include <string>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tendons.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"
#include "tests/reference/measured_rules.hpp"

namespace stiction {
namespace {

class MujocoRule : public MeasuredRules {};

/// Friction of a contact: by priority, else the larger one; pairs do not ask their geoms.
TEST_F(MujocoRule, ContactsTakeFrictionFromTheirGeoms) {
  for (const json& one : cases_of("pair_parameters")) {
    const std::string name = one.at("case");
    SCOPED_TRACE(name);
    Simulation simulation(load_model_text(one.at("mjcf"), "rule.xml").model);
    const StepReport& report = simulation.evaluate();
    ASSERT_EQ(report.contacts.size(), one.at("ncon").get<std::size_t>());
    if (report.contacts.empty()) continue;
    // MuJoCo has no friction below 1e-5.
    const double measured = one.at("friction5")[0].get<double>();
    const double friction = one.at("condim") == 1 || measured <= 1e-5 ? 0.0 : measured;
    EXPECT_DOUBLE_EQ(report.contacts[0].friction, friction);
    const int condim = one.at("condim");
    const auto expected = [&one, condim](int least_condim, std::size_t place) {
      return condim >= least_condim ? one.at("friction5")[place].get<double>() : 0.0;
    };
    EXPECT_DOUBLE_EQ(report.contacts[0].spin_friction, expected(4, 2));
    EXPECT_DOUBLE_EQ(report.contacts[0].roll_friction, expected(6, 3));
    EXPECT_NEAR(report.contacts[0].gap, one.at("dist").get<double>(), 1e-12);
  }
}

/// A ball that spins and one that rolls, over 0.2 s. What is measured there is a soft contact's
/// share of the closed answer (99 % and more); ours is the closed answer. Pyramidal cones have half
/// of the rolling friction, which is why they are compared with the closed answer alone.
TEST_F(MujocoRule, BallsSpinAndRollDown) {
  int compared = 0;
  for (const json& one : cases_of("spin_and_rolling_friction")) {
    const std::string motion = one.at("motion");
    SCOPED_TRACE(one.at("cone").get<std::string>() + " condim " + one.at("condim").dump() + " " +
                 motion);
    Simulation simulation(load_model_text(one.at("mjcf"), "rule.xml").model);
    const bool spins = motion.starts_with("spinning");
    Eigen::VectorXd& v = simulation.state().v;
    if (spins) {
      v[5] = 50.0;
    } else {
      v[0] = 1.0;
      v[4] = 10.0;
    }
    const double before = v[spins ? 5 : 0];
    EXPECT_EQ(simulation.run(0.2).status, StepStatus::ok);
    const double rate = (before - v[spins ? 5 : 0]) / 0.2;
    const double ideal = one.at("ideal");
    EXPECT_NEAR(rate, ideal, 1e-6);
    const double measured = one.at(spins ? "spin_decay" : "deceleration");
    if (one.at("cone") == "elliptic") {
      EXPECT_NEAR(rate, measured, 0.01 * ideal + 1e-6);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 12);
}

/// Forces against gravity on single bodies. What goes through actuators is a case of its own.
TEST_F(MujocoRule, GravityIsCompensatedBodyByBody) {
  int compared = 0;
  for (const json& one : cases_of("gravcomp")) {
    const std::string text = one.at("mjcf");
    if (text.find("actuatorgravcomp") != std::string::npos) continue;
    SCOPED_TRACE(one.at("case").get<std::string>());
    Simulation simulation(load_model_text(text, "rule.xml").model);
    for (int i = 0; i < 2; ++i) simulation.state().q[i] = one.at("qpos")[i];
    (void)simulation.evaluate();
    const Eigen::VectorXd acceleration = simulation.accelerations();
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(acceleration[i], one.at("qacc")[i].get<double>(), 1e-9);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

/// Ratios to critical damping become gains by the inertia at the start.
TEST_F(MujocoRule, DampingRatiosBecomeGains) {
  int compared = 0;
  for (const json& one : cases_of("dampratio")) {
    SCOPED_TRACE(one.at("case").get<std::string>());
    const Model model = load_model_text(one.at("mjcf"), "rule.xml").model;
    ASSERT_EQ(model.actuators().size(), one.at("kp_kv").size());
    for (std::size_t i = 0; i < model.actuators().size(); ++i) {
      const Actuator& actuator = model.actuators()[i];
      EXPECT_DOUBLE_EQ(actuator.gain[0], one.at("kp_kv")[i][0].get<double>());
      EXPECT_NEAR(-actuator.bias[2], one.at("kp_kv")[i][1].get<double>(), 1e-12);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6);
}

/// Springs, dampers and a servo along fixed tendons, with a dead band, a gear and a shifted joint.
TEST_F(MujocoRule, FixedTendonsPullTheirJoints) {
  const json& scene = rule("fixed_tendon");
  Simulation simulation(load_model_text(scene.at("mjcf"), "rule.xml").model);
  simulation.options().time_step = 1e-9;  // forces at the start of the step
  const auto vector = [](const json& list) {
    return Eigen::Vector2d(list[0].get<double>(), list[1].get<double>());
  };
  simulation.state().q = vector(scene.at("qpos"));
  simulation.state().v = vector(scene.at("qvel"));
  simulation.control()[0] = scene.at("ctrl")[0];
  (void)simulation.evaluate();
  EXPECT_TRUE(simulation.actuator_forces().isApprox(vector(scene.at("qfrc_actuator")), 1e-6))
      << simulation.actuator_forces();
  const Eigen::Vector2d force = vector(scene.at("qfrc_actuator")) +
                                vector(scene.at("qfrc_spring")) + vector(scene.at("qfrc_damper"));
  // Balls of 1 kg and 5 cm, 20 cm from their axes.
  const double inertia = 0.4 * 0.05 * 0.05 + 0.2 * 0.2;
  EXPECT_TRUE((inertia * simulation.accelerations()).isApprox(force, 1e-6))
      << inertia * simulation.accelerations();
}

TEST_F(MujocoRule, AServoOnATendonRestsWhereItsForceMeetsTheSprings) {
  const json& scene = rule("fixed_tendon_position_servo");
  Simulation simulation(load_model_text(scene.at("mjcf"), "rule.xml").model);
  simulation.control()[0] = 1.0;  // 5 (1 - 0.8824) = 0.588 N·m, as measured
  EXPECT_EQ(simulation.run(3.0).status, StepStatus::ok);
  const json& last = scene.at("samples").back();
  EXPECT_NEAR(simulation.state().q[0], last.at("qpos")[0].get<double>(), 1e-6);
  EXPECT_NEAR(simulation.state().q[1], last.at("qpos")[1].get<double>(), 1e-6);
  EXPECT_NEAR(simulation.workspace().actuator_force(0), last.at("force").get<double>(), 1e-6);
}

/// Lengths and their derivatives around spheres and cylinders, through rings and over pulleys.
TEST_F(MujocoRule, SpatialTendonsTakeTheShortestWay) {
  int compared = 0;
  for (const json& one : cases_of("spatial_tendon")) {
    SCOPED_TRACE(one.at("case").get<std::string>());
    const Model model = load_model_text(one.at("mjcf"), "rule.xml").model;
    EXPECT_NEAR(model.tendons()[0].initial_length, one.at("length0").get<double>(), 1e-10);
    TendonSet tendons(model);
    DynamicsData<double> data(model);
    for (const json& sample : one.at("samples")) {
      const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, sample.at("q").get<double>());
      update_positions<double>(model, data, as_span(q));
      tendons.update(model, data, as_span(q));
      SCOPED_TRACE(q[0]);
      EXPECT_NEAR(tendons.length(0), sample.at("length").get<double>(), 1e-10);
      // MuJoCo finds the bend of a ring to 1e-6.
      EXPECT_NEAR(tendons.speed(0, std::array{1.0}), sample.at("dlength_dq").get<double>(), 1e-6);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

/// MuJoCo's limit is soft: here the string ends at 0.3 m, there 0.37 mm later.
TEST_F(MujocoRule, TendonLimitsHoldALoad) {
  const json& scene = rule("tendon_limit");
  Simulation simulation(load_model_text(scene.at("mjcf"), "rule.xml").model);
  double before = 0.0;
  for (const json& sample : scene.at("samples")) {
    EXPECT_EQ(simulation.run(sample.at("t").get<double>() - before).status, StepStatus::ok);
    before = sample.at("t");
    const double q = simulation.state().q[0];
    EXPECT_LT(q, 0.0);
    EXPECT_GT(q, -0.1 - 1e-9);
    // What the soft limit gives, and what it bounces at first.
    EXPECT_NEAR(q, sample.at("qpos").get<double>(), before < 0.25 ? 5e-3 : 4e-4);
  }
}

/// Polynomials of joints relative to their references; one joint alone is held at its own.
TEST_F(MujocoRule, CoupledJointsFollowTheirPolynomial) {
  const json& scene = rule("equality_joint");
  Simulation simulation(load_model_text(scene.at("mjcf"), "rule.xml").model);
  simulation.control()[0] = 0.7;
  EXPECT_EQ(simulation.run(5.0).status, StepStatus::ok);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(simulation.state().q[i], scene.at("qpos_after_5s")[i].get<double>(), 1e-7);
  }
}

TEST_F(MujocoRule, CoupledTendonsFollowTheirPolynomial) {
  const json& scene = rule("equality_tendon");
  const Model model = load_model_text(scene.at("mjcf"), "rule.xml").model;
  for (const std::size_t i : {0, 1}) {
    EXPECT_NEAR(model.tendons()[i].initial_length, scene.at("tendon_length0")[i].get<double>(),
                1e-15);
  }
  Simulation simulation(model);
  simulation.control()[0] = 0.5;
  EXPECT_EQ(simulation.run(5.0).status, StepStatus::ok);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(simulation.state().q[i], scene.at("qpos_after_5s")[i].get<double>(), 1e-7);
  }
}

/// Points of two bodies, of a body and the world, and of two sites that are apart at first.
TEST_F(MujocoRule, ConnectedPointsMeet) {
  const json& scene = rule("equality_connect");
  const Model model = load_model_text(scene.at("mjcf"), "rule.xml").model;
  const auto expect_points = [&](std::size_t coupling, const char* name) {
    const Coupling& pair = model.couplings()[coupling];
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      EXPECT_NEAR(pair.pose_a.translation()[k], scene.at(name)[i].get<double>(), 1e-12);
      EXPECT_NEAR(pair.pose_b.translation()[k], scene.at(name)[i + 3].get<double>(), 1e-12);
    }
  };
  expect_points(0, "data_AB");
  expect_points(1, "data_C");
  Simulation simulation(load_model_text(scene.at("mjcf_sites"), "rule.xml").model);
  EXPECT_EQ(simulation.run(2.0).status, StepStatus::ok);
  const double* q = simulation.state().q.data();
  const Eigen::Vector3d site =
      Eigen::Vector3d(q[0], q[1], q[2]) +
      Eigen::Quaterniond(q[6], q[3], q[4], q[5]) * Eigen::Vector3d(0.0, 0.0, 0.2);
  EXPECT_LT((site - Eigen::Vector3d(0.1, 0.0, 1.0)).norm(), 1e-6);
}

/// A weld holds exactly what MuJoCo's pulls towards: relpose, anchor, and the pose at the start.
TEST_F(MujocoRule, WeldedBodiesKeepTheirPose) {
  const json& scene = rule("equality_weld");
  Simulation simulation(load_model_text(scene.at("mjcf"), "rule.xml").model);
  EXPECT_EQ(simulation.run(10.0).status, StepStatus::ok);
  const auto pose = [&](int body) {
    const double* q = simulation.state().q.data() + 7 * body;
    Eigen::Isometry3d result(Eigen::Translation3d(q[0], q[1], q[2]));
    return result.rotate(Eigen::Quaterniond(q[6], q[3], q[4], q[5]));
  };
  EXPECT_LT((pose(0).translation() - Eigen::Vector3d(0.0, 0.0, 0.3)).norm(), 1e-6);
  const json& data = scene.at("data_A_C");
  const Eigen::Isometry3d relative = pose(0).inverse() * pose(1);
  EXPECT_LT((relative.translation() - Eigen::Vector3d(data[3], data[4], data[5])).norm(), 1e-6);
  const Eigen::Quaterniond wanted(data[6], data[7], data[8], data[9]);
  EXPECT_LT(wanted.angularDistance(Eigen::Quaterniond(relative.linear())), 1e-6);
  // Both of MuJoCo's bars tip over on soft springs; here they stay level.
  for (const char* name : {"mjcf_long_lever", "mjcf_anchor_at_body"}) {
    Simulation bar(load_model_text(scene.at(name), "rule.xml").model);
    EXPECT_EQ(bar.run(5.0).status, StepStatus::ok);
    EXPECT_LT((bar.state().q.head<3>() - Eigen::Vector3d(0.0, 0.0, 1.0)).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace stiction
