// A robot in a batch has the bits of that robot alone, and its misfortunes stay its own.

#include "stiction/batch/batch.hpp"

#include <cmath>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "stiction/core/index.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/sensors.hpp"
#include "support/allocation_counter.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

Model own_model(const char* file) {
  return load_model(fs::path(STICTION_SOURCE_DIR) / "models" / file).model;
}

/// Servos on all joints with one velocity, which hold a pose.
std::vector<JointServo> holding_servos(const Model& model, const State& pose) {
  std::vector<JointServo> servos;
  for (const Joint& joint : model.joints()) {
    if (joint.kinematic || velocity_size(joint.kind) != 1) continue;
    servos.push_back({.velocity_index = joint.velocity_index,
                      .position_target = pose.q[joint.position_index],
                      .stiffness = 80.0,
                      .damping = 2.0});
  }
  return servos;
}

/// What an environment of that index does in a step of the tests: the same for a batch and for a
/// robot alone.
struct Script {
  explicit Script(int environment, int robots_before = 0)
      : random(static_cast<std::uint64_t>(17 + environment + robots_before)) {}

  void aim(std::span<double> targets, const std::vector<JointServo>& servos) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      targets[k] = servos[k].position_target + random.uniform(-0.2, 0.2);
    }
  }
  void control(std::span<double> controls) {
    for (double& value : controls) value = random.uniform(-1.0, 1.0);
  }
  [[nodiscard]] ExternalForce push() {
    return {.body = 0, .force = {random.uniform(-40.0, 40.0), random.uniform(-40.0, 40.0), 0.0}};
  }

  Random random;
};

/// Numbers of an environment that differ from those of its neighbours.
void change_numbers(Model& model, int environment) {
  const double factor = 0.8 + 0.01 * (environment % 40);
  BodyInertia inertia = model.body_inertia(0);
  inertia.mass *= factor;
  inertia.inertia *= factor;
  model.set_body_inertia(0, inertia);
  for (std::size_t m = 0; m < model.materials().size(); ++m) {
    Material material = model.materials()[m];
    material.friction *= factor;
    model.set_material(static_cast<int>(m), material);
  }
}

constexpr int control_steps = 25;
constexpr int substeps = 4;

/// The end of one robot alone.
State end_alone(const Model& original, int environment, const State& start) {
  Model model = original;
  change_numbers(model, environment);
  Simulation simulation(model);
  simulation.set_state(start);
  const std::vector<JointServo> servos = holding_servos(model, start);
  simulation.servos() = servos;
  std::vector<double> targets(servos.size());
  Script script(environment);
  for (int k = 0; k < control_steps; ++k) {
    script.aim(targets, servos);
    for (std::size_t s = 0; s < servos.size(); ++s) {
      simulation.servos()[s].position_target = targets[s];
    }
    script.control({simulation.control().data(), model.actuators().size()});
    const ExternalForce force = script.push();
    for (int sub = 0; sub < substeps; ++sub) {
      simulation.push(force);
      simulation.step();
    }
  }
  return simulation.state();
}

void run_batch(Batch& batch, const State& start) {
  const std::vector<JointServo> servos = holding_servos(batch.model(), start);
  batch.set_servos(servos);
  std::vector<Script> scripts;
  for (int i = 0; i < batch.count(); ++i) {
    scripts.emplace_back(i);
    change_numbers(batch.model(i), i);
    batch.set_state(i, start);
  }
  for (int k = 0; k < control_steps; ++k) {
    for (int i = 0; i < batch.count(); ++i) {
      Script& script = scripts[index(i)];
      script.aim(batch.servo_targets().subspan(index(i) * servos.size(), servos.size()), servos);
      script.control(batch.controls(i));
      batch.push(i, script.push());
    }
    batch.step(substeps);
  }
}

State start_of(const Model& model) {
  return model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
}

void expect_bits_of_robots_alone(const Model& model, const std::vector<int>& sizes,
                                 const std::vector<int>& thread_counts) {
  const State start = start_of(model);
  const int most = *std::ranges::max_element(sizes);
  std::vector<State> alone;
  for (int i = 0; i < most; ++i) alone.push_back(end_alone(model, i, start));
  for (const int size : sizes) {
    for (const int threads : thread_counts) {
      Batch batch(model, size, {}, threads);
      run_batch(batch, start);
      for (int i = 0; i < size; ++i) {
        ASSERT_TRUE(same_bits(batch.state(i), alone[index(i)]))
            << model.name() << ", environment " << i << " of " << size << ", " << threads
            << " threads";
        ASSERT_EQ(batch.fault(i), "");
      }
    }
  }
}

