// Impacts and frictionless scenes whose answers are known: the particle tables, the cradle,
// restitution, and what linearised gaps do.

#include <array>
#include <cmath>
#include <numbers>

#include "support/scenes.hpp"

namespace stiction::test {
namespace {

class Frictionless : public testing::TestWithParam<SceneSetting> {};
class FrictionlessGap : public testing::TestWithParam<SceneSetting> {};

std::vector<SceneSetting> with_position_rule() {
  std::vector<SceneSetting> result;
  for (const SceneSetting& setting :
       scene_settings({Law::coulomb, Law::max_dissipation, Law::convex})) {
    if (setting.gap_rule == GapRule::position) result.push_back(setting);
  }
  return result;
}

const auto name_of = [](const auto& info) { return to_string(info.param); };
INSTANTIATE_TEST_SUITE_P(
    Scenes, Frictionless,
    testing::ValuesIn(scene_settings({Law::coulomb, Law::max_dissipation, Law::convex})), name_of);
INSTANTIATE_TEST_SUITE_P(Scenes, FrictionlessGap, testing::ValuesIn(with_position_rule()), name_of);

/// A particle table: position, velocity and force at the end of steps 0, 1, 2, ...
struct Table {
  std::array<double, 9> x;
  std::array<double, 9> v;
  std::array<double, 9> force;
  std::array<double, 9> gap;
};

/// One contact has one row that matters, so every solver ends within rounding of whole numbers but
/// those that stop at a residual.
double rounding_of(const SceneSetting& setting) {
  const bool direct =
      setting.solver == "hybrid" || setting.solver == "per_contact" || setting.solver == "lcp";
  return direct ? 0.0 : 1e-9;
}

void expect_table(Simulation& simulation, const Table& table, double tolerance) {
  simulation.options().integrator = Integrator::semi_implicit;
  const Model& model = simulation.model();
  for (std::size_t l = 0; l < table.x.size(); ++l) {
    SCOPED_TRACE("l = " + std::to_string(l));
    if (l > 0) simulation.step();
    EXPECT_NEAR(pose_of(model, simulation.state(), "particle").translation().x(), table.x[l],
                tolerance);
    EXPECT_NEAR(linear_velocity(model, simulation.state(), "particle").x(), table.v[l], tolerance);
    EXPECT_NEAR(normal_impulse(simulation, "particle", "wall"), table.force[l], tolerance);
    const auto wall = model.find_body("wall");
    const double face =
        wall ? pose_of(model, simulation.state(), "wall").translation().x() - 1.0 : 12.0;
    const double x = pose_of(model, simulation.state(), "particle").translation().x();
    EXPECT_NEAR(face - x - 1.0, table.gap[l], tolerance);
  }
}

TEST_P(FrictionlessGap, ParticleStopsAtAWallAsTheTableSays) {
  Simulation simulation(load_scene("particle_wall"), GetParam().options(1e-12));
  expect_table(simulation,
               {{0, 1, 3, 6, 10, 11, 11, 11, 11},
                {0, 1, 2, 3, 4, 1, 0, 0, 0},
                {0, 0, 0, 0, 0, 4, 2, 1, 1},
                {11, 10, 8, 5, 1, 0, 0, 0, 0}},
               rounding_of(GetParam()));
}

TEST_P(FrictionlessGap, ParticleIsPushedBackByAMovingWallAsTheTableSays) {
  Simulation simulation =
      scene_at(load_scene("particle_moving_wall"), GetParam().options(1e-12), "start");
  expect_table(simulation,
               {{0, 1, 3, 6, 7, 6, 5, 4, 3},
                {0, 1, 2, 3, 1, -1, -1, -1, -1},
                {0, 0, 0, 0, 3, 3, 1, 1, 1},
                {11, 9, 6, 2, 0, 0, 0, 0, 0}},
               rounding_of(GetParam()));
}

TEST(ParticleTable, WithoutAWallBothEulerRulesGiveTheTables) {
  SceneBuilder scene;
  scene.set_gravity({1, 0, 0});
  scene.set_time_step(1.0);
  scene.add_sphere("particle", 1.0, 1.0, at(0, 0, 0));
  const Model model = scene.build();
  const std::array<double, 7> explicit_x{0, 0, 1, 3, 6, 10, 15};
  const std::array<double, 6> semi_implicit_x{0, 1, 3, 6, 10, 15};
  StepOptions options;
  options.integrator = Integrator::explicit_euler;
  Simulation forward(model, options);
  for (std::size_t l = 0; l < explicit_x.size(); ++l) {
    EXPECT_EQ(forward.state().q[0], explicit_x[l]);
    EXPECT_EQ(forward.state().v[0], static_cast<double>(l));
    forward.step();
  }
  options.integrator = Integrator::semi_implicit;
  Simulation backward(model, options);
  for (const double x : semi_implicit_x) {
    EXPECT_EQ(backward.state().q[0], x);
    backward.step();
  }
}

TEST(ParticleTable, ExplicitEulerPassesTheWall) {
  Simulation simulation(load_scene("particle_wall"));
  simulation.options().integrator = Integrator::explicit_euler;
  for (int i = 0; i < 6; ++i) simulation.step();
  EXPECT_GT(simulation.state().q[0], 11.5);
}

TEST_P(Frictionless, CradleOfTouchingBallsSharesTheMomentum) {
  Simulation simulation = scene_at(load_scene("cradle"), GetParam().options(1e-12), "start");
  for (int i = 0; i < 3; ++i) simulation.state().q[7 * i] -= i * GetParam().overlap();
  simulation.options().push_out_fraction = 0.0;
  simulation.step();
  const Eigen::VectorXd& v = simulation.state().v;
  EXPECT_NEAR(v[0], -1.0 / 3.0, 1e-9);
  EXPECT_NEAR(v[6], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(v[12], 2.0 / 3.0, 1e-9);
}

TEST_P(Frictionless, CradleOfBallsApartPassesTheMomentumOn) {
  Simulation simulation = scene_at(load_scene("cradle_apart"), GetParam().options(1e-12), "start");
  simulation.run(0.02);
  const Eigen::VectorXd& v = simulation.state().v;
  EXPECT_NEAR(v[0], 0.0, 1e-9);
  EXPECT_NEAR(v[6], 0.0, 1e-9);
  EXPECT_NEAR(v[12], 1.0, 1e-9);
}

TEST_P(Frictionless, ParticleLeavesTheFloorWithItsShareOfTheSpeed) {
  Simulation simulation(load_scene("particle_restitution"), GetParam().options());
  double fastest_fall = 0.0;
  while (simulation.state().v[2] <= 0.0) {
    fastest_fall = std::min(fastest_fall, simulation.state().v[2]);
    simulation.step();
    ASSERT_LT(simulation.state().time, 1.0);
  }
  // Within the step of the impact gravity acts before or after it: one g h.
  const double h = simulation.time_step();
  EXPECT_NEAR(-fastest_fall, std::sqrt(2.0 * gravity), 2.0 * gravity * h);
  EXPECT_NEAR(simulation.state().v[2], -0.8 * fastest_fall, 2.0 * gravity * h);
}

TEST(LinearisedGap, ParticlePastABallLiftsOffByTheSquareOfItsStep) {
  const Model model = load_scene("particle_sphere");
  for (const double h : {0.04, 0.02, 0.01, 0.005}) {
    Simulation simulation = scene_at(model, {}, "start");
    simulation.options().time_step = h;
    simulation.options().integrator = Integrator::semi_implicit;
    simulation.step();
    const double lift = simulation.state().q.head<3>().norm() - 1.0;
    EXPECT_NEAR(lift, h * h / 2.0, 0.01 * h * h / 2.0);
  }
}

TEST(LinearisedGap, ParticleBesideARidgeSlidesOff) {
  Simulation simulation(load_scene("particle_ridge"));
  simulation.run(0.2);
  const double a = gravity * std::sqrt(0.5);
  EXPECT_NEAR(simulation.state().v.head<3>().norm(), 0.2 * a, 1e-9);
  EXPECT_NEAR(simulation.state().v[0], -simulation.state().v[2], 1e-9);
}

TEST(LinearisedGap, ParticleRidesAMovingPlateAndNeverEntersIt) {
  const Model model = load_scene("particle_moving_body");
  Simulation simulation = scene_at(model, {}, "start");
  double deepest = 0.0;
  int touches = 0;
  for (int i = 0; i < 60; ++i) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    for (const StepContact& contact : report.contacts) {
      deepest = std::min(deepest, contact.gap);
      touches += contact.impulse.z > 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(touches, 10);
  // The plate turns by 3 mrad in a step, so its points rise by h² ω v beyond their tangent planes.
  EXPECT_GT(deepest, -1e-4);
}

}  // namespace
}  // namespace stiction::test
