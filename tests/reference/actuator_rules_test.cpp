// Actuators and the medium as MuJoCo 3.12.1 has them: scenes and numbers of
// ../shared/reference/mujoco3/rules.json.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/transmission.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"
#include "tests/reference/measured_rules.hpp"

namespace stiction {
namespace {

class ActuatorRule : public MeasuredRules {};

Simulation simulation_of(const json& mjcf) {
  return Simulation(load_model_text(mjcf.get<std::string>(), "rule.xml").model);
}

Eigen::VectorXd vector_of(const json& list) {
  const auto numbers = list.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

ActuatorMotion motion_of(const Simulation& simulation, std::size_t actuator) {
  const Model& model = simulation.model();
  DynamicsData<double> data(model);
  const State& state = simulation.state();
  update_kinematics<double>(model, data, as_span(state.q), as_span(state.v));
  return actuator_motion(model, data, as_span(state.q), as_span(state.v),
                         model.actuators()[actuator]);
}

/// A free body: forces and velocities of MuJoCo are in its own axes where it turns.
void set_free_state(const json& at, State& state) {
  const Eigen::VectorXd q = vector_of(at.at("qpos"));
  const Eigen::VectorXd v = vector_of(at.at("qvel"));
  state.q << q.head<3>(), q.segment<3>(4), q[3];
  state.v << v.head<3>(), Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * v.tail<3>();
}

TEST_F(ActuatorRule, SitesArePushed) {
  const json& scene = rule("site_transmission");
  for (const json& at : scene.at("samples")) {
    Simulation simulation = simulation_of(scene.at("mjcf"));
    set_free_state(at, simulation.state());
    simulation.control() = vector_of(at.at("ctrl"));
    (void)simulation.evaluate();
    Eigen::VectorXd forces = simulation.actuator_forces();
    const Eigen::Quaterniond turn(simulation.state().q[6], simulation.state().q[3],
                                  simulation.state().q[4], simulation.state().q[5]);
    forces.tail<3>() = turn.conjugate() * forces.tail<3>();
    EXPECT_TRUE(forces.isApprox(vector_of(at.at("qfrc_actuator")), 1e-12)) << forces.transpose();
    for (std::size_t i = 0; i < 2; ++i) {
      const ActuatorMotion motion = motion_of(simulation, i);
      EXPECT_EQ(motion.length, 0.0);
      EXPECT_NEAR(motion.velocity, at.at("actuator_velocity")[i].get<double>(), 1e-12);
    }
  }
}

TEST_F(ActuatorRule, SitesArePulledTowardsOthers) {
  const json& scene = rule("site_transmission");
  Simulation simulation = simulation_of(scene.at("mjcf_refsite"));
  simulation.options().time_step = 1e-9;  // forces at the start of the step
  simulation.state().q = vector_of(scene.at("refsite_qpos"));
  simulation.state().v = vector_of(scene.at("refsite_qvel"));
  simulation.control() = vector_of(scene.at("refsite_ctrl"));
  (void)simulation.evaluate();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(motion_of(simulation, i).velocity, scene.at("refsite_velocity")[i].get<double>(),
                1e-12);
  }
  EXPECT_NEAR(motion_of(simulation, 0).length, scene.at("refsite_length")[0].get<double>(), 1e-12);
  EXPECT_NEAR(simulation.workspace().actuator_force(0), scene.at("refsite_force")[0].get<double>(),
              1e-7);
  // MuJoCo multiplies the orientations of a turned site and its body in reverse order; ours is the
  // rotation vector of the site itself, from the reference.
  const auto turn = [](double angle, const Eigen::Vector3d& axis) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
  };
  const double degree = 0.017453292519943295;
  const Eigen::Quaterniond body =
      turn(0.3, Eigen::Vector3d::UnitY()) * turn(-0.4, Eigen::Vector3d::UnitX());
  const Eigen::Quaterniond site = turn(10 * degree, Eigen::Vector3d::UnitX());
  const Eigen::Quaterniond reference = turn(40 * degree, Eigen::Vector3d::UnitZ());
  const Eigen::AngleAxisd theirs(reference.conjugate() * (site * body));
  EXPECT_NEAR(theirs.angle() * theirs.axis().y(), scene.at("refsite_length")[1].get<double>(),
              1e-12);
  const Eigen::AngleAxisd ours(reference.conjugate() * (body * site));
  EXPECT_NEAR(motion_of(simulation, 1).length, ours.angle() * ours.axis().y(), 1e-12);
}

/// Activations to the last digits; forces wherever the joint, which our step damps otherwise, does
/// not matter.
TEST_F(ActuatorRule, ActivationsFollowControls) {
  const json& scene = rule("activation_dynamics");
  Simulation simulation = simulation_of(scene.at("mjcf"));
  const Model& model = simulation.model();
  ASSERT_EQ(model.activation_count(), 6);
  simulation.control().setOnes();
  for (const json& at : scene.at("samples")) {
    while (simulation.state().time < at.at("t").get<double>() - 1e-9) {
      ASSERT_EQ(simulation.step().status, StepStatus::ok);
    }
    for (int i = 0; i < 6; ++i) {
      const auto slot = static_cast<std::size_t>(i);
      EXPECT_NEAR(simulation.state().activation[i], at.at("act")[slot].get<double>(), 1e-14) << i;
      if (i > 3) continue;  // these depend on the joint
      EXPECT_NEAR(simulation.workspace().actuator_force(i),
                  at.at("force_of_last_step")[slot].get<double>(), 1e-13)
          << i;
    }
  }
}

TEST_F(ActuatorRule, MusclesPull) {
  const json& scene = rule("muscle_activation");
  std::string text = scene.at("mjcf");
  {
    const Model model = load_model_text(text, "rule.xml").model;
    const Actuator& muscle = model.actuators()[0];
    // Ours is the range of the joint; MuJoCo's limits give way by 0.6 mm while it looks for it.
    EXPECT_NEAR(muscle.length_range[0], -0.1, 1e-9);
    EXPECT_NEAR(muscle.length_range[1], 0.1, 1e-9);
    EXPECT_NEAR(muscle.muscle_gain->peak_force, 200.0 / scene.at("acc0").get<double>(), 1e-9);
  }
  const std::string range = fmt::format("name='m' lengthrange='{:.17g} {:.17g}'",
                                        scene.at("lengthrange")[0].get<double>(),
                                        scene.at("lengthrange")[1].get<double>());
  text.replace(text.find("name='m'"), 8, range);
  Simulation simulation(load_model_text(text, "rule.xml").model);
  for (const json& at : scene.at("samples")) {
    const double until = at.at("t");
    while (simulation.state().time < until - 1e-9) {
      simulation.control()[0] = simulation.state().time < 0.05 - 1e-9 ? 1.0 : 0.0;
      ASSERT_EQ(simulation.step().status, StepStatus::ok);
    }
    EXPECT_NEAR(simulation.state().activation[0], at.at("act").get<double>(), 1e-13);
    // The slide moves by other steps than MuJoCo's, in which it is damped by 1000 N s/m.
    EXPECT_NEAR(simulation.state().q[0], at.at("length").get<double>(), 2e-4);
  }
}

/// Control, force and the sum on a joint, each within its range.
TEST_F(ActuatorRule, ForcesKeepTheirOrderOfLimits) {
  const json& scene = rule("force_saturation");
  // Within a step of 1 ns, joint a of 0.004 kg m² gains 3e-6 rad/s.
  constexpr double tolerance = 1e-4;
  for (const json& at : scene.at("samples")) {
    Simulation simulation = simulation_of(scene.at("mjcf"));
    simulation.options().time_step = 1e-9;
    simulation.state().v[0] = 0.1;  // at which 100 · 0.04 − 2 · 3 · 0.1 is what was measured
    simulation.control() = vector_of(at.at("ctrl"));
    (void)simulation.evaluate();
    const Eigen::VectorXd forces = simulation.actuator_forces();
    EXPECT_LT((forces - vector_of(at.at("qfrc_actuator"))).norm(), tolerance) << forces.transpose();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(simulation.workspace().actuator_force(static_cast<int>(i)),
                  at.at("actuator_force")[i].get<double>(), tolerance);
    }
  }
}