TEST(Batch, QuadrupedHasTheBitsOfThatRobotAlone) {
  expect_bits_of_robots_alone(own_model("anymal_lumped.xml"), {1, 4, 7, 64}, {1, 2, 4});
}

TEST(Batch, RobotAmongBoxesHasTheBitsOfThatRobotAlone) {
  expect_bits_of_robots_alone(own_model("scenes/quadruped_boxes.xml"), {1, 5}, {1, 3});
}

/// Actuators with gains, ranges and dynamics, tendons, sensors: all that files of others have.
TEST(Batch, RobotsOfOthersHaveTheBitsOfThoseRobotsAlone) {
  const fs::path folder = fs::path(STICTION_REFERENCE_DIR) / "menagerie";
  if (!fs::exists(folder)) GTEST_SKIP() << "the published robots are not in " << folder;
  int robots = 0;
  for (const char* file :
       {"unitree_go1/scene.xml", "agility_cassie/scene.xml", "skydio_x2/scene.xml",
        "robotiq_2f85/scene.xml", "shadow_hand/scene_right.xml", "iit_softfoot/scene.xml"}) {
    if (!fs::exists(folder / file)) continue;
    ++robots;
    expect_bits_of_robots_alone(load_model(folder / file).model, {5}, {1});
  }
  EXPECT_GE(robots, 3);
}

TEST(Batch, TakesStepsOfTheMaskAlone) {
  const Model model = own_model("anymal_lumped.xml");
  Batch batch(model, 5, {}, 2);
  const State before = batch.state(0);
  const std::vector<std::uint8_t> mask{1, 0, 1, 0, 0};
  batch.step(3, mask);
  for (int i = 0; i < 5; ++i) {
    const bool moved = !same_bits(batch.state(i), before);
    EXPECT_EQ(moved, mask[index(i)] != 0) << i;
    EXPECT_EQ(batch.counts(i).steps, moved ? 3 : 0) << i;
  }
  EXPECT_EQ(batch.counts().steps, 6);
}

/// Breaks environment 3 of eight in some way; the others must not notice, and it must be named.
void expect_misfortune_stays(const std::function<void(Batch&)>& strike, const char* named) {
  const Model model = own_model("anymal_lumped.xml");
  const auto run = [&](bool struck) {
    auto batch = std::make_unique<Batch>(model, 8, StepOptions{}, 2);
    batch->reset_to_keyframe("stand");
    batch->step(20);
    if (struck) strike(*batch);
    batch->step(20);
    return batch;
  };
  const auto well = run(false);
  const auto ill = run(true);
  for (int i = 0; i < 8; ++i) {
    if (i == 3) continue;
    EXPECT_TRUE(same_bits(ill->state(i), well->state(i))) << i;
    EXPECT_EQ(ill->frozen()[index(i)], 0) << i;
  }
  EXPECT_EQ(ill->frozen_count(), 1);
  EXPECT_EQ(ill->frozen()[3], 1);
  EXPECT_NE(ill->fault(3).find("environment 3"), std::string::npos) << ill->fault(3);
  EXPECT_NE(ill->fault(3).find(named), std::string::npos) << ill->fault(3);
  // It stays where it is, and goes on after a reset.
  const State still = ill->state(3);
  ill->step(5);
  EXPECT_TRUE(same_bits(ill->state(3), still));
  std::vector<std::uint8_t> mask(8, 0);
  mask[3] = 1;
  ill->reset_to_keyframe("stand", mask);
  EXPECT_EQ(ill->frozen_count(), 0);
  ill->step(40);
  EXPECT_EQ(ill->fault(3), "");
  EXPECT_EQ(ill->statuses()[3], StepStatus::ok);
}

TEST(Batch, ControlThatIsNoNumberFreezesItsOwnRobotAlone) {
  expect_misfortune_stays(
      [](Batch& batch) { batch.joint_forces(3)[7] = std::numeric_limits<double>::quiet_NaN(); },
      "force of joint");
}

TEST(Batch, RobotThatExplodesFreezesAlone) {
  expect_misfortune_stays([](Batch& batch) { batch.velocities(3)[8] = 1e200; }, "t = ");
}

TEST(Batch, QuaternionWithoutUnitLengthFreezesItsOwnRobotAlone) {
  expect_misfortune_stays([](Batch& batch) { batch.positions(3)[3] = 7.0; }, "quaternion");
}

