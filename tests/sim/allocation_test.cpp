// A step allocates nothing once its number of contacts has been seen.

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/allocation_counter.hpp"

namespace stiction {
namespace {

/// Runs twice from the same state; counts what the second run allocates. A step depends on its
/// state alone, so both have the same contacts.
void expect_no_allocation(Simulation& simulation, int steps) {
  const State start = simulation.state();
  int contacts = 0;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    contacts = std::max(contacts, static_cast<int>(simulation.report().contacts.size()));
  }
  const State end = simulation.state();
  EXPECT_GT(contacts, 0);
  simulation.set_state(start);
  std::size_t allocations = 0;
  for (int k = 0; k < steps; ++k) {
    const test::AllocationCounter counter;
    simulation.step();
    allocations += counter.count();
  }
  EXPECT_EQ(allocations, 0u) << "in " << steps << " steps with up to " << contacts << " contacts";
  EXPECT_TRUE(same_bits(simulation.state(), end));
}

Model robot(const char* file) {
  return load_model(std::filesystem::path(STICTION_SOURCE_DIR) / "models" / file).model;
}

TEST(Allocation, QuadrupedThatFallsAndStands) {
  Simulation simulation(robot("anymal_lumped.xml"));
  simulation.reset_to_keyframe("stand");
  for (int k = 6; k < simulation.model().velocity_count(); ++k) {
    simulation.servos().push_back({.velocity_index = k,
                                   .position_target = simulation.state().q[k + 1],
                                   .stiffness = 100.0,
                                   .damping = 2.0});
  }
  simulation.state().q[2] += 0.2;
  expect_no_allocation(simulation, 400);
}

TEST(Allocation, QuadrupedThatCollapses) {
  StepOptions options;
  options.balance = true;
  options.timings = true;
  Simulation simulation(robot("anymal_lumped.xml"), options);
  simulation.reset_to_keyframe("stand");
  simulation.state().q[2] += 0.2;
  simulation.state().v[0] = 1.0;
  expect_no_allocation(simulation, 800);
}

/// All that is off by default.
StepOptions with_all_options() {
  StepOptions options{.time_step = 0.002};
  options.push_out_sweeps = 6;
  options.recall_fraction = 0.2;
  options.four_face_points = true;
  options.integrator = Integrator::rk4;
  options.balance = true;
  options.timings = true;
  return options;
}

Model pile() {
  SceneBuilder scene;
  scene.use_material(0.4, 0.3);
  scene.add_plane("floor");
  Random random(7);
  for (int k = 0; k < 27; ++k) {
    const Eigen::Isometry3d pose =
        at({0.22 * (k % 3) + 0.02 * random.uniform(), 0.22 * (k / 3 % 3) + 0.02 * random.uniform(),
            0.12 + 0.25 * (k / 9)},
           random.uniform(), Eigen::Vector3d::UnitX());
    const std::string name = "body" + std::to_string(k);
    if (k % 3 == 0) scene.add_sphere(name, 0.1, 1.0, pose);
    if (k % 3 == 1) scene.add_box(name, {0.1, 0.08, 0.06}, 1.0, pose);
    if (k % 3 == 2) scene.add_capsule(name, 0.06, 0.05, 1.0, pose);
  }
  return scene.build();
}

TEST(Allocation, PileThatFallsApart) {
  StepOptions options;
  options.time_step = 0.002;
  Simulation simulation(pile(), options);
  expect_no_allocation(simulation, 300);
}

TEST(Allocation, PileWithAllOptions) {
  for (const char* solver : {"hybrid", "per_contact"}) {
    StepOptions options = with_all_options();
    options.solver = solver;
    if (options.solver == "per_contact") options.solver_options.max_iterations = 3;
    Simulation simulation(pile(), options);
    expect_no_allocation(simulation, 200);
  }
}

TEST(Allocation, QuadrupedWithAllOptions) {
  Simulation simulation(robot("anymal_lumped.xml"), with_all_options());
  simulation.reset_to_keyframe("stand");
  simulation.state().q[2] += 0.2;
  simulation.state().v[0] = 1.0;
  expect_no_allocation(simulation, 400);
}

/// Limits, Coulomb friction in joints, a loop that is closed, coupled joints, effort limits that
/// are reached, and contacts with the floor.
Model machine() {
  SceneBuilder scene;
  scene.use_material(0.6);
  scene.add_plane("floor");
  ModelBuilder& builder = scene.builder();
  int parent = scene.add_box("base", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.5));
  std::vector<int> links{parent}, joints;
  for (int k = 0; k < 6; ++k) {
    LinkSpec link;
    link.name = "link" + std::to_string(k);
    link.mass = 0.3;
    link.center_of_mass = {0.1, 0, 0};
    link.inertia = Eigen::Vector3d(1e-3, 2e-3, 2e-3).asDiagonal();
    link.shapes = {scene.sphere(0.03, at(0.2, 0, 0))};
    JointSpec joint;
    joint.name = "joint" + std::to_string(k);
    joint.parent = parent;
    joint.child = parent = builder.add_link(std::move(link));
    joint.pose_in_parent = at(k == 0 ? 0.1 : 0.2, 0, 0);
    joint.axis = k % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
    joint.limits = {.lower = -0.3, .upper = 0.3, .effort = 2.0};
    joint.friction = 0.2;
    links.push_back(joint.child);
    joints.push_back(builder.add_joint(joint));
  }
  scene.add_sphere("weight", 0.05, 0.5, at(1.4, 0, 0.5));
  Coupling connect;
  connect.kind = Coupling::Kind::connect;
  connect.body_a = links.back();
  connect.body_b = *builder.find_link("weight");
  connect.pose_a = at(0.3, 0, 0);
  connect.pose_b = at(0, 0, 0);
  builder.add_coupling(connect);
  Coupling gear;
  gear.kind = Coupling::Kind::joint;
  gear.joint_a = joints[1];
  gear.joint_b = joints[3];
  builder.add_coupling(gear);
  return scene.build();
}

