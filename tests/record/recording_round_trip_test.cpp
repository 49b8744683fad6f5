#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "stiction/record/page.hpp"
#include "stiction/record/recording.hpp"
#include "support/allocation_counter.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

class RecordingRoundTrip : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder.path() / "run.h5"; }
  test::TemporaryFolder folder;
};

TEST_F(RecordingRoundTrip, EveryFrameComesBackBitForBit) {
  // More frames than a chunk of any table, at levels of both packers.
  for (const int compression : {0, 1, 6}) {
    Simulation simulation(test::falling_things());
    RecorderOptions options;
    options.compression = compression;
    const auto frames = test::record(path(), simulation, 1500, options);
    const Recording recording(path());
    ASSERT_EQ(recording.frame_count(), 1501);
    EXPECT_TRUE(recording.complete());
    std::size_t contacts = 0;
    for (long long i = 0; i < recording.frame_count(); ++i) {
      SCOPED_TRACE(i);
      test::expect_same(recording.frame(i), frames[static_cast<std::size_t>(i)]);
      contacts += recording.frame(i).contacts.size();
      if (HasFailure()) return;
    }
    EXPECT_GT(contacts, 5000U);
  }
}

TEST_F(RecordingRoundTrip, FramesMayBeReadInAnyOrder) {
  Simulation simulation(test::falling_things());
  const auto frames = test::record(path(), simulation, 700);
  const Recording recording(path());
  for (const int i : {700, 0, 127, 128, 129, 511, 512, 3, 699}) {
    SCOPED_TRACE(i);
    test::expect_same(recording.frame(i), frames[static_cast<std::size_t>(i)]);
  }
  EXPECT_THROW(static_cast<void>(recording.frame(701)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(recording.frame(-1)), std::out_of_range);
}

TEST_F(RecordingRoundTrip, ARunGoesOnFromAnyFrameToTheSameHash) {
  Simulation simulation(test::falling_things());
  test::record(path(), simulation, 600);
  const Recording recording(path());
  Simulation again(test::falling_things());
  for (const long long start : {1LL, 250LL, 599LL}) {
    again.set_state(recording.frame(start).state);
    for (long long k = start; k < 600; ++k) again.step();
    EXPECT_EQ(hash(again.state()), hash(simulation.state())) << start;
  }
}

TEST_F(RecordingRoundTrip, NoStepHidesBetweenTwoFrames) {
  Simulation simulation(test::falling_things());
  RecorderOptions options;
  options.steps_per_frame = 7;
  const auto frames = test::record(path(), simulation, 500, options);  // 71 frames and 3 steps
  const Recording recording(path());
  ASSERT_EQ(recording.frame_count(), 73);
  EXPECT_EQ(recording.run().steps_per_frame, 7);
  EXPECT_EQ(recording.frame(72).steps, 3);
  for (long long i = 0; i < 73; ++i) {
    test::expect_same(recording.frame(i), frames[static_cast<std::size_t>(i)]);
  }
}

TEST_F(RecordingRoundTrip, DescriptionAndSceneComeBack) {
  Simulation simulation(test::falling_things());
  test::record(path(), simulation, 1);
  const Recording recording(path());
  const RunDescription run = test::description();
  EXPECT_EQ(recording.run().title, run.title);
  EXPECT_EQ(recording.run().scene, run.scene);
  EXPECT_EQ(recording.run().options.time_step, run.options.time_step);
  EXPECT_EQ(recording.run().controls, run.controls);
  EXPECT_EQ(recording.run().seed, run.seed);
  EXPECT_EQ(recording.model_name(), "falling things");
  EXPECT_EQ(recording.scene(), scene_json(simulation.model()));
}

TEST_F(RecordingRoundTrip, EnergiesAreThoseOfTheStep) {
  StepOptions step;
  step.balance = true;
  Simulation simulation(test::falling_things(), step);
  Recorder recorder(path(), simulation.model(), {});
  std::vector<StepBalance> expected;
  for (int k = 0; k < 300; ++k) {
    recorder.step(simulation.state(), simulation.step());
    expected.push_back(simulation.report().balance);
  }
  recorder.finish();
  const Recording recording(path());
  ASSERT_EQ(recording.frame_count(), 300);
  for (long long i = 0; i < 300; ++i) {
    const RecordedFrame frame = recording.frame(i);
    const StepBalance& balance = expected[static_cast<std::size_t>(i)];
    // Both are sums of the same three terms in some order.
    EXPECT_NEAR(frame.kinetic_energy, balance.kinetic_energy, 1e-13);
    EXPECT_NEAR(frame.potential_energy, balance.potential_energy, 1e-12);
  }
}

TEST_F(RecordingRoundTrip, RunsWithoutContactsAndWithoutFrames) {
  SceneBuilder scene("alone");
  scene.add_sphere("ball", 0.05, 0.5, at(0.0, 0.0, 0.2));
  Simulation simulation(scene.build());
  const auto frames = test::record(path(), simulation, 400);
  {
    const Recording recording(path());
    ASSERT_EQ(recording.frame_count(), 401);
    for (long long i = 0; i < 401; ++i) {
      test::expect_same(recording.frame(i), frames[static_cast<std::size_t>(i)]);
    }
  }
  Recorder(path(), simulation.model(), {}).finish();
  const Recording recording(path());
  EXPECT_TRUE(recording.complete());
  EXPECT_EQ(recording.frame_count(), 0);
  EXPECT_EQ(recording.frame_at(1.0), 0);
  EXPECT_THROW(static_cast<void>(recording.frame(0)), std::out_of_range);
}

TEST_F(RecordingRoundTrip, AModelWithoutJointsHasFramesToo) {
  SceneBuilder scene("floor");
  scene.add_plane("floor");
  Simulation simulation(scene.build());
  test::record(path(), simulation, 5);
  const Recording recording(path());
  ASSERT_EQ(recording.frame_count(), 6);
  EXPECT_EQ(recording.frame(5).state.q.size(), 0);
  write_csv(folder.path() / "run.csv", recording);
}

TEST_F(RecordingRoundTrip, FrameAtIsTheLastOneBefore) {
  Simulation simulation(test::falling_things());
  RecorderOptions options;
  options.steps_per_frame = 10;
  test::record(path(), simulation, 100, options);
  const Recording recording(path());
  EXPECT_EQ(recording.times().size(), 11U);
  EXPECT_EQ(recording.frame_at(-1.0), 0);
  EXPECT_EQ(recording.frame_at(0.0), 0);
  EXPECT_EQ(recording.frame_at(0.0195), 1);
  EXPECT_EQ(recording.frame_at(recording.times()[7]), 7);
  EXPECT_EQ(recording.frame_at(1e9), 10);
}

TEST_F(RecordingRoundTrip, RecordingsOfOtherModelsAreRefused) {
  Simulation simulation(test::falling_things());
  test::record(path(), simulation, 1);
  const Recording recording(path());
  recording.check_model(simulation.model());
  EXPECT_NE(test::input_error([&] {
              recording.check_model(test::standing_robot());
            }).find("of another model: it belongs to 'falling things'"),
            std::string::npos);
  SceneBuilder scene("falling things");
  scene.add_box("lower", {0.1, 0.1, 0.1}, 1.0, at(0.0, 0.0, 0.1));
  EXPECT_NE(test::input_error([&] { recording.check_model(scene.build()); }).find("21 positions"),
            std::string::npos);
}

TEST_F(RecordingRoundTrip, TheTableHasNamesAndAllDigits) {
  Simulation simulation(test::standing_robot());
  const auto frames = test::record(path(), simulation, 20);
  const Recording recording(path());
  const auto table = folder.path() / "run.csv";
  write_csv(table, recording);
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line.substr(0, 5), "time,");
  EXPECT_NE(line.find(",q_LF_HAA,"), std::string::npos) << line;
  EXPECT_NE(line.find(",v_LF_HAA,"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(",kinetic,potential,residual,overlap,contacts,candidates,iterations"))
      << line;
  const auto columns = std::ranges::count(line, ',');
  EXPECT_EQ(columns, 19 + 18 + 7);
  for (const test::ExpectedFrame& frame : frames) {
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(std::ranges::count(line, ','), columns);
    std::istringstream numbers(line);
    std::string number;
    std::getline(numbers, number, ',');
    EXPECT_EQ(std::stod(number), frame.state.time);
    for (const double x : frame.state.q) {
      std::getline(numbers, number, ',');
      EXPECT_EQ(std::stod(number), x);
    }
  }
  EXPECT_FALSE(std::getline(file, line));
}

TEST_F(RecordingRoundTrip, TheCallersThreadAllocatesNothing) {
  Simulation simulation(test::falling_things());
  for (int k = 0; k < 700; ++k) simulation.step();
  Recorder recorder(path(), simulation.model(), {});
  recorder.start(simulation.state());
  for (int k = 0; k < 3; ++k) recorder.step(simulation.state(), simulation.step());
  const test::AllocationCounter counter;
  for (int k = 0; k < 5000; ++k) recorder.step(simulation.state(), simulation.report());
  EXPECT_EQ(counter.count(), 0U);
}

TEST_F(RecordingRoundTrip, ImpossibleOptionsAreRefused) {
  const Model model = test::falling_things();
  for (const RecorderOptions& options :
       {RecorderOptions{.steps_per_frame = 0}, RecorderOptions{.flush_interval = 0.0},
        RecorderOptions{.flush_interval = std::nan("")}, RecorderOptions{.compression = 10}}) {
    EXPECT_THROW(Recorder(path(), model, {}, options), std::invalid_argument);
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
  Recorder recorder(path(), model, {});
  EXPECT_THROW(recorder.start(test::standing_robot().initial_state()), std::invalid_argument);
}

TEST(RecordedActivations, ComeBackBitForBit) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "filtered.h5";
  Simulation simulation(
      load_model_text("<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom size='.1'/>"
                      "</body></worldbody><actuator><position joint='j' timeconst='.1'/>"
                      "<intvelocity joint='j' actrange='-1 1'/></actuator></mujoco>",
                      "filtered.xml")
          .model);
  simulation.control().setConstant(0.7);
  const auto expected = test::record(path, simulation, 300);
  const Recording run(path);
  run.check_model(simulation.model());
  ASSERT_EQ(run.frame_count(), static_cast<long long>(expected.size()));
  for (long long i = 0; i < run.frame_count(); ++i) {
    const State& state = expected[static_cast<std::size_t>(i)].state;
    ASSERT_TRUE(same_bits(run.frame(i).state, state)) << i;
  }
  // A run goes on from any frame.
  Simulation again(simulation.model());
  again.control().setConstant(0.7);
  again.set_state(run.frame(100).state);
  for (int i = 100; i < 300; ++i) again.step();
  EXPECT_TRUE(same_bits(again.state(), simulation.state()));
}

}  // namespace
}  // namespace stiction
