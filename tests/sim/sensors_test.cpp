#include "stiction/sim/sensors.hpp"

#include <gtest/gtest.h>
#include <map>

#include "stiction/io/load.hpp"
#include "stiction/model/sensor_kinds.hpp"
#include "stiction/sim/simulation.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

Model load(const std::string& text) {
  const test::TemporaryFolder folder;
  return load_model(folder.write("scene.xml", text)).model;
}

/// A trunk of 5 kg on one leg of 2 kg that a locked-up spring keeps, on the floor: all of it rests.
constexpr const char* hopper = R"(<mujoco model="hopper"><option timestep="0.001"/>
  <worldbody><geom name="floor" type="plane" size="0 0 1"/>
    <body name="leg" pos="0 0 .1"><freejoint/><geom name="foot" type="box" size=".2 .2 .1" mass="2"/>
      <site name="foot_site" type="box" size=".21 .21 .11"/>
      <body name="trunk" pos="0 0 .5"><joint name="spring" type="slide" axis="0 0 1"
          stiffness="2000" damping="100"/>
        <geom name="trunk" type="box" size=".1 .1 .1" mass="5" contype="0" conaffinity="0"/>
        <site name="trunk_site" pos="0 0 -.1" euler="90 0 0"/>
        <site name="down" pos="0 0 -.1" euler="180 0 0"/>
      </body></body>
  </worldbody>
  <sensor>
    <touch name="touch" site="foot_site"/> <touch name="saturated" site="foot_site" cutoff="50"/>
    <touch name="trunk_touch" site="trunk_site"/>
    <force name="force" site="trunk_site"/> <torque name="torque" site="trunk_site"/>
    <force name="root_force" site="foot_site"/>
    <accelerometer name="acc" site="trunk_site"/>
    <framelinacc name="framelinacc" objtype="site" objname="trunk_site"/>
    <gyro name="gyro" site="trunk_site"/> <jointpos name="spring" joint="spring"/>
    <rangefinder name="range" site="trunk_site"/> <rangefinder name="range_down" site="down"/>
    <subtreecom name="com" body="leg"/>
    <framequat name="quat" objtype="site" objname="trunk_site" noise="0.1"/>
    <jointpos name="noisy" joint="spring" noise="0.3"/>
  </sensor></mujoco>)";

constexpr double g = 9.81;

class Hopper : public testing::Test {
 protected:
  void evaluate(Random* noise = nullptr) {
    sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                     simulation.report(), noise);
  }
  double value(std::string_view name, int entry = 0) {
    return sensors.reading(name)[static_cast<std::size_t>(entry)];
  }
  /// Rest to rounding: the damper takes a factor of e every 0.1 s.
  void settle() {
    ASSERT_TRUE(simulation.run(4.0).ok()) << simulation.report().message;
    evaluate();
  }

  Simulation simulation{load(hopper), {.solver_options = {.tolerance = 1e-12, .warm_start = true}}};
  SensorArray sensors{simulation.model()};
};

TEST_F(Hopper, TouchOfARestingRobotIsItsWeight) {
  settle();
  EXPECT_NEAR(value("touch"), 7.0 * g, 1e-9 * 7.0 * g);
  EXPECT_EQ(value("saturated"), 50.0);
  EXPECT_EQ(value("trunk_touch"), 0.0);
  const Eigen::Vector3d force = contact_force(simulation.report(), 0, 1e-3);
  EXPECT_NEAR(force.z(), 7.0 * g, 1e-6);
  EXPECT_NEAR((force + contact_force(simulation.report(), world_body, 1e-3)).norm(), 0.0, 1e-12);
}

TEST_F(Hopper, ForceSensorCarriesWhatHangsOnIt) {
  settle();
  // The site is turned by 90° about x: its y looks up, its z along -y of the world.
  EXPECT_NEAR(value("force", 0), 0.0, 1e-8);
  EXPECT_NEAR(value("force", 1), 5.0 * g, 1e-8 * 5.0 * g);
  EXPECT_NEAR(value("force", 2), 0.0, 1e-8);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value("torque", i), 0.0, 1e-8);
  // Contacts carry the whole robot, so nothing comes from the world through the free joint.
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value("root_force", i), 0.0, 1e-8);
  EXPECT_NEAR(value("spring"), -5.0 * g / 2000.0, 1e-10);
}

TEST_F(Hopper, AccelerometersShowGravityAtRestAndNothingInFreeFall) {
  evaluate();
  EXPECT_NEAR(value("acc", 1), g, 1e-12) << "before the first step";
  settle();
  EXPECT_NEAR(value("acc", 1), g, 1e-8);
  EXPECT_NEAR(value("framelinacc", 2), g, 1e-8);
  simulation.state() = simulation.model().initial_state();
  simulation.state().q[2] = 5.0;
  simulation.options().integrator = Integrator::semi_implicit;
  simulation.step();
  evaluate();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value("acc", i), 0.0, 1e-9);
  EXPECT_EQ(value("touch"), 0.0);
}

TEST_F(Hopper, PushesFromOutsideAreNotCarriedByTheJoint) {
  settle();
  simulation.push({.body = *simulation.model().find_body("trunk"), .force = {0.0, 0.0, 30.0}});
  simulation.step();
  evaluate();
  // The spring has had no time to give: the trunk goes up by 30 N / 5 kg, but for what damper and
  // spring, which are implicit, hold back within the step: 30 N / (m + h d + h² k). The joint still
  // carries the weight.
  EXPECT_NEAR(value("acc", 1), g + 30.0 / (5.0 + 1e-3 * 100.0 + 1e-6 * 2000.0), 1e-8);
  EXPECT_NEAR(value("force", 1), 5.0 * value("acc", 1) - 30.0, 1e-8);
}