TEST_F(ActuatorRule, ShortcutsMeanWhatMujocoMakesOfThem) {
  const json& scene = rule("actuator_shortcuts");
  const LoadedModel loaded = load_model_text(scene.at("mjcf").get<std::string>(), "rule.xml");
  int compared = 0;
  for (const json& expected : scene.at("actuators")) {
    const std::string name = expected.at("name");
    SCOPED_TRACE(name);
    const auto slot = loaded.model.find_actuator(name);
    ASSERT_TRUE(slot.has_value());
    const Actuator& actuator = loaded.model.actuators()[static_cast<std::size_t>(*slot)];
    EXPECT_EQ(static_cast<int>(actuator.dynamics), expected.at("dyntype").get<int>());
    const bool affine_bias = expected.at("biastype") == 1;
    const bool affine_gain = expected.at("gaintype") == 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double gain = k == 0 || affine_gain ? expected.at("gainprm")[k].get<double>() : 0.0;
      EXPECT_DOUBLE_EQ(actuator.gain[k], gain);
      const double bias = affine_bias ? expected.at("biasprm")[k].get<double>() : 0.0;
      EXPECT_DOUBLE_EQ(actuator.bias[k], bias);
      EXPECT_DOUBLE_EQ(actuator.dynamics_values[k], expected.at("dynprm")[k].get<double>());
    }
    EXPECT_EQ(actuator.control_limited, expected.at("ctrllimited").get<bool>());
    EXPECT_EQ(actuator.activation_limited, expected.at("actlimited").get<bool>());
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_DOUBLE_EQ(actuator.control_range[k], expected.at("ctrlrange")[k].get<double>());
      EXPECT_DOUBLE_EQ(actuator.activation_range[k], expected.at("actrange")[k].get<double>());
    }
    ++compared;
  }
  EXPECT_EQ(compared, 12);
  EXPECT_EQ(loaded.problems.count(Severity::warning), 0u);
}

