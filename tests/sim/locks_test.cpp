// Closed loops and couplings, redundant ones and those that contradict each other: every step is
// certified, and what can close stays closed.

#include <cmath>
#include <fmt/format.h>
#include <string>

#include "stiction/dynamics/kinematics.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

Simulation simulate(const std::string& bodies, const std::string& equality,
                    const std::string& rest = "") {
  return Simulation(
      load_model_text(fmt::format("<mujoco><compiler angle='radian' autolimits='true'/>"
                                  "<option timestep='.002'/><worldbody>{}</worldbody>"
                                  "<equality>{}</equality>{}</mujoco>",
                                  bodies, equality, rest),
                      "scene.xml")
          .model);
}

/// Where a body of any tree is.
Eigen::Isometry3d place(const Simulation& simulation, const std::string& body) {
  DynamicsData<double> data(simulation.model());
  update_kinematics(simulation.model(), data, simulation.state().q, simulation.state().v);
  return body_pose(data, *simulation.model().find_body(body));
}

/// How far the ends of two bodies are apart.
double opening(const Simulation& simulation, const std::string& a, const Eigen::Vector3d& at_a,
               const std::string& b, const Eigen::Vector3d& at_b) {
  return (place(simulation, a) * at_a - place(simulation, b) * at_b).norm();
}

/// A ladder of parallelograms of 0.1 m, all hinges about y. The y rows of its loops are redundant.
struct Ladder {
  std::string body;
  std::string equality;

  explicit Ladder(int cells, double anchor_y = 0.0) {
    std::string end;
    const std::string rod =
        "<geom type='capsule' size='.005' mass='.05' contype='0' "
        "conaffinity='0' fromto='0 0 0 ";
    for (int i = 0; i < cells; ++i) {
      body += fmt::format(
          "<body name='R{0}' pos='.1 0 0'><joint axis='0 1 0'/>{1}0 0 -.1'/></body>"
          "<body name='L{0}'><joint name='L{0}' axis='0 1 0'/>{1}0 0 -.1'/>"
          "<body name='B{0}' pos='0 0 -.1'><joint axis='0 1 0'/>{1}.1 0 0'/>",
          i, rod);
      end += "</body></body>";
      equality +=
          fmt::format("<connect body1='R{0}' body2='B{0}' anchor='0 {1} -.1'/>", i, anchor_y);
    }
    body += end;
  }
};

TEST(Locks, LadderOfRedundantLoopsSwingsClosedAndCertified) {
  const Ladder ladder(16);
  Simulation simulation = simulate("<body euler='0 1 0'>" + ladder.body + "</body>",
                                   ladder.equality, "<actuator><motor joint='L0'/></actuator>");
  simulation.control()[0] = 2.0;
  double widest = 0.0;
  for (int i = 0; i < 500; ++i) {
    simulation.step();
    for (int cell = 0; cell < 16; ++cell) {
      widest = std::max(widest, opening(simulation, fmt::format("R{}", cell), {0, 0, -0.1},
                                        fmt::format("B{}", cell), {0.1, 0, 0}));
    }
  }
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_GT(simulation.state().v.norm(), 0.1);
  // What a step turns beyond its tangent, of which a fifth is taken back each step.
  EXPECT_LT(widest, 1e-3);
}

TEST(Locks, SwingThroughDeadPointsGainsNoEnergy) {
  const Ladder ladder(1);
  Simulation simulation =
      simulate("<body euler='0 1.57 0'>" + ladder.body + "</body>", ladder.equality);
  simulation.options().balance = true;
  const auto energy = [&] {
    return simulation.report().balance.kinetic_energy +
           simulation.report().balance.potential_energy;
  };
  simulation.step();
  const double start = energy();
  double highest = start;
  for (int i = 0; i < 2000; ++i) {
    simulation.step();
    highest = std::max(highest, energy());
  }
  EXPECT_EQ(simulation.counts().not_certified, 0);
  // It falls by 0.1 m and more: 0.15 J.
  EXPECT_LT(highest, start + 0.01);
}

/// A plate on four struts. Each strut is welded to the plate and pinned to it, and the places
/// contradict each other by up to 0.2 mm.
TEST(Locks, ContradictionsAreLeftAsTheyAreAndCertified) {
  std::string bodies =
      "<geom type='plane' size='5 5 1'/><body name='plate' pos='0 0 .3'><freejoint/>"
      "<geom type='box' size='.2 .2 .01' mass='1'/></body>";
  std::string equality;
  for (int i = 0; i < 4; ++i) {
    const double x = i % 2 == 0 ? 0.15 : -0.15;
    const double y = i < 2 ? 0.15 : -0.15;
    bodies += fmt::format(
        "<body name='s{}' pos='{} {} .15'><freejoint/><geom type='capsule' "
        "size='.01' fromto='0 0 -.14 0 0 .12' mass='.1'/></body>",
        i, x + 1e-4 * (i - 1), y - 1e-4 * i);
    equality += fmt::format(
        "<connect body1='s{0}' body2='plate' anchor='0 0 .14'/>"
        "<weld body1='s{0}' body2='plate' relpose='{1} {2} .15 1 0 0 0'/>"
        "<weld body1='s{0}' body2='s{3}'/>",
        i, -x, -y, (i + 1) % 4);
  }
  Simulation simulation = simulate(bodies, equality);
  simulation.run(1.0);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_LT(simulation.state().v.norm(), 1e-6);
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d corner(i % 2 == 0 ? 0.15 : -0.15, i < 2 ? 0.15 : -0.15, 0.0);
    EXPECT_LT(opening(simulation, fmt::format("s{}", i), {0, 0, 0.15}, "plate", corner), 5e-4);
  }
}

