// Changes of single numbers of a Model: as with_parameters(), for this handle alone, at the cost of
// the numbers changed.

#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "stiction/model/model.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {
namespace {

/// A floating base with an arm and a ball beside it, two materials, a motor.
Model robot() {
  ModelBuilder builder;
  const auto link = [&](const char* name) {
    LinkSpec spec{.name = name, .mass = 2.0};
    spec.inertia = 0.02 * Eigen::Matrix3d::Identity();
    return builder.add_link(spec);
  };
  const auto joint = [&](const char* name, JointKind kind, int parent, int child) {
    JointSpec spec;
    spec.name = name;
    spec.kind = kind;
    spec.parent = parent;
    spec.child = child;
    return builder.add_joint(spec);
  };
  const int base = link("base");
  const int arm = link("arm");
  const int ball = link("ball");
  joint("free", JointKind::floating, world_body, base);
  Actuator motor;
  motor.name = "motor";
  motor.joint = joint("hinge", JointKind::revolute, base, arm);
  joint("free_ball", JointKind::floating, world_body, ball);
  builder.add_actuator(motor);
  builder.add_material({.name = "rubber", .friction = 0.9});
  builder.add_material({.name = "ice", .friction = 0.05});
  return builder.build();
}

void expect_same_numbers(const Model& a, const Model& b) {
  EXPECT_EQ(a.gravity(), b.gravity());
  EXPECT_EQ(a.parameters().damping, b.parameters().damping);
  EXPECT_EQ(a.parameters().friction, b.parameters().friction);
  EXPECT_EQ(a.parameters().armature, b.parameters().armature);
  EXPECT_EQ(a.parameters().stiffness, b.parameters().stiffness);
  EXPECT_EQ(a.spring_stiffness(), b.spring_stiffness());
  EXPECT_EQ(a.friction_dofs(), b.friction_dofs());
  EXPECT_EQ(a.has_passive_forces(), b.has_passive_forces());
  EXPECT_EQ(a.has_restitution(), b.has_restitution());
  for (int i = 0; i < a.body_count(); ++i) {
    EXPECT_EQ(a.body_inertia(i).mass, b.body_inertia(i).mass) << i;
    EXPECT_EQ(a.constants()[static_cast<std::size_t>(i)].inertia.mass,
              b.constants()[static_cast<std::size_t>(i)].inertia.mass)
        << i;
    EXPECT_EQ(a.falls_uniformly(i), b.falls_uniformly(i)) << i;
  }
  const int materials = static_cast<int>(a.materials().size());
  for (int i = 0; i < materials; ++i) {
    for (int k = 0; k < materials; ++k) {
      EXPECT_EQ(a.material_between(i, k).friction, b.material_between(i, k).friction);
      EXPECT_EQ(a.material_between(i, k).restitution, b.material_between(i, k).restitution);
    }
  }
  EXPECT_EQ(a.actuators()[0].gain, b.actuators()[0].gain);
}

struct Change {
  const char* name;
  std::function<void(Model&)> on_model;
  std::function<void(ModelParameters&)> on_parameters;
};

std::vector<Change> changes() {
  return {
      {"gravity",
       [](Model& m) {
         m.set_gravity({1, 2, 3});
       },
       [](ModelParameters& p) { p.gravity << 1, 2, 3; }},
      {"mass",
       [](Model& m) {
         BodyInertia body = m.body_inertia(2);
         body.mass = 7.0;
         body.inertia(0, 0) = 0.03;
         m.set_body_inertia(2, body);
       },
       [](ModelParameters& p) {
         p.bodies[2].mass = 7.0;
         p.bodies[2].inertia(0, 0) = 0.03;
       }},
      {"damping", [](Model& m) { m.set_damping(6, 0.5); },
       [](ModelParameters& p) { p.damping[6] = 0.5; }},
      {"damping of the ball", [](Model& m) { m.set_damping(8, 0.5); },
       [](ModelParameters& p) { p.damping[8] = 0.5; }},
      {"friction", [](Model& m) { m.set_friction(6, 0.2); },
       [](ModelParameters& p) { p.friction[6] = 0.2; }},
      {"armature", [](Model& m) { m.set_armature(6, 0.1); },
       [](ModelParameters& p) { p.armature[6] = 0.1; }},
      {"stiffness", [](Model& m) { m.set_stiffness(1, 30.0); },
       [](ModelParameters& p) { p.stiffness[1] = 30.0; }},
      {"material",
       [](Model& m) {
         Material material = m.materials().back();
         material.friction = 0.6;
         material.restitution = 0.4;
         m.set_material(static_cast<int>(m.materials().size()) - 1, material);
       },
       [](ModelParameters& p) {
         p.materials.back().friction = 0.6;
         p.materials.back().restitution = 0.4;
       }},
      {"actuator",
       [](Model& m) {
         Actuator actuator = m.actuators()[0];
         actuator.gain[0] = 5.0;
         m.set_actuator(0, actuator);
       },
       [](ModelParameters& p) { p.actuators[0].gain[0] = 5.0; }},
  };
}

TEST(SingleNumbers, AreAsWithParametersOneByOneAndTogether) {
  const Model original = robot();
  Model changed = original;
  ModelParameters parameters = original.parameters();
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.name);
    Model alone = original;
    ModelParameters only = original.parameters();
    change.on_model(alone);
    change.on_parameters(only);
    expect_same_numbers(alone, original.with_parameters(only));
    change.on_model(changed);
    change.on_parameters(parameters);
    expect_same_numbers(changed, original.with_parameters(parameters));
  }
}

