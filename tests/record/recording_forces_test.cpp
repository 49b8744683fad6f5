// Forces of joints and actuators in recordings, and in the pages made of them.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stiction/record/page.hpp"
#include "stiction/record/recording.hpp"
#include "support/page_columns.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

/// An arm with a motor and a position actuator that turns over a box.
constexpr const char* arm_file = R"(<mujoco model="arm">
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      </body>
    </body>
    <body name="box" pos="0.5 1 0.2"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
  <actuator>
    <motor name="lift" joint="shoulder" gear="2"/>
    <position name="bend" joint="elbow" kp="20"/>
  </actuator>
</mujoco>)";

Simulation arm_simulation() {
  Simulation simulation(load_model_text(arm_file, "arm.xml").model);
  simulation.control() << -3.0, 0.7;
  return simulation;
}

struct Forces {
  Eigen::VectorXd joints;
  Eigen::VectorXd actuators;
};

Forces forces_of(Simulation& simulation, const Workspace& workspace) {
  Forces forces{simulation.actuator_forces(), Eigen::VectorXd(simulation.control().size())};
  for (int i = 0; i < forces.actuators.size(); ++i) {
    forces.actuators[i] = workspace.actuator_force(i);
  }
  return forces;
}

class RecordingForces : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "run.h5"; }

  /// Records every third step; the forces of each frame.
  std::vector<Forces> record(int steps) {
    Simulation simulation = arm_simulation();
    Recorder recorder(path(), simulation.model(), test::description(),
                      {.steps_per_frame = 3, .forces = true});
    recorder.start(simulation.state());
    std::vector<Forces> frames;
    for (int i = 1; i <= steps; ++i) {
      const StepReport& report = simulation.step();
      recorder.step(simulation.state(), report, simulation.workspace());
      if (i % 3 == 0) frames.push_back(forces_of(simulation, simulation.workspace()));
    }
    recorder.finish();
    return frames;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(RecordingForces, ComeBackBitForBit) {
  const std::vector<Forces> frames = record(900);
  const Recording recording(path());
  ASSERT_EQ(recording.frame_count(), static_cast<long long>(frames.size()) + 1);
  EXPECT_EQ(recording.frame(0).joint_forces.norm(), 0.0) << "nothing has acted yet";
  double most = 0.0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const RecordedFrame frame = recording.frame(static_cast<long long>(i) + 1);
    ASSERT_EQ(frame.joint_forces, frames[i].joints) << i;
    ASSERT_EQ(frame.actuator_forces, frames[i].actuators) << i;
    most = std::max(most, frame.actuator_forces.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(most, 0.1) << "the actuators pull";
  EXPECT_TRUE(recording.run().unknown_attributes.empty());
}

TEST_F(RecordingForces, AreThereOnlyIfAskedFor) {
  Simulation simulation = arm_simulation();
  test::record(path(), simulation, 10);
  EXPECT_EQ(Recording(path()).frame(5).joint_forces.size(), 0);
  Recorder recorder(path(), simulation.model(), test::description(), {.forces = true});
  EXPECT_THROW(recorder.step(simulation.state(), simulation.step()), std::invalid_argument);
}

/// Entry `entry` of a table of the page, frame by frame.
std::vector<double> column_of(const nlohmann::json& table, int entry, std::size_t frames) {
  const auto entries = table["entries"].get<std::vector<int>>();
  const auto found = std::ranges::find(entries, entry) - entries.begin();
  const auto values = test::unpack<std::int32_t>(table["values"].get<std::string>());
  EXPECT_EQ(values.size(), entries.size() * frames);
  std::vector<double> column;
  std::int32_t value = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    value += values[static_cast<std::size_t>(found) * frames + k];
    column.push_back(table["unit"].get<double>() * value);
  }
  return column;
}

TEST_F(RecordingForces, PagesHaveThemAndTheJoints) {
  record(300);
  const Recording recording(path());
  PageRun run{"arm", recording.run(), {}};
  for (long long i = 0; i < recording.frame_count(); ++i) run.frames.push_back(recording.frame(i));
  const std::vector<PageRun> runs{run};
  const auto page =
      nlohmann::json::parse(page_data(recording.scene(), runs, {.frames_per_second = 1e6}));
  const nlohmann::json& data = page["runs"][0];
  const auto count = run.frames.size();
  const auto expect_table = [&](const char* name, const auto& read) {
    const nlohmann::json& table = data[name];
    double largest = 0.0;
    for (const RecordedFrame& frame : run.frames) {
      for (const int entry : table["entries"])
        largest = std::max(largest, std::abs(read(frame)[entry]));
    }
    // A 100,000th of the largest number, or finer.
    EXPECT_LE(table["unit"].get<double>(), 1e-5 * largest) << name;
    for (const int entry : table["entries"]) {
      const std::vector<double> column = column_of(table, entry, count);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_NEAR(column[k], read(run.frames[k])[entry], 0.51 * table["unit"].get<double>())
            << name << ' ' << entry << ' ' << k;
      }
    }
  };
  expect_table("joint_positions", [](const RecordedFrame& f) { return f.state.q; });
  expect_table("joint_velocities", [](const RecordedFrame& f) { return f.state.v; });
  expect_table("joint_forces", [](const RecordedFrame& f) { return f.joint_forces; });
  expect_table("actuator_forces", [](const RecordedFrame& f) { return f.actuator_forces; });
  EXPECT_EQ(page["scene"]["actuators"].size(), data["actuator_forces"]["entries"].size());
}

TEST_F(RecordingForces, PagesLeaveOutFreeBodiesWithoutARobot) {
  Simulation simulation = arm_simulation();
  const Model& model = simulation.model();
  const std::vector<PageRun> runs{{"one", test::description(), {{.state = simulation.state()}}}};
  const auto page = nlohmann::json::parse(page_data(scene_json(model), runs));
  const auto told = page["runs"][0]["joint_velocities"]["entries"].get<std::vector<int>>();
  for (int body = 0; body < model.body_count(); ++body) {
    const Joint& joint = model.joint(body);
    bool lone = joint.kind == JointKind::floating;
    for (int child = 0; child < model.body_count(); ++child) lone &= model.parent(child) != body;
    EXPECT_EQ(std::ranges::count(told, joint.velocity_index), lone ? 0 : 1) << joint.name;
  }
}

}  // namespace
}  // namespace stiction
