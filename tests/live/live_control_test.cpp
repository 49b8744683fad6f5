// What people do to a robot in the live view: controls, targets, poses, recordings, and what
// pauses.
#include <algorithm>
#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/record/recording.hpp"
#include "support/live_scene.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

constexpr const char* arm_file = R"(<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 0 1" damping="1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
    </body>
  </worldbody>
  <actuator><motor name="lift" joint="shoulder"/></actuator>
</mujoco>)";

LiveSimulation arm(LiveControl control = {}) {
  Model model = load_model_text(arm_file, "arm.xml").model;
  State start = model.initial_state();
  return {std::move(model), std::move(start), {}, std::move(control)};
}

void run(LiveSimulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(simulation.step()) << simulation.message();
    if (simulation.frame_is_full()) simulation.end_frame();
  }
  simulation.end_frame();
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LiveControl, AnActuatorObeysItsSliderUntilItIsTakenBack) {
  LiveSimulation simulation = arm();
  run(simulation, 50);
  const std::uint64_t at_rest = simulation.status().hash;
  simulation.set_control({0, 2.5});
  run(simulation, 50);
  EXPECT_EQ(simulation.status().controls, std::vector<double>{2.5});
  EXPECT_NE(simulation.status().hash, at_rest);
  simulation.set_control({0, std::nullopt});
  run(simulation, 1);
  EXPECT_EQ(simulation.status().controls, std::vector<double>{0.0});
  EXPECT_EQ(refusal([&] {
              simulation.set_control({1, 0.0});
            }),
            "there is no actuator 1; the scene has 1");
}

TEST(LiveControl, AServoGoesToItsTarget) {
  LiveSimulation simulation = arm([](Simulation& inner) {
    inner.servos() = {{.velocity_index = 0, .stiffness = 50.0, .damping = 10.0}};
  });
  simulation.set_target({0, 0.7});
  EXPECT_EQ(simulation.status().targets.at(0), 0.7);
  run(simulation, 3000);
  // The frame holds the joint's position in its first number of q, after pose and head.
  const std::string frame = simulation.frame_text();
  float position = 0.0F;
  std::memcpy(&position, frame.data() + 88 + 28, sizeof position);
  EXPECT_NEAR(position, 0.7, 1e-3) << "3 s are 15 time constants";
  LiveSimulation without = arm();
  EXPECT_NE(refusal([&] {
              without.set_target({0, 0.7});
            }).find("no joint with a servo"),
            std::string::npos);
}

TEST(LiveControl, APoseComesBackAtThePresentTime) {
  LiveSimulation simulation = arm();
  simulation.set_control({0, 2.0});
  run(simulation, 100);
  simulation.save_pose("turned");
  const std::string saved = simulation.frame_text();
  run(simulation, 300);
  const double time = simulation.status().time;
  simulation.restore_pose("turned");
  EXPECT_EQ(simulation.status().poses, std::vector<std::string>{"turned"});
  EXPECT_EQ(simulation.status().time, time);
  EXPECT_EQ(simulation.status().frame, simulation.status().last);
  EXPECT_EQ(simulation.frame_text().substr(88, 28), saved.substr(88, 28)) << "the same pose";
  EXPECT_EQ(refusal([&] { simulation.restore_pose("other"); }), "no pose was saved as 'other'");
}

TEST(LiveControl, RecordsFromNowOnAndEndsWithAJourneyInTime) {
  const test::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  LiveSimulation simulation = arm();
  simulation.set_control({0, 2.0});
  run(simulation, 100);
  simulation.record(true);
  EXPECT_EQ(simulation.status().recording, "arm_live_1.h5");
  run(simulation, 340);
  simulation.go_to(3);
  EXPECT_EQ(simulation.status().recording, "");
  const Recording recording("arm_live_1.h5");
  std::filesystem::current_path(before);
  EXPECT_TRUE(recording.complete());
  EXPECT_NEAR(recording.times().front(), 0.2, 1e-12) << "100 steps of 2 ms";
  EXPECT_NEAR(recording.times().back(), 0.88, 1e-12);
  EXPECT_NEAR(recording.frame(5).actuator_forces[0], 2.0, 1e-12);
}