TEST(Batch, NumbersOfOneRobotLeaveTheOthersAsTheyAre) {
  const Model model = own_model("anymal_lumped.xml");
  Batch batch(model, 3, {}, 1);
  batch.scale_masses(std::vector<double>{1.0, 2.0, 0.5});
  EXPECT_DOUBLE_EQ(batch.model(1).total_mass(), 2.0 * model.total_mass());
  EXPECT_DOUBLE_EQ(batch.model(2).total_mass(), 0.5 * model.total_mass());
  EXPECT_DOUBLE_EQ(batch.model().total_mass(), model.total_mass());
  EXPECT_THROW(batch.scale_masses(std::vector<double>{1.0, -2.0, 0.5}), std::invalid_argument);
  EXPECT_THROW(batch.scale_masses(std::vector<double>{1.0}), std::invalid_argument);
  EXPECT_DOUBLE_EQ(batch.model(1).total_mass(), 2.0 * model.total_mass());
}

/// The feet of a robot that stands bear its weight, and of one twice as heavy twice as much.
TEST(Batch, SummariesOfContactsAddUpToTheWeight) {
  const Model model = own_model("anymal_lumped.xml");
  Batch batch(model, 2, {}, 1);
  batch.scale_masses(std::vector<double>{1.0, 2.0});
  batch.reset_to_keyframe("stand");
  const State stand = batch.state(0);
  std::vector<JointServo> servos = holding_servos(model, stand);
  for (JointServo& servo : servos) {
    servo.stiffness = 2000.0;
    servo.damping = 40.0;
  }
  batch.set_servos(servos);
  std::vector<int> bodies;
  for (int b = 0; b < model.body_count(); ++b) bodies.push_back(b);
  batch.watch_bodies(bodies);
  batch.step(4000);
  ASSERT_EQ(batch.contact_summaries().size(), 2 * bodies.size());
  for (int i = 0; i < 2; ++i) {
    double force = 0.0;
    int touching = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const ContactSummary& summary = batch.contact_summaries()[index(i) * bodies.size() + b];
      force += summary.force.z;
      touching += summary.touching;
      EXPECT_LT(summary.slip_speed, 1e-9);
    }
    const double weight = -batch.model(i).total_mass() * model.gravity().z();
    EXPECT_NEAR(force, weight, 1e-6 * weight) << i;
    EXPECT_EQ(touching, batch.contacts()[index(i)]);
    EXPECT_GE(touching, 4);
  }
}

constexpr const char* hopper = R"(<mujoco><worldbody>
  <geom type="plane" size="5 5 1"/>
  <body name="leg" pos="0 0 0.3"><freejoint/>
    <geom type="capsule" size="0.05 0.1" mass="2"/><site name="tip" pos="0 0 -0.1"/>
    <body name="arm" pos="0 0 0.1"><joint name="swing" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0 0" mass="1"/></body>
  </body></worldbody>
  <actuator><motor joint="swing"/></actuator>
  <sensor><jointpos joint="swing"/><accelerometer site="tip"/><gyro site="tip"/>
    <touch site="tip"/><jointactuatorfrc joint="swing"/></sensor></mujoco>)";

TEST(Batch, SensorsReadAsThoseOfASimulation) {
  const test::TemporaryFolder folder;
  const Model model = load_model(folder.write("hopper.xml", hopper)).model;
  Batch batch(model, 2, {}, 2);
  batch.read_sensors(true);
  batch.step(200);
  Simulation simulation(model);
  for (int k = 0; k < 200; ++k) simulation.step();
  SensorArray sensors(model);
  const auto expected =
      sensors.evaluate(model, simulation.state(), simulation.workspace(), simulation.report());
  ASSERT_EQ(batch.sensors().size(), 2 * expected.size());
  for (std::size_t k = 0; k < batch.sensors().size(); ++k) {
    EXPECT_EQ(batch.sensors()[k], expected[k % expected.size()]) << k;
  }
}

TEST(Batch, RandomResetsDependOnSeedAndIndexAlone) {
  const Model model = own_model("anymal_lumped.xml");
  const RandomSpread spread{.joint_position = 0.3,
                            .joint_velocity = 0.5,
                            .base_position = 0.2,
                            .base_height = 0.1,
                            .base_yaw = 3.0,
                            .base_velocity = 0.5,
                            .base_turning = 0.5};
  Batch whole(model, 8, {}, 1);
  whole.reset_randomly("stand", spread, 5);
  Batch part(model, 3, {}, 2);
  part.reset_randomly("stand", spread, 5, {}, 4);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(part.state(i), whole.state(4 + i))) << i;
  EXPECT_FALSE(same_bits(whole.state(0), whole.state(1)));
  const State first = whole.state(2);
  whole.reset_randomly("stand", spread, 5);
  EXPECT_FALSE(same_bits(whole.state(2), first)) << "each reset draws anew";
  whole.reset_randomly("stand", spread, 6);
  part.reset_randomly("stand", spread, 5, {}, 4);
  EXPECT_FALSE(same_bits(part.state(0), whole.state(4)));
  for (int i = 0; i < 8; ++i) {
    for (const Joint& joint : model.joints()) {
      if (velocity_size(joint.kind) != 1) continue;
      EXPECT_LE(whole.state(i).q[joint.position_index], joint.limits.upper);
      EXPECT_GE(whole.state(i).q[joint.position_index], joint.limits.lower);
    }
    EXPECT_NEAR(whole.state(i).q.segment<4>(3).norm(), 1.0, 1e-12);
  }
  whole.step(1);
  EXPECT_EQ(whole.frozen_count(), 0);
}

