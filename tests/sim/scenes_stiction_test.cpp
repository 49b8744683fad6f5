// What should stick sticks: no creep, and a force just beyond the cone moves it. The hours of it
// are measured in experiments/.

#include <cmath>

#include "support/scenes.hpp"

namespace stiction::test {
namespace {

StepOptions tight() {
  StepOptions options;
  options.solver_options.tolerance = 1e-11;
  return options;
}

/// How far any entry of q wanders in some seconds after settling.
double creep(Simulation& simulation, double settle, double seconds) {
  simulation.run(settle);
  const Eigen::VectorXd settled = simulation.state().q;
  simulation.run(seconds);
  return (simulation.state().q - settled).cwiseAbs().maxCoeff();
}

// An hour may bring 1e-8 m: so much for each of its seconds.
constexpr double creep_per_second = 1e-8 / 3600.0;

TEST(Stiction, BoxOnASlopeStaysAndAMillionthOfANewtonMoreMovesIt) {
  Simulation simulation(load_scene("slope_box"), tight());
  EXPECT_LT(creep(simulation, 0.1, 1.0), creep_per_second);
  const double angle = 20.0 * std::acos(-1.0) / 180.0;
  const double limit = gravity * (0.5 * std::cos(angle) - std::sin(angle)) /
                       (std::cos(angle) + 0.5 * std::sin(angle));
  simulation.control()[0] = limit - 1e-6;
  // So near to the cone the impulses take seconds to settle to the last bit; then nothing moves.
  EXPECT_LT(creep(simulation, 4.0, 1.0), creep_per_second);
  simulation.control()[0] = limit + 1e-6;
  const double start = simulation.state().q[0];
  simulation.run(1.0);
  // Half of a t² with a = 1e-6 N (cos α + µ sin α) / m, along x.
  const double expected = 0.5e-6 * (std::cos(angle) + 0.5 * std::sin(angle)) * std::cos(angle);
  EXPECT_NEAR(simulation.state().q[0] - start, expected, 0.01 * expected);
}

TEST(Stiction, TwoFingersHoldAKilogram) {
  Simulation simulation = scene_at(load_scene("gripper"), tight(), "hold");
  EXPECT_LT(creep(simulation, 2.0, 1.0), creep_per_second);
  EXPECT_EQ(simulation.counts().not_certified, 0);
}

TEST(Stiction, AStandingQuadrupedStands) {
  Simulation simulation = scene_at(load_scene("quadruped_stand"), tight(), "stand");
  // Its slowest sway dies out by 1/e in 1.5 s.
  EXPECT_LT(creep(simulation, 31.0, 1.0), creep_per_second);
  EXPECT_EQ(simulation.counts().not_certified, 0);
}

TEST(Scenes, QuadrupedAmongBoxesOnASlopeStaysUp) {
  Simulation simulation = scene_at(load_scene("quadruped_boxes"), {}, "stand");
  simulation.run(1.0);
  EXPECT_GT(pose_of(simulation.model(), simulation.state(), "base").translation().z(), 0.3);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_LT(simulation.counts().deepest_overlap, 1e-4);
}

TEST(Scenes, QuadrupedOnUnevenGroundStaysUp) {
  Simulation simulation = scene_at(load_scene("quadruped_terrain"), {}, "stand");
  simulation.run(1.0);
  EXPECT_GT(pose_of(simulation.model(), simulation.state(), "base").translation().z(), 0.3);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_LT(simulation.counts().deepest_overlap, 1e-3);
}

}  // namespace
}  // namespace stiction::test
