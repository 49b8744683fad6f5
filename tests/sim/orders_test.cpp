// Orders of the integrators in free motion: the slope of the error against the step.

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A tumbling box with an arm on a ball joint and another on a hinge, if so wished with spring and
/// damper.
Model acrobat(bool passive) {
  SceneBuilder scene;
  const int torso = scene.add_box("torso", {0.2, 0.1, 0.05}, 2.0, at(0, 0, 0));
  ModelBuilder& builder = scene.builder();
  const auto add_arm = [&](const std::string& name, JointKind kind, double side) {
    LinkSpec arm;
    arm.name = name;
    arm.mass = 0.5;
    arm.center_of_mass = {0.0, 0.0, -0.15};
    arm.inertia = Eigen::Vector3d(0.004, 0.0041, 0.0003).asDiagonal();
    JointSpec joint;
    joint.name = name + "_joint";
    joint.kind = kind;
    joint.parent = torso;
    joint.child = builder.add_link(std::move(arm));
    joint.pose_in_parent = at(side, 0, 0);
    joint.axis = Eigen::Vector3d::UnitY();
    if (kind == JointKind::revolute && passive) {
      joint.stiffness = 3.0;
      joint.damping = 0.02;
    }
    builder.add_joint(joint);
  };
  add_arm("left", JointKind::spherical, 0.2);
  add_arm("right", JointKind::revolute, -0.2);
  return scene.build();
}

State flown(const Model& model, Integrator integrator, double h) {
  constexpr double duration = 0.4;
  Simulation simulation(model, StepOptions{.time_step = h, .integrator = integrator});
  State& state = simulation.state();
  for (Eigen::Index k = 0; k < state.v.size(); ++k)
    state.v[k] = std::sin(1.0 + 2.0 * double(k)) * 3.0;
  const StepReport& report = simulation.run(duration);
  EXPECT_TRUE(report.ok()) << report.message;
  return state;
}

double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).lpNorm<Eigen::Infinity>(), (a.v - b.v).lpNorm<Eigen::Infinity>());
}

class Order : public testing::TestWithParam<std::pair<Integrator, double>> {};

TEST_P(Order, IsWhatItsNamePromises) {
  const auto [integrator, order] = GetParam();
  // Springs and dampers are implicit for the trapezoid, and then only of first order.
  const Model model = acrobat(integrator != Integrator::trapezoid);
  const State exact = flown(model, Integrator::rk4, 1.25e-4);
  const double coarse = order > 3.0 ? 4e-3 : 1e-3;
  const double e1 = distance(flown(model, integrator, coarse), exact);
  const double e2 = distance(flown(model, integrator, 0.5 * coarse), exact);
  const double e4 = distance(flown(model, integrator, 0.25 * coarse), exact);
  RecordProperty("slope", std::to_string(std::log2(e2 / e4)));
  // The next order's term bends the line by a share of h.
  EXPECT_NEAR(std::log2(e1 / e2), order, 0.25);
  EXPECT_NEAR(std::log2(e2 / e4), order, 0.15);
}

INSTANTIATE_TEST_SUITE_P(FreeMotion, Order,
                         testing::Values(std::pair{Integrator::explicit_euler, 1.0},
                                         std::pair{Integrator::semi_implicit, 1.0},
                                         std::pair{Integrator::implicit, 1.0},
                                         std::pair{Integrator::trapezoid, 2.0},
                                         std::pair{Integrator::rk4, 4.0}),
                         [](const auto& info) { return std::string(to_string(info.param.first)); });

}  // namespace
}  // namespace stiction