TEST_F(ActuatorRule, RangesLimitByThemselves) {
  const json& scene = rule("autolimits");
  const Model model = load_model_text(scene.at("mjcf").get<std::string>(), "rule.xml").model;
  for (const json& expected : scene.at("actuators")) {
    const std::string name = expected.at("name");
    SCOPED_TRACE(name);
    const Actuator& actuator =
        model.actuators()[static_cast<std::size_t>(model.find_actuator(name).value())];
    EXPECT_EQ(actuator.control_limited, expected.at("ctrllimited").get<bool>());
    EXPECT_EQ(actuator.force_limited, expected.at("forcelimited").get<bool>());
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_DOUBLE_EQ(actuator.control_range[k], expected.at("ctrlrange")[k].get<double>());
      EXPECT_DOUBLE_EQ(actuator.force_range[k], expected.at("forcerange")[k].get<double>());
    }
  }
  const JointLimits& slide = model.joint(model.find_joint("slide").value()).limits;
  EXPECT_DOUBLE_EQ(slide.least_effort(), -1.0);
  EXPECT_DOUBLE_EQ(slide.largest_effort(), 2.0);
}

/// All cases: without actuators nothing carries; with them the sum keeps within its range.
TEST_F(ActuatorRule, ActuatorsCarryWeight) {
  int compared = 0;
  for (const json& one : rule("gravcomp").at("cases")) {
    const std::string text = one.at("mjcf");
    if (text.find("actuatorgravcomp") == std::string::npos) continue;
    SCOPED_TRACE(one.at("case").get<std::string>());
    for (const Integrator integrator : {Integrator::trapezoid, Integrator::rk4}) {
      Simulation simulation(load_model_text(text, "rule.xml").model);
      simulation.options().integrator = integrator;
      simulation.state().q = vector_of(one.at("qpos"));
      (void)simulation.evaluate();
      const Eigen::VectorXd acceleration = simulation.accelerations();
      for (int i = 0; i < 2; ++i) {
        const auto k = static_cast<std::size_t>(i);
        EXPECT_NEAR(acceleration[i], one.at("qacc")[k].get<double>(), 1e-9);
        EXPECT_NEAR(simulation.actuator_forces()[i], one.at("qfrc_actuator")[k].get<double>(),
                    1e-9);
      }
      simulation.options().time_step = 1e-7;
      simulation.step();  // by stages, the same
      EXPECT_NEAR(simulation.state().v[0] / 1e-7, one.at("qacc")[0].get<double>(), 1e-4);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST_F(ActuatorRule, TheMediumPushes) {
  for (const json& one : rule("fluid_forces").at("cases")) {
    Simulation simulation = simulation_of(one.at("mjcf"));
    simulation.options().time_step = 1e-9;
    State& state = simulation.state();
    const Eigen::Quaterniond turn(state.q[6], state.q[3], state.q[4], state.q[5]);
    const Eigen::VectorXd v = vector_of(one.at("qvel"));
    state.v << v.head<3>(), turn * v.tail<3>();
    (void)simulation.evaluate();
    ASSERT_EQ(simulation.workspace().external_forces().size(), 1u);
    const Force<double>& force = simulation.workspace().external_forces()[0];
    Eigen::VectorXd found(6);
    found << to_eigen(force.linear), turn.conjugate() * to_eigen(force.angular);
    const Eigen::VectorXd expected = vector_of(one.at("qfrc_fluid"));
    EXPECT_LT((found - expected).norm(), 1e-8 * expected.norm()) << (found - expected).transpose();
  }
}

/// Springs rest where springref says, in the unit of the file.
TEST_F(ActuatorRule, SpringsRestAtTheirReference) {
  const json& scene = rule("springref_ref");
  for (const json& at : scene.at("samples")) {
    Simulation simulation = simulation_of(scene.at("mjcf"));
    simulation.options().time_step = 1e-9;
    simulation.state().q = vector_of(at.at("qpos"));
    (void)simulation.evaluate();
    const double ball = 0.4 * 0.05 * 0.05;
    const Eigen::Vector3d inertias(ball + 0.25, 1.0, ball);
    const Eigen::VectorXd forces = simulation.accelerations().cwiseProduct(inertias);
    EXPECT_LT((forces - vector_of(at.at("qfrc_spring"))).norm(), 1e-6) << forces.transpose();
  }
}

/// rk4 agrees; our other integrators take springs and servos implicitly, MuJoCo's do not: a spring
/// of 5 N m/rad with steps of 10 ms shows the difference of first-order methods.
TEST_F(ActuatorRule, RungeKuttaAgrees) {
  const json& scene = rule("integrators_and_damping");
  for (const json& one : scene.at("cases")) {
    if (one.at("integrator") != "RK4") continue;
    Simulation simulation = simulation_of(one.at("mjcf"));
    simulation.options().integrator = Integrator::rk4;
    simulation.state().q.setConstant(0.5);
    EXPECT_EQ(simulation.run(0.1).status, StepStatus::ok);
    EXPECT_TRUE(simulation.state().q.isApprox(vector_of(one.at("qpos")), 1e-12));
    EXPECT_TRUE(simulation.state().v.isApprox(vector_of(one.at("qvel")), 1e-12));
  }
}

}  // namespace
}  // namespace stiction
