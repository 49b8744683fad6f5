// The simulation behind the live view: its past, its settings, and hands that pull.
#include <cmath>
#include <gtest/gtest.h>

#include "support/live_scene.hpp"

namespace stiction {
namespace {

using test::live_box;

void run(LiveSimulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(simulation.step()) << simulation.message();
    if (simulation.frame_is_full()) simulation.end_frame();
  }
  simulation.end_frame();
}

TEST(LiveSimulation, KeepsAFrameEverySixtiethOfASecond) {
  LiveSimulation simulation = live_box();
  run(simulation, 80);  // 8 steps of 2 ms each
  EXPECT_EQ(simulation.status().last, 10);
  EXPECT_NEAR(simulation.status().time, 0.16, 1e-12);
  EXPECT_EQ(simulation.status().steps, 80);
}

TEST(LiveSimulation, SlowMotionKeepsMoreFrames) {
  LiveSimulation simulation = live_box();
  simulation.change({.speed = 0.25});
  run(simulation, 80);  // 2 steps each
  EXPECT_EQ(simulation.status().last, 40);
}

TEST(LiveSimulation, GoesOnFromThePastBitForBit) {
  LiveSimulation simulation = live_box();
  run(simulation, 400);
  const LiveStatus end = simulation.status();
  simulation.go_to(7);
  const std::uint64_t seventh = simulation.status().hash;
  EXPECT_EQ(simulation.status().last, end.last) << "looking back forgets nothing";
  run(simulation, 400 - 7 * 8);
  EXPECT_EQ(simulation.status().hash, end.hash);
  EXPECT_EQ(simulation.status().frame, end.frame);

  simulation.go_to(7);
  EXPECT_EQ(simulation.status().hash, seventh);
  simulation.change({.friction = 0.1});
  run(simulation, 400 - 7 * 8);
  EXPECT_NE(simulation.status().hash, end.hash) << "another world has another future";
}

TEST(LiveSimulation, ForgetsTheFutureThatIsTakenBack) {
  LiveSimulation simulation = live_box();
  run(simulation, 400);
  simulation.go_to(3);
  run(simulation, 1);
  EXPECT_EQ(simulation.status().last, 4);
  EXPECT_THROW(simulation.go_to(5), std::invalid_argument);
}

TEST(LiveSimulation, DropsTheOldestFramesWhenThereAreTooMany) {
  LiveSimulation simulation = live_box({.frames = 10});
  run(simulation, 400);
  EXPECT_EQ(simulation.status().last, 50);
  EXPECT_EQ(simulation.status().first, 41);
  EXPECT_THROW(simulation.go_to(40), std::invalid_argument);
  simulation.go_to(41);

  LiveSimulation small = live_box({.bytes = 1});
  run(small, 40);
  EXPECT_EQ(small.status().first, small.status().last) << "the newest is always there";
}

TEST(LiveSimulation, HistoryCountsItsBytes) {
  LiveHistory history({.frames = 1000, .bytes = 100000});
  LiveFrame frame;
  frame.record.contacts.resize(10);
  history.restart(frame);
  const std::size_t one = history.bytes();
  for (int i = 0; i < 500; ++i) history.push(frame);
  EXPECT_LE(history.bytes(), 100000U);
  EXPECT_EQ(history.bytes(), one * static_cast<std::size_t>(history.last() - history.first() + 1));
  history.truncate_after(history.first());
  EXPECT_EQ(history.bytes(), one);
}

TEST(LiveSimulation, ResetStartsAnewWithTheSettings) {
  LiveSimulation simulation = live_box();
  const std::uint64_t start = simulation.status().hash;
  run(simulation, 100);
  const std::uint64_t after = simulation.status().hash;
  simulation.change({.options = {{"solver", "pgs"}, {"tolerance", 1e-4}}});
  simulation.reset();
  EXPECT_EQ(simulation.status().hash, start);
  EXPECT_EQ(simulation.status().last, 0);
  EXPECT_EQ(simulation.status().steps, 0);
  EXPECT_EQ(simulation.status().settings.options.solver, "pgs");
  simulation.change({.options = {{"solver", "hybrid"}, {"tolerance", 1e-8}}});
  run(simulation, 100);
  EXPECT_EQ(simulation.status().hash, after);
}

TEST(LiveSimulation, ChangesAllSettingsOrNone) {
  LiveSimulation simulation = live_box();
  const std::string before = status_message(simulation.status());
  const std::vector<SettingsChange> wrong{
      {.options = {{"solver", "magic"}}},
      {.options = {{"law", "magic"}}},
      {.options = {{"gap_rule", "magic"}}},
      {.options = {{"integrator", "magic"}}},
      {.options = {{"gravity", 1.0}}},
      {.options = {{"time_step", -1.0}}},
      {.options = {{"time_step", 1e9}}},
      {.options = {{"push_out_fraction", 3.0}}},
      {.options = {{"hybrid.sweeps", 0}}},
      {.friction = -0.1},
      {.friction = 1e9},
      {.speed = 0.0},
      {.speed = 1e9},
      {.options = {{"tolerance", 0.0}}},
      {.options = {{"tolerance", -1.0}}},
      {.options = {{"solver", "pgs"}}, .speed = -1.0},
      {.options = {{"solver", "pgs"}, {"law", "convex"}}},
      {.options = {{"solver", "admm"}, {"law", "max_dissipation"}}},
      {.options = {{"tolerance", NAN}}, .friction = 2.0}};
  for (const SettingsChange& change : wrong) {
    EXPECT_THROW(simulation.change(change), std::invalid_argument);
    EXPECT_EQ(status_message(simulation.status()), before);
  }
  EXPECT_FALSE(simulation.change({.options = {{"law", "convex"},
                                              {"gap_rule", "velocity"},
                                              {"integrator", "semi_implicit"},
                                              {"push_out_sweeps", 7},
                                              {"time_step", 0.004}}}));
  const StepOptions options = simulation.status().settings.options;
  EXPECT_EQ(options.solver_options.law, Law::convex);
  EXPECT_EQ(options.gap_rule, GapRule::velocity);
  EXPECT_EQ(options.integrator, Integrator::semi_implicit);
  EXPECT_EQ(options.push_out_sweeps, 7);
  EXPECT_EQ(options.time_step, 0.004);
  run(simulation, 10);
  EXPECT_NEAR(simulation.status().time, 0.04, 1e-12);
}

TEST(LiveSimulation, FrictionFactorActsAndIsSeenInTheScene) {
  LiveSimulation simulation = live_box();
  const std::string before = simulation.scene_text();
  EXPECT_TRUE(simulation.change({.friction = 0.0}));
  EXPECT_NE(simulation.scene_text(), before);
  run(simulation, 200);  // 0.4 s at 1.5 m/s: nothing brakes the box
  const std::string frame = simulation.frame_text();
  float x = 0.0F;
  std::memcpy(&x, frame.data() + 88, sizeof x);  // behind the head: place of body 0
  EXPECT_NEAR(x, 0.6, 1e-4);
  EXPECT_TRUE(simulation.change({.friction = 1.0}));
  EXPECT_EQ(simulation.scene_text(), before);
}

TEST(LiveSimulation, AStateThatCannotBeSteppedIsTold) {
  Model model = test::sliding_box();
  State state = model.initial_state();
  state.v[0] = NAN;
  LiveSimulation simulation(std::move(model), std::move(state), {}, {});
  EXPECT_FALSE(simulation.step());
  EXPECT_NE(simulation.message().find("refused"), std::string::npos) << simulation.message();
  EXPECT_EQ(simulation.status().refused, 1);
  EXPECT_EQ(simulation.status().steps, 0);
}

/// A ball at rest where nothing else acts, pulled by its centre.
LiveSimulation floating_ball(double time_step) {
  SceneBuilder scene("ball");
  scene.set_gravity({0, 0, 0});
  scene.set_time_step(time_step);
  scene.add_sphere("ball", 0.1, 3.0, at(0, 0, 0));
  Model model = scene.build();
  State start = model.initial_state();
  return {std::move(model), std::move(start), {}, {}};
}

double ball_x(const LiveSimulation& simulation) {
  const std::string frame = simulation.frame_text();
  float x = 0.0F;
  std::memcpy(&x, frame.data() + 88, sizeof x);
  return x;
}

TEST(LiveSimulation, PullsAsACriticallyDampedSpring) {
  LiveSimulation simulation = floating_ball(1e-4);
  constexpr double distance = 0.5;
  simulation.drag(1, {.body = 0, .target = {distance, 0, 0}});
  run(simulation, 3000);
  const double wt = DragSpring::frequency * 0.3;
  const double exact = distance * (1.0 - (1.0 + wt) * std::exp(-wt));
  EXPECT_NEAR(ball_x(simulation), exact, 1e-3 * distance);  // first order in h ω = 1e-3
  simulation.release(2);
  run(simulation, 20000);
  EXPECT_NEAR(ball_x(simulation), distance, 1e-6);
  simulation.release(1);
  simulation.drag(1, {.body = 0, .target = {2 * distance, 0, 0}});
  simulation.release(1);
  run(simulation, 1000);
  EXPECT_NEAR(ball_x(simulation), distance, 1e-6) << "released bodies are free";
}

TEST(LiveSimulation, PullIsLimitedAndStableForLongSteps) {
  LiveSimulation simulation = floating_ball(1.0);
  simulation.drag(1, {.body = 0, .point = {0.0, 0.1, 0.0}, .target = {1e6, 0, 0}});
  run(simulation, 1);
  EXPECT_LE(ball_x(simulation), DragSpring::largest_acceleration);
  simulation.drag(1, {.body = 0, .target = {1.0, 0, 0}});
  run(simulation, 200);
  EXPECT_NEAR(ball_x(simulation), 1.0, 1e-6);
}

TEST(LiveSimulation, LiftsARobotByOneOfItsBodies) {
  LiveSimulation simulation = live_box();
  simulation.drag(1, {.body = 0, .point = {0.1, 0.1, 0.1}, .target = {0.0, 0.0, 1.0}});
  run(simulation, 2500);
  const std::string frame = simulation.frame_text();
  float z = 0.0F;
  std::memcpy(&z, frame.data() + 88 + 8, sizeof z);
  EXPECT_GT(z, 0.6);
  EXPECT_LT(z, 1.2);
}

TEST(LiveSimulation, RefusesToPullWhatDoesNotExistOrCannotMove) {
  SceneBuilder scene("table");
  scene.add_kinematic("turntable", {scene.box({1, 1, 0.1})}, at(0, 0, 0));
  scene.add_sphere("ball", 0.1, 1.0, at(0, 0, 1));
  Model model = scene.build();
  State start = model.initial_state();
  LiveSimulation simulation(std::move(model), std::move(start), {}, {});
  EXPECT_THROW(simulation.drag(1, {.body = 0}), std::invalid_argument);
  EXPECT_THROW(simulation.drag(1, {.body = 2}), std::invalid_argument);
  EXPECT_THROW(simulation.drag(1, {.body = -1}), std::invalid_argument);
  simulation.drag(1, {.body = 1});
}

}  // namespace
}  // namespace stiction
