// Actuators that pull together what touches: the answers are those of statics and of Coulomb's law.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double g = 9.81;

/// A box of 2 kg and 0.1 m, which touches a wall by its face at +x.
std::string box_at_wall(const std::string& gravity, const std::string& actuator,
                        double friction = 0.5) {
  return fmt::format(
      "<mujoco><option timestep='0.001' gravity='{}'/><worldbody>"
      "<geom name='wall' type='plane' size='1 1 1' pos='.05 0 0' zaxis='-1 0 0' friction='{}'/>"
      "<body name='box'><freejoint/><geom type='box' size='.05 .05 .05' mass='2' friction='{}'/>"
      "</body></worldbody><actuator>{}</actuator></mujoco>",
      gravity, friction, friction, actuator);
}

Simulation simulation_of(const std::string& text, double control) {
  LoadedModel loaded = load_model_text(text, "adhesion.xml");
  EXPECT_EQ(loaded.problems.count(Severity::warning), 0U);
  Simulation simulation(std::move(loaded.model));
  simulation.control().setConstant(control);
  return simulation;
}

const char* const adhesion = "<adhesion name='suction' body='box' ctrlrange='0 1' gain='100'/>";

double normal_force(const Simulation& simulation, const StepReport& report) {
  double sum = 0.0;
  for (const StepContact& contact : report.contacts) sum += contact.impulse.z;
  return sum / simulation.model().time_step();
}

TEST(Adhesion, HoldsABoxUnderACeilingIfItPullsMoreThanTheWeight) {
  const std::string ceiling = box_at_wall("-9.81 0 0", adhesion);
  for (const double control : {0.15, 0.19, 0.2, 0.5, 1.0}) {
    SCOPED_TRACE(control);
    Simulation simulation = simulation_of(ceiling, control);
    const StepReport& report = simulation.run(0.5);
    EXPECT_EQ(report.status, StepStatus::ok);
    const double spare = 100.0 * control - 2.0 * g;
    if (spare > 0.0) {
      EXPECT_LT(simulation.state().v.norm(), 1e-9);
      EXPECT_NEAR(normal_force(simulation, report), spare, 1e-6);
    } else {
      // Once it has let go, nothing pulls any more.
      EXPECT_LT(simulation.state().q[0], -1.0);
    }
  }
}

TEST(Adhesion, CarriesWeightByFrictionOnAWall) {
  // µ f ≥ m g holds; below that the box slides with g − µ f / m.
  for (const double control : {0.2, 0.39, 0.4, 1.0}) {
    SCOPED_TRACE(control);
    Simulation simulation = simulation_of(box_at_wall("0 0 -9.81", adhesion), control);
    const StepReport& report = simulation.run(0.2);
    EXPECT_EQ(report.status, StepStatus::ok);
    const double acceleration = std::max(0.0, g - 0.5 * 100.0 * control / 2.0);
    EXPECT_NEAR(simulation.state().v[2], -0.2 * acceleration, 1e-9 + 1e-6 * acceleration);
    EXPECT_NEAR(normal_force(simulation, report), 100.0 * control, 1e-5);
  }
}

/// A box on the floor does not fly, whatever pulls; its force is the sensor's.
TEST(Adhesion, IsAnActuatorLikeOthers) {
  Simulation simulation =
      simulation_of(box_at_wall("9.81 0 0",
                                "<adhesion name='suction' body='box' ctrlrange='0 1' gain='100' "
                                "forcerange='0 30'/>"),
                    5.0);
  const StepReport& report = simulation.run(0.1);
  EXPECT_NEAR(simulation.workspace().actuator_force(0), 30.0, 1e-12);
  EXPECT_NEAR(normal_force(simulation, report), 30.0 + 2.0 * g, 1e-6);
  EXPECT_LT(simulation.state().v.norm(), 1e-9);
}

/// The box is 4 mm off the wall. MuJoCo reaches it within the margin of the pair, and that of the
/// geoms does not count then.
TEST(Adhesion, ReachesAsFarAsTheMarginOfThePair) {
  const auto acceleration = [](const char* geom_margin, const char* pair_margin) {
    Simulation simulation = simulation_of(
        fmt::format(
            "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"
            "<geom name='wall' type='plane' size='1 1 1' pos='.054 0 0' zaxis='-1 0 0'/>"
            "<body name='box'><freejoint/><geom name='side' type='box' size='.05 .05 .05' mass='2' "
            "margin='{}'/></body></worldbody><contact><pair geom1='wall' geom2='side' "
            "margin='{}'/></contact><actuator>{}</actuator></mujoco>",
            geom_margin, pair_margin, adhesion),
        1.0);
    EXPECT_EQ(simulation.step().status, StepStatus::ok);
    return simulation.state().v[0] / 0.001;
  };
  EXPECT_NEAR(acceleration("0", "0.0045"), 50.0, 1e-9);
  EXPECT_NEAR(acceleration("0", "0.0035"), 0.0, 1e-12);
  EXPECT_NEAR(acceleration("0.0045", "0"), 0.0, 1e-12);
}

TEST(Adhesion, PullsTwoMovingBodiesTogether) {
  const char* text =
      "<mujoco><option gravity='0 0 0'/><worldbody>"
      "<body name='a'><freejoint/><geom type='sphere' size='.05' mass='1'/></body>"
      "<body name='b' pos='.1 0 0'><freejoint/><geom type='sphere' size='.05' mass='3'/></body>"
      "</worldbody><actuator><general body='a' gainprm='4'/></actuator></mujoco>";
  Simulation simulation = simulation_of(text, 1.0);
  // A weaker force on one of them moves both as one, a much stronger one parts them.
  const auto pull_apart = [&](double force) {
    for (int i = 0; i < 50; ++i) {
      simulation.push({.body = 1, .force = {force, 0.0, 0.0}});
      EXPECT_EQ(simulation.step().status, StepStatus::ok);
    }
  };
  pull_apart(3.0);  // 0.1 s
  EXPECT_NEAR(simulation.state().v[0], 0.1 * 3.0 / 4.0, 1e-9);
  EXPECT_NEAR(simulation.state().v[6], 0.1 * 3.0 / 4.0, 1e-9);
  pull_apart(40.0);
  EXPECT_GT(simulation.state().v[6], 10.0 * simulation.state().v[0]);
}

TEST(Adhesion, NeedsABodyAndARange) {
  for (const char* wrong :
       {"<adhesion ctrlrange='0 1'/>", "<adhesion body='box'/>",
        "<adhesion body='box' ctrlrange='-1 1'/>", "<adhesion body='bxo' ctrlrange='0 1'/>",
        "<adhesion body='box' ctrlrange='0 1' gain='-1'/>"}) {
    EXPECT_THROW((void)load_model_text(box_at_wall("0 0 0", wrong), "adhesion.xml"), InputError)
        << wrong;
  }
}

}  // namespace
}  // namespace stiction
