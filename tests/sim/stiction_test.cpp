// True stiction, some seconds of it: what rests has no velocity, and nothing is put to sleep. An
// hour of the same is in experiments/stiction_table.

#include <gtest/gtest.h>

#include "experiments/stiction_scenes.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// 1e-8 m per hour.
constexpr double slowest = 1e-8 / 3600.0;  // [m/s]

Simulation load(const experiments::RestScene& scene) {
  StepOptions options{.time_step = 0.001};
  options.solver_options.tolerance = 1e-11;
  const auto path = std::filesystem::path(STICTION_SOURCE_DIR) / "models" / "scenes" / scene.file;
  Simulation simulation(load_model(path).model, options);
  if (!scene.keyframe.empty()) simulation.reset_to_keyframe(scene.keyframe);
  return simulation;
}

class Stiction : public testing::TestWithParam<experiments::RestScene> {};

/// Springs and dampers of robots die down first; then, over two seconds, the mean velocity of every
/// joint and body is below the bound. Positions are compared, so that a velocity which comes and
/// goes by rounding counts for nothing and a creeping one for all.
TEST_P(Stiction, NothingCreeps) {
  Simulation simulation = load(GetParam());
  simulation.run(GetParam().settling_time);
  const long long before = simulation.counts().not_certified;
  const Eigen::VectorXd start = simulation.state().q;
  constexpr double duration = 2.0;
  simulation.run(duration);
  EXPECT_EQ(simulation.counts().not_certified, before);
  EXPECT_LT((simulation.state().q - start).lpNorm<Eigen::Infinity>() / duration, slowest);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Stiction, testing::ValuesIn(experiments::rest_scenes()),
                         [](const auto& info) {
                           return info.param.file.substr(0, info.param.file.find('.'));
                         });

double pulled_speed(double beyond) {
  Simulation simulation = load(experiments::rest_scenes().front());
  simulation.control()[0] = experiments::slope_box_limit() + beyond;
  simulation.run(3.0);
  return simulation.state().v.head<3>().norm();
}

TEST(Stiction, AMillionthOfANewtonMovesTheBoxAndOneLessDoesNot) {
  EXPECT_LT(pulled_speed(-1e-6), slowest);
  // a = (cos 20° + µ sin 20°) f/m for 3 s; the rest is the solver's tolerance on 9.81 N.
  EXPECT_NEAR(pulled_speed(1e-6), 3.0 * 1.1107e-6, 1e-9);
}

}  // namespace
}  // namespace stiction