TEST(SingleNumbers, CanBeTakenBack) {
  const Model original = robot();
  Model model = original;
  model.set_friction(6, 0.2);
  model.set_damping(8, 0.5);
  EXPECT_EQ(model.friction_dofs(), std::vector<int>{6});
  EXPECT_TRUE(model.has_passive_forces());
  EXPECT_FALSE(model.falls_uniformly(2));
  model.set_friction(6, 0.0);
  model.set_damping(8, 0.0);
  expect_same_numbers(model, original);
}

TEST(SingleNumbers, BelongToOneHandle) {
  const Model original = robot();
  Model copy = original;
  EXPECT_EQ(&copy.parameters(), &original.parameters()) << "a copy is a handle";
  copy.set_gravity({0, 0, -1.6});
  EXPECT_EQ(original.gravity().z(), -9.81);
  EXPECT_TRUE(copy.has_structure_of(original));
  EXPECT_FALSE(robot().has_structure_of(original));
}

/// Numbers are copied once, when a handle that shares them is changed first.
TEST(SingleNumbers, AreCopiedAtTheFirstChangeOnly) {
  const Model original = robot();
  Model copy = original;
  copy.set_damping(6, 0.1);
  const ModelParameters* own = &copy.parameters();
  const BodyInertia* bodies = own->bodies.data();
  for (const Change& change : changes()) change.on_model(copy);
  EXPECT_EQ(&copy.parameters(), own);
  EXPECT_EQ(copy.parameters().bodies.data(), bodies);
}

TEST(SingleNumbers, ThatNoRobotHasAreRefusedAndChangeNothing) {
  const Model original = robot();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const std::function<void(Model&)>& change) {
    Model model = original;
    try {
      change(model);
    } catch (const InputError&) {
      expect_same_numbers(model, original);
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused([&](Model& m) { m.set_gravity({0, nan, 0}); }));
  EXPECT_TRUE(refused([&](Model& m) { m.set_damping(0, -1.0); }));
  EXPECT_TRUE(refused([&](Model& m) { m.set_damping(100, 1.0); }));
  EXPECT_TRUE(refused([&](Model& m) { m.set_friction(-1, 1.0); }));
  EXPECT_TRUE(refused([&](Model& m) { m.set_armature(0, nan); }));
  EXPECT_TRUE(refused([&](Model& m) { m.set_stiffness(3, 1.0); }));
  EXPECT_TRUE(refused([&](Model& m) {
    BodyInertia body = m.body_inertia(0);
    body.mass = -1.0;
    m.set_body_inertia(0, body);
  }));
  EXPECT_TRUE(refused([&](Model& m) {
    Material material = m.materials()[0];
    material.friction = -0.1;
    m.set_material(0, material);
  }));
  EXPECT_TRUE(refused([&](Model& m) {
    Actuator actuator = m.actuators()[0];
    actuator.joint = 0;
    m.set_actuator(0, actuator);
  }));
}

}  // namespace
}  // namespace stiction
