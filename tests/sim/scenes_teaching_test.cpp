// Scenes of the gallery whose answers are known.

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

double energy_of(const Simulation& simulation) {
  const Model& model = simulation.model();
  DynamicsData<double> data(model);
  update_kinematics(model, data, simulation.state().q, simulation.state().v);
  return kinetic_energy<double>(model, data, as_span(simulation.state().v)) +
         potential_energy<double>(model, data, as_span(simulation.state().q));
}

/// Ten swings there and back, with the options of the program.
TEST(TeachingScenes, FiveBallsCradleForTenSwings) {
  Simulation simulation = scene_at(load_scene("cradle_five"), {}, "start");
  // Of the lifted ball above where it hangs: 0.5 kg on 0.5 m at 0.5 rad.
  const double lifted = 0.5 * gravity * 0.5 * (1.0 - std::cos(0.5));
  const double start = energy_of(simulation);
  int swings = 0;
  bool first_is_out = true;
  double least_swing = 1.0;
  double most_middle = 0.0;
  double extreme = 0.0;  // of the ball that is out
  while (swings < 20) {  // out at one side and back at the other, ten of each
    ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
    ASSERT_LT(simulation.state().time, 20.0) << "it takes 14.5 s";
    const double out = first_is_out ? simulation.state().q[0] : -simulation.state().q[4];
    extreme = std::max(extreme, out);
    most_middle = std::max(most_middle, std::abs(simulation.state().q[2]));
    EXPECT_NEAR(energy_of(simulation), start, 0.01 * lifted) << simulation.state().time;
    if (extreme > 0.1 && out < 0.01) {
      least_swing = std::min(least_swing, extreme);
      first_is_out = !first_is_out;
      extreme = 0.0;
      ++swings;
    }
  }
  EXPECT_GT(least_swing, 0.49) << "the last ball rises as high as the first one fell";
  EXPECT_LT(most_middle, 0.05) << "the others hardly move";
}

TEST(TeachingScenes, ACableOverAPulleyAcceleratesBothMasses) {
  Simulation simulation(load_scene("pulley"));
  while (simulation.state().time < 0.5) {
    ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
  }
  const double expected = (1.2 - 0.8) / (1.2 + 0.8) * gravity * simulation.state().time;
  EXPECT_NEAR(simulation.state().v[0], -expected, 1e-3);
  EXPECT_NEAR(simulation.state().v[1], expected, 1e-3);
}

TEST(TeachingScenes, ACarRollsWithoutSlipping) {
  Simulation simulation(load_scene("car"));
  while (simulation.state().time < 1.0) {  // slowly, or the motors lift its front
    simulation.control().setConstant(std::min(10.0, 20.0 * simulation.state().time));
    ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
  }
  const double before = simulation.state().q[0];
  const double turned = simulation.state().q[7];
  simulation.run(1.0);
  EXPECT_GT(simulation.state().q[7] - turned, 5.0);
  EXPECT_NEAR(simulation.state().q[0] - before, 0.05 * (simulation.state().q[7] - turned), 1e-6);
  EXPECT_NEAR(simulation.state().q[1], 0.0, 1e-6) << "straight on";
}

TEST(TeachingScenes, AWheelTurnsHalfAsFastAsItsPinion) {
  Simulation simulation = scene_at(load_scene("gears"), {}, "turn");
  simulation.run(1.0);
  const Eigen::VectorXd before = simulation.state().q;
  simulation.run(2.0);
  const Eigen::VectorXd turned = simulation.state().q - before;
  EXPECT_GT(turned[0], 6.0);
  // Backlash is less than a fifth of a tooth of the wheel, 0.05 rad.
  EXPECT_NEAR(turned[1], -0.5 * turned[0], 0.05);
  EXPECT_EQ(simulation.counts().not_certified, 0);
}

TEST(TeachingScenes, AClosedLegStaysClosed) {
  Simulation simulation(load_scene("closed_leg"));
  const Model& model = simulation.model();
  double widest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double swing = 0.35 + 0.45 * std::sin(10.0 * simulation.state().time);
    simulation.control() << swing, -swing;
    ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
    DynamicsData<double> data(model);
    update_kinematics(model, data, simulation.state().q, simulation.state().v);
    const auto at = [&](const char* body, const Eigen::Vector3d& point) {
      return Eigen::Vector3d(body_pose(data, *model.find_body(body)) * point);
    };
    const Eigen::Vector3d foot = at("front_shank", {-0.12, 0.0, -0.16});  // which carries it
    const Eigen::Vector3d shank = at("back_shank", {0.12, 0.0, -0.16});
    widest = std::max(widest, (foot - shank).norm());
  }
  EXPECT_LT(widest, 1e-4) << "a tenth of a millimetre at 10 rad/s";
}

}  // namespace
}  // namespace stiction::test