TEST_F(Hopper, RangefinderLooksThroughItsOwnBodyAlone) {
  settle();
  EXPECT_EQ(value("range"), -1.0) << "along -y there is nothing";
  // The trunk does not collide, so the foot's top (0.2) is next, 0.4 m and the spring's give above.
  const double site = 0.1 + 0.5 - 0.1 + value("spring");
  EXPECT_NEAR(value("range_down"), site - 0.2, 1e-6);
}

TEST_F(Hopper, NoiseHasItsDeviationAndComesFromItsSeed) {
  settle();
  const double truth = value("spring");
  Random noise(11);
  double sum = 0.0;
  double squares = 0.0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    evaluate(&noise);
    const double error = value("noisy") - truth;
    sum += error;
    squares += error * error;
    ASSERT_EQ(value("spring"), truth);
    const std::span<const double> q = sensors.reading("quat");
    ASSERT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-12);
  }
  EXPECT_NEAR(sum / count, 0.0, 5.0 * 0.3 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 0.3, 5.0 * 0.3 / std::sqrt(2.0 * count));
  Random first(3);
  Random second(3);
  evaluate(&first);
  const double once = value("noisy");
  evaluate(&second);
  EXPECT_EQ(value("noisy"), once);
}

TEST_F(Hopper, ReadingAllocatesNothing) {
  Random noise(1);
  simulation.run(0.1);
  evaluate(&noise);
  simulation.step();
  const test::AllocationCounter allocations;
  evaluate(&noise);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST_F(Hopper, UnknownNamesAndForeignStatesAreRefused) {
  evaluate();
  EXPECT_THROW(static_cast<void>(sensors.reading("nobody")), std::invalid_argument);
  EXPECT_THROW(
      sensors.evaluate(simulation.model(), State{}, simulation.workspace(), simulation.report()),
      std::invalid_argument);
}

TEST(Sensors, JointForceIsWhatServosAndActuatorsGive) {
  ModelBuilder builder;
  LinkSpec link{.name = "arm", .mass = 1.0, .center_of_mass = {1.0, 0.0, 0.0}};
  link.inertia = 0.01 * Eigen::Matrix3d::Identity();
  const int arm = builder.add_link(link);
  const int joint =
      builder.add_joint({.name = "shoulder", .child = arm, .axis = Eigen::Vector3d::UnitY()});
  builder.add_sensor({.name = "torque",
                      .kind = SensorKind::joint_force,
                      .target = Sensor::Target::joint,
                      .index = joint});
  Simulation simulation(builder.build());
  simulation.servos().push_back({.velocity_index = 0, .stiffness = 500.0, .damping = 50.0});
  ASSERT_TRUE(simulation.run(5.0).ok());
  SensorArray sensors(simulation.model());
  sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                   simulation.report());
  const double angle = simulation.state().q[0];
  EXPECT_NEAR(sensors.reading("torque")[0], -g * std::cos(angle), 1e-8);
}

/// As MuJoCo's manual has them: a scalar, a vector or a quaternion.
TEST(Sensors, EveryKindHasItsSize) {
  const std::map<SensorKind, int> sizes{{SensorKind::joint_position, 1},
                                        {SensorKind::joint_velocity, 1},
                                        {SensorKind::joint_force, 1},
                                        {SensorKind::actuator_force, 1},
                                        {SensorKind::ball_quaternion, 4},
                                        {SensorKind::ball_angular_velocity, 3},
                                        {SensorKind::frame_position, 3},
                                        {SensorKind::frame_quaternion, 4},
                                        {SensorKind::frame_linear_velocity, 3},
                                        {SensorKind::frame_angular_velocity, 3},
                                        {SensorKind::frame_linear_acceleration, 3},
                                        {SensorKind::frame_angular_acceleration, 3},
                                        {SensorKind::gyro, 3},
                                        {SensorKind::accelerometer, 3},
                                        {SensorKind::velocimeter, 3},
                                        {SensorKind::magnetometer, 3},
                                        {SensorKind::force, 3},
                                        {SensorKind::torque, 3},
                                        {SensorKind::touch, 1},
                                        {SensorKind::rangefinder, 1},
                                        {SensorKind::subtree_center_of_mass, 3},
                                        {SensorKind::subtree_linear_velocity, 3},
                                        {SensorKind::subtree_angular_momentum, 3},
                                        {SensorKind::clock, 1},
                                        {SensorKind::frame_x_axis, 3},
                                        {SensorKind::frame_y_axis, 3},
                                        {SensorKind::frame_z_axis, 3},
                                        {SensorKind::joint_limit_position, 1},
                                        {SensorKind::joint_limit_velocity, 1},
                                        {SensorKind::joint_limit_force, 1},
                                        {SensorKind::potential_energy, 1},
                                        {SensorKind::kinetic_energy, 1},
                                        {SensorKind::contact, 0},
                                        {SensorKind::other, 0}};
  EXPECT_EQ(sizes.size(), static_cast<std::size_t>(SensorKind::other) + 1) << "a kind is left out";
  for (const auto& [kind, size] : sizes) EXPECT_EQ(traits_of(kind).size, size) << to_string(kind);
}

}  // namespace
}  // namespace stiction