void run_machine(const StepOptions& options) {
  Simulation simulation(machine(), options);
  for (int k = 6; k < 12; ++k) {
    simulation.servos().push_back({.velocity_index = k,
                                   .position_target = k % 2 == 0 ? 1.0 : -1.0,
                                   .stiffness = 50.0,
                                   .damping = 1.0});
  }
  expect_no_allocation(simulation, 800);
  EXPECT_FALSE(simulation.report().constraints.empty());
}

TEST(Allocation, MachineWithLimitsFrictionAndLocks) {
  run_machine(StepOptions{.time_step = 0.001});
}

/// A string around a sphere that becomes taut, a spring, friction along a thread, coupled lengths.
Model puppet() {
  return load_model_text(R"(<mujoco><option timestep=".001"/><worldbody>
    <geom type="plane" size="1 1 1"/><site name="top" pos="0 0 1"/><site name="left" pos="-.3 0 1"/>
    <geom name="ball" size=".05" pos=".1 0 .6" contype="0" conaffinity="0"/>
    <body pos=".2 0 .3"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/>
      <site name="a"/><body pos=".1 0 0"><joint name="h" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .1 0 0" size=".02" mass=".2"/><site name="b"/></body>
    </body>
    <body pos="-.2 0 .3"><freejoint/><geom size=".05" mass="1"/><site name="c"/></body>
    </worldbody><tendon>
    <spatial name="string" limited="true" range="0 .75"><site site="top"/><geom geom="ball"/>
      <site site="a"/></spatial>
    <spatial name="spring" stiffness="50" damping="1" frictionloss=".5"><site site="left"/>
      <site site="c"/></spatial>
    <spatial name="tie"><site site="b"/><site site="c"/></spatial></tendon>
    <equality><tendon tendon1="tie" tendon2="spring" polycoef="0 .1"/></equality></mujoco>)",
                         "puppet.xml")
      .model;
}

TEST(Allocation, PuppetOnTendons) {
  for (const bool all : {false, true}) {
    StepOptions options = all ? with_all_options() : StepOptions{};
    options.time_step = 0.001;
    Simulation simulation(puppet(), options);
    expect_no_allocation(simulation, 600);
    EXPECT_FALSE(simulation.report().constraints.empty());
  }
}

TEST(Allocation, MachineWithAllOptions) {
  StepOptions options = with_all_options();
  options.time_step = 0.001;
  run_machine(options);
}

}  // namespace
}  // namespace stiction
