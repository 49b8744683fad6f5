// A copy of a Model with other numbers, stepped in the Workspace of another copy: the numbers of
// the Model that is given to the step count, never those that the Workspace was made with.

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {
namespace {

constexpr double gravity = 9.81;  // [m/s²]
constexpr double h = 0.001;       // [s]

/// A block of 1 kg that slides along x at 2 m/s (µ 0.3), a ball of 1 kg high above it that falls,
/// one that hits the floor with 2 m/s, and a cart of 2 kg with a motor on a rail along y, at 1 m/s.
Model bench() {
  SceneBuilder scene("bench");
  scene.set_time_step(h);
  scene.use_material(0.3);
  scene.add_plane("floor");
  scene.add_box("block", {0.1, 0.1, 0.02}, 1.0, at(0, 0, 0.02));
  scene.add_sphere("ball", 0.05, 1.0, at(0, 5, 10));
  scene.add_sphere("bouncer", 0.05, 1.0, at(0, -5, 0.06));
  LinkSpec cart{.name = "cart", .mass = 2.0};
  cart.inertia = 0.01 * Eigen::Matrix3d::Identity();
  JointSpec rail;
  rail.name = "rail";
  rail.kind = JointKind::prismatic;
  rail.child = scene.builder().add_link(cart);
  rail.pose_in_parent = at(0, 0, 3);
  rail.axis = Eigen::Vector3d::UnitY();
  Actuator motor;
  motor.name = "motor";
  motor.joint = scene.builder().add_joint(rail);
  scene.builder().add_actuator(motor);
  return scene.build();
}

int velocity_of(const Model& model, std::string_view body) {
  return model.joint(*model.find_body(body)).velocity_index;
}

State start_of(const Model& model) {
  State state = model.initial_state();
  set_velocity(model, state, "block", {2.0, 0.0, 0.0});
  set_velocity(model, state, "bouncer", {0.0, 0.0, -2.0});
  state.v[velocity_of(model, "cart")] = 1.0;
  return state;
}

/// The ball is pushed along x by a newton, so that its mass shows; the motor is told to do nothing.
State stepped(const Model& model, Workspace& workspace, int steps) {
  State state = start_of(model);
  StepReport report;
  const double control = 0.0;
  const ExternalForce push{.body = *model.find_body("ball"), .force = {1.0, 0.0, 0.0}};
  for (int k = 0; k < steps; ++k) {
    step(model, {}, {.control = {&control, 1}, .forces = {&push, 1}}, state, workspace, report);
    EXPECT_TRUE(report.ok()) << report.message;
  }
  return state;
}

struct Change {
  const char* name;
  std::function<void(const Model&, ModelParameters&)> make;
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class ChangedParameters : public testing::TestWithParam<Change> {
 protected:
  ChangedParameters() {
    ModelParameters parameters = model.parameters();
    GetParam().make(model, parameters);
    changed = model.with_parameters(parameters);
  }
  Model model = bench();
  Model changed = model;
};

/// Bit for bit what a Workspace of its own gives, and so again when the first copy comes back.
TEST_P(ChangedParameters, CountInAWorkspaceOfAnotherCopy) {
  constexpr int steps = 20;
  Workspace own_of_first(model), own_of_second(changed), shared(model);
  const State first = stepped(model, own_of_first, steps);
  const State second = stepped(changed, own_of_second, steps);
  ASSERT_NE(first.v, second.v) << "the change cannot be seen";
  EXPECT_EQ(stepped(model, shared, steps).v, first.v);
  const State now = stepped(changed, shared, steps);
  EXPECT_EQ(now.v, second.v);
  EXPECT_EQ(now.q, second.q);
  EXPECT_EQ(stepped(model, shared, steps).v, first.v);
}

std::size_t body(const Model& model, const char* name) {
  return static_cast<std::size_t>(*model.find_body(name));
}

const Change changes[] = {
    {"Mass",
     [](const Model& model, ModelParameters& p) { p.scale_mass(*model.find_body("ball"), 4.0); }},
    {"CenterOfMass",
     [](const Model& model, ModelParameters& p) {
       p.bodies[body(model, "ball")].center_of_mass.z() = 0.01;
     }},
    {"MaterialFriction",
     [](const Model&, ModelParameters& p) {
       for (Material& material : p.materials) material.friction = 0.6;
     }},
    {"Restitution",
     [](const Model&, ModelParameters& p) {
       for (Material& material : p.materials) material.restitution = 0.5;
     }},
    {"MaterialPairFriction",
     [](const Model& model, ModelParameters& p) {
       const int material = model.shapes().front().material;
       p.material_pairs = {{material, material, 0.1, 0.0, 0.0}};
     }},
    {"Gravity", [](const Model&, ModelParameters& p) { p.gravity.z() = -1.62; }},
    {"JointDamping",
     [](const Model& model, ModelParameters& p) { p.damping[velocity_of(model, "cart")] = 5.0; }},
    {"JointFriction",
     [](const Model& model, ModelParameters& p) { p.friction[velocity_of(model, "cart")] = 1.0; }},
    {"Stiffness",
     [](const Model& model, ModelParameters& p) {
       p.stiffness[*model.find_body("cart")] = 50.0;  // joint i carries body i
     }},
    {"ActuatorBias", [](const Model&, ModelParameters& p) { p.actuators[0].bias[0] = 3.0; }},
    {"Armature",
     [](const Model& model, ModelParameters& p) { p.armature[velocity_of(model, "ball")] = 1.0; }},
};

INSTANTIATE_TEST_SUITE_P(Sim, ChangedParameters, testing::ValuesIn(changes),
                         [](const auto& info) { return std::string(info.param.name); });

/// Four numbers by formula, all changed at once, in a Workspace that has stepped the others.
TEST(ChangedParameters, MoveBodiesAsNewtonAndCoulombSay) {
  const Model model = bench();
  Workspace workspace(model);
  (void)stepped(model, workspace, 20);
  ModelParameters parameters = model.parameters();
  parameters.scale_mass(*model.find_body("ball"), 4.0);
  for (Material& material : parameters.materials) material.friction = 0.6;
  parameters.gravity.z() = -0.5 * gravity;
  parameters.damping[velocity_of(model, "cart")] = 5.0;
  const Model changed = model.with_parameters(parameters);
  constexpr int steps = 100;
  constexpr double t = steps * h;
  const State state = stepped(changed, workspace, steps);
  const Eigen::Vector3d ball = linear_velocity(changed, state, "ball");
  EXPECT_NEAR(ball.x(), t * 1.0 / 4.0, 1e-12);
  EXPECT_NEAR(ball.z(), -t * 0.5 * gravity, 1e-12);
  // Certified to 1e-8 a step.
  EXPECT_NEAR(linear_velocity(changed, state, "block").x(), 2.0 - t * 0.6 * 0.5 * gravity, 1e-6);
  // The damper is implicit: each step divides by 1 + h d/m.
  EXPECT_NEAR(state.v[velocity_of(changed, "cart")], std::pow(1.0 + h * 5.0 / 2.0, -steps), 1e-12);
}

TEST(ForeignModel, IsRefusedByName) {
  SceneBuilder other("other");
  other.add_sphere("ball", 0.05, 1.0, at(0, 0, 1));
  const Model model = bench();
  const Model foreign = other.build();
  Workspace workspace(model);
  State state = foreign.initial_state();
  StepReport report;
  step(foreign, {}, {}, state, workspace, report);
  EXPECT_EQ(report.status, StepStatus::refused);
  for (const char* part : {"'bench'", "'other'", "Workspace"}) {
    EXPECT_NE(report.message.find(part), std::string::npos) << report.message;
  }
  EXPECT_EQ(state.time, 0.0);
}

}  // namespace
}  // namespace stiction