TEST(Batch, HeightsAreThoseOfTheGroundBelow) {
  SceneBuilder scene("steps");
  scene.add_plane("floor");
  scene.add_fixed(scene.box({0.5, 5.0, 0.1}, at(1.5, 0.0, 0.1)));
  scene.add_box("body", {0.2, 0.2, 0.1}, 1.0, at(0.0, 0.0, 1.0));
  const Model model = scene.build();
  Batch batch(model, 2, {}, 1);
  // The second one has turned to its left: what was ahead of it is at its right.
  State turned = batch.state(1);
  turned.q.segment<4>(3) << 0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5);
  batch.set_state(1, turned);
  const std::vector<Eigen::Vector3d> points{{0.0, 0.0, 0.5}, {1.5, 0.0, 0.5}, {0.0, -1.5, 0.5}};
  batch.set_height_scan(0, points);
  const std::vector<double> expected{0.0, 0.2, 0.0, 0.0, 0.0, 0.2};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(batch.heights()[k], expected[k], 1e-12) << k;
  }
}

TEST(Batch, StepAllocatesNothingOnceContactsWereSeen) {
  const Model model = own_model("anymal_lumped.xml");
  Batch batch(model, 16, {}, 1);
  const RandomSpread spread{.joint_position = 0.2, .base_height = 0.05};
  batch.set_servos(holding_servos(model, model.keyframe_state(0)));
  batch.watch_bodies({0, 3, 6});
  batch.reset_randomly("stand", spread, 3);
  std::vector<State> starts;
  for (int i = 0; i < 16; ++i) starts.push_back(batch.state(i));
  const auto run = [&] {
    std::size_t allocations = 0;
    for (int k = 0; k < 200; ++k) {
      const test::AllocationCounter counter;
      batch.step();
      allocations += counter.count();
    }
    return allocations;
  };
  run();
  const std::uint64_t end = batch.hash();
  for (int i = 0; i < 16; ++i) batch.set_state(i, starts[index(i)]);
  EXPECT_EQ(run(), 0u);
  EXPECT_EQ(batch.hash(), end);
}

TEST(Batch, WrongArgumentsAreToldWithARemedy) {
  const Model model = own_model("anymal_lumped.xml");
  const auto complaint = [](const std::function<void()>& act) -> std::string {
    try {
      act();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(complaint([&] { Batch(model, 0); }).find("give 1 to"), std::string::npos);
  EXPECT_NE(complaint([&] { Batch(model, -3); }).find("-3"), std::string::npos);
  EXPECT_NE(complaint([&] { Batch(model, 2'000'000'000); }).find("give 1 to"), std::string::npos);
  EXPECT_NE(complaint([&] { Batch(model, 1, {}, -1); }).find("threads"), std::string::npos);
  EXPECT_NE(complaint([&] { Batch(model, 1, {.time_step = -1.0}); }).find("time_step"),
            std::string::npos);
  Batch batch(model, 4, {}, 1);
  EXPECT_NE(complaint([&] { batch.step(0); }).find("substeps"), std::string::npos);
  EXPECT_NE(complaint([&] { batch.step(1, std::vector<std::uint8_t>(3)); }).find("3 entries"),
            std::string::npos);
  EXPECT_NE(complaint([&] { (void)batch.state(4); }).find("give 0 to 3"), std::string::npos);
  EXPECT_NE(complaint([&] { batch.set_state(0, State{}); }).find("does not fit"),
            std::string::npos);
  EXPECT_NE(complaint([&] { batch.reset_to_keyframe("stnd"); }).find("stnd"), std::string::npos);
  EXPECT_NE(complaint([&] { batch.watch_bodies({99}); }).find("99"), std::string::npos);
  const std::vector<JointServo> wrong{{.velocity_index = 400}};
  EXPECT_NE(complaint([&] { batch.set_servos(wrong); }).find("400"), std::string::npos);
  const RandomSpread spread{.base_yaw = std::numeric_limits<double>::infinity()};
  EXPECT_NE(complaint([&] { batch.reset_randomly("stand", spread, 1); }).find("base_yaw"),
            std::string::npos);
}

}  // namespace
}  // namespace stiction