TEST(LiveControl, AFramesPullIsTheForceOnTheBody) {
  LiveSimulation simulation = test::live_box();
  simulation.drag(1, {0, {0, 0, 0.1}, {0, 0, 1.5}});
  run(simulation, 8);
  const std::string frame = simulation.frame_text();
  std::array<float, 6> pull{};
  std::memcpy(pull.data(), frame.data() + frame.size() - sizeof pull, sizeof pull);
  EXPECT_NEAR(pull[2], 0.25, 0.02) << "the top of the box, which has hardly moved";
  EXPECT_GT(pull[5], 2.0 * 9.81) << "more than the weight of 2 kg: the box is lifted";
  simulation.release(1);
  run(simulation, 8);
  const std::string after = simulation.frame_text();
  std::uint32_t pulls = 1;
  std::memcpy(&pulls, after.data() + 84, sizeof pulls);
  EXPECT_EQ(pulls, 0U);
}

TEST(LiveControl, AViewerSteersWhatCanBeSteered) {
  Eigen::Vector3d wish = Eigen::Vector3d::Zero();
  LiveSimulation simulation = arm();
  EXPECT_FALSE(simulation.status().command);
  EXPECT_NE(refusal([&] {
              simulation.command({{1, 0, 0}});
            }).find("no policy drives this robot"),
            std::string::npos);
  simulation.steer_by([&](const Eigen::Vector3d& velocity) { wish = velocity; }, {0.5, 0, 0});
  EXPECT_EQ(simulation.status().command, Eigen::Vector3d(0.5, 0, 0));
  simulation.command({{0.8, -0.1, 0.3}});
  EXPECT_EQ(wish, Eigen::Vector3d(0.8, -0.1, 0.3));
  EXPECT_EQ(simulation.status().command, wish);
}

/// A mast on a foot that topples from a small push.
constexpr const char* mast_file = R"(<mujoco model="mast">
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="foot" pos="0 0 0.05"><freejoint name="free"/>
      <geom type="box" size="0.05 0.05 0.05"/>
      <body name="mast" pos="0 0 0.05">
        <joint name="bend" axis="0 1 0" stiffness="5000" damping="50"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.02"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

TEST(LiveControl, PausesOnceWhenARobotFallsIfAsked) {
  Model model = load_model_text(mast_file, "mast.xml").model;
  State start = model.initial_state();
  start.v[4] = 3.0;
  LiveSimulation simulation(std::move(model), std::move(start), {}, {});
  simulation.change({.pause_fall = true});
  int steps = 0;
  while (simulation.step() && steps < 5000) ++steps;
  EXPECT_LT(steps, 5000);
  EXPECT_NE(simulation.message().find("the robot fell over"), std::string::npos);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(simulation.step()) << "it lies already";
  simulation.reset();
  simulation.change({.pause_fall = false});
  for (int i = 0; i < steps + 100; ++i) ASSERT_TRUE(simulation.step()) << simulation.message();
}

TEST(LiveControl, PausesOnTheStatusThatItsSettingsName) {
  StepReport report;
  report.message = "why";
  const auto stops = [&](StepStatus status, const LiveSettings& settings) {
    report.status = status;
    return !reason_to_stop(report, settings, 0.5).empty();
  };
  const LiveSettings usual;
  const LiveSettings other{.pause_uncertified = true, .pause_energy = false};
  EXPECT_FALSE(stops(StepStatus::ok, other));
  EXPECT_FALSE(stops(StepStatus::not_certified, usual));
  EXPECT_TRUE(stops(StepStatus::not_certified, other));
  EXPECT_TRUE(stops(StepStatus::energy_grew, usual));
  EXPECT_FALSE(stops(StepStatus::energy_grew, other));
  EXPECT_TRUE(stops(StepStatus::diverged, other));
  EXPECT_TRUE(stops(StepStatus::refused, other));
}

}  // namespace
}  // namespace stiction