TEST(Locks, LoopWithItsPinOutOfPlaneClosesInItsPlane) {
  // The second pin of each cell contradicts the first by 0.3 and 0.5 mm, and is 3 mm out of plane.
  const Ladder ladder(8, 0.003);
  std::string equality = ladder.equality;
  for (int i = 0; i < 8; i += 2) {
    equality += fmt::format("<connect body1='R{0}' body2='B{0}' anchor='.0005 0 -.1003'/>", i);
  }
  Simulation simulation = simulate(ladder.body, equality);
  simulation.state().v[1] = 1.0;
  simulation.run(1.0);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  for (int i = 0; i < 8; ++i) {
    EXPECT_LT(opening(simulation, fmt::format("R{}", i), {0, 0, -0.1}, fmt::format("B{}", i),
                      {0.1, 0, 0}),
              1e-3);
  }
}

TEST(Locks, HandWithTinyInertiasHoldsABall) {
  std::string fingers;
  std::string equality;
  std::string actuators;
  for (int i = 0; i < 5; ++i) {
    fingers += fmt::format(
        "<body pos='.05 {1} 0'><joint name='a{0}' axis='0 1 0' range='-.2 1.6'/>"
        "<geom type='capsule' size='.006' fromto='0 0 0 .04 0 0' mass='.01'/>"
        "<body pos='.04 0 0'><joint name='b{0}' axis='0 1 0' range='-.2 1.6'/>"
        "<geom type='capsule' size='.006' fromto='0 0 0 .025 0 0' mass='.004'/>"
        "<body pos='.025 0 0'><joint name='c{0}' axis='0 1 0' range='-.2 1.6'/>"
        "<geom type='capsule' size='.006' fromto='0 0 0 .02 0 0' mass='.0001'/>"
        "</body></body></body>",
        i, -0.04 + 0.02 * i);
    equality += fmt::format(
        "<joint joint1='b{0}' joint2='a{0}' polycoef='0 1 0 0 0'/>"
        "<joint joint1='c{0}' joint2='b{0}' polycoef='0 .7 0 0 0'/>",
        i);
    actuators += fmt::format("<position joint='a{}' kp='2' kv='.05'/>", i);
  }
  Simulation simulation = simulate(
      "<body name='palm' pos='0 0 .2'><geom type='box' size='.05 .05 .01'/>" + fingers +
          "</body><body name='ball' pos='.08 0 .155'><freejoint/><geom type='sphere' size='.03' "
          "mass='.02'/></body><geom type='box' size='.02 .1 .01' pos='.06 0 .11'/>",
      equality, "<actuator>" + actuators + "</actuator>");
  simulation.control().setConstant(1.2);
  simulation.run(1.0);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  const Eigen::VectorXd& q = simulation.state().q;
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(q[3 * i + 1], q[3 * i], 1e-6);
    EXPECT_NEAR(q[3 * i + 2], 0.7 * q[3 * i + 1], 1e-6);
  }
}

TEST(Locks, WinAgainstOverlapsAndLimitsThatTheyHold) {
  // Two welded boxes overlap by 50 mm; a joint is locked 0.2 rad beyond its limit.
  Simulation simulation = simulate(
      "<geom type='plane' size='5 5 1'/>"
      "<body name='a' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body name='b' pos='.15 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='0 1 1'><joint name='p' axis='0 1 0' range='-.5 .5'/><geom type='capsule' "
      "size='.02' fromto='0 0 0 .3 0 0' mass='.3'/></body>",
      "<weld body1='a' body2='b'/><joint joint1='p' polycoef='.7 0 0 0 0'/>");
  simulation.run(1.0);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_LT(simulation.state().v.norm(), 1e-6);
  EXPECT_LT(opening(simulation, "a", {0.15, 0, 0}, "b", {0, 0, 0}), 1e-9);
  const int p = simulation.model().joint(*simulation.model().find_joint("p")).position_index;
  EXPECT_NEAR(simulation.state().q[p], 0.7, 1e-6);
}

}  // namespace
}  // namespace stiction::test
