// Anchors in the report of a step with viscoelastic contact.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/sim/force_prediction.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

StepOptions springs(double time_step = 1e-3) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.time_step = time_step;
  return options;
}

double distance(const Vector3<double>& a, const Vector3<double>& b) {
  const Vector3<double> way = a - b;
  return std::sqrt(dot(way, way));
}

/// Stretches of all contacts on a body, as they act on it.
Vector3<double> sum_of_stretches(const StepReport& report, int body) {
  Vector3<double> sum;
  for (std::size_t i = 0; i < report.springs.size(); ++i) {
    const double sign = report.contacts[i].body_b == body ? 1.0 : -1.0;
    sum += sign * report.springs[i].stretch();
  }
  return sum;
}

// At rest K times the stretches carries the weight, whatever the slope, the step and the rules.
TEST(SpringEnds, AtRestTheStretchesCarryTheWeight) {
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    for (const double h : {1e-3, 1e-2}) {
      StepOptions options = springs(h);
      options.viscoelastic.rules = rules;
      Simulation simulation(load_scene("slope_box"), options);
      simulation.run(8.0);
      ASSERT_EQ(simulation.report().springs.size(), 4U);
      const Vector3<double> sum = sum_of_stretches(simulation.report(), 0);
      const double weight = gravity / options.viscoelastic.stiffness;  // 1 kg
      // Rotation of the box by the overlap, which is 1e-5 of its size, and rest to 1e-7.
      EXPECT_NEAR(sum.x, 0.0, 1e-4 * weight);
      EXPECT_NEAR(sum.y, 0.0, 1e-4 * weight);
      EXPECT_NEAR(sum.z, -weight, 1e-4 * weight);
    }
  }
}

// All integrators end at other places, but the next step begins where the report says.
TEST(SpringEnds, TheNextStepBeginsWithTheReportedStretch) {
  for (const ContactIntegrator integrator :
       {ContactIntegrator::exponential, ContactIntegrator::semi_implicit, ContactIntegrator::rk4,
        ContactIntegrator::implicit_euler}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    StepOptions options = springs(1e-4);
    options.viscoelastic.integrator = integrator;
    options.viscoelastic.damping = 1e-6;  // The force of the prediction is K times the stretch.
    SceneBuilder scene;
    scene.use_material(2.0);
    scene.add_plane("floor");
    // Pressed in by its weight, it swings on its springs and holds.
    scene.add_box("box", {0.1, 0.08, 0.05}, 1.0, at(0.0, 0.0, 0.05 - 0.25e-5 * gravity));
    Simulation simulation(scene.build(), options);
    simulation.state().v[0] = 0.004;
    simulation.state().v[2] = -0.002;
    simulation.state().v[5] = 0.02;
    const double K = options.viscoelastic.stiffness;
    int compared = 0;
    for (int k = 0; k < 300; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.springs.size(), report.contacts.size());
      const std::vector<double> now{0.0};
      const ForcePrediction next = predict_forces(simulation, {now, false});
      ASSERT_TRUE(next.ok()) << next.message;
      for (const PredictedContact& contact : next.contacts) {
        const auto before =
            std::ranges::find(report.contacts, contact.feature, &StepContact::feature);
        if (before == report.contacts.end()) continue;
        const auto i = static_cast<std::size_t>(before - report.contacts.begin());
        if (!report.springs[i].attached) continue;
        EXPECT_EQ(before->mode, ContactMode::stick);
        const Vector3<double> wanted = (-1.0 / K) * (contact.axes * contact.forces[0]);
        EXPECT_LT(distance(report.springs[i].stretch(), wanted), 1e-11) << k;
        ++compared;
      }
    }
    EXPECT_EQ(compared, 4 * 300);
  }
}

TEST(SpringEnds, TheAnchorOfWhatSticksStaysOnTheFloor) {
  Simulation simulation(load_scene("slope_box"), springs());
  simulation.run(1.0);
  const std::vector<SpringEnds> start = simulation.report().springs;
  ASSERT_EQ(start.size(), 4U);
  simulation.control()[0] = 0.1;  // The springs give way by 0.25 µm, and hold.
  for (int k = 0; k < 200; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_EQ(report.springs.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const bool floor_is_a = report.contacts[i].body_a < 0;
      const auto anchor = floor_is_a ? &SpringEnds::a : &SpringEnds::b;
      // Corners turn on their overlap of up to 25 µm, by 1e-5 at most.
      EXPECT_LT(distance(report.springs[i].*anchor, start[i].*anchor), 1e-9);
    }
  }
  const double moved = distance(simulation.report().springs[0].stretch(), start[0].stretch());
  EXPECT_GT(moved, 1e-7);
}

TEST(SpringEnds, ContactsThatAreApartHaveNoAnchor) {
  SceneBuilder scene;
  scene.use_material(0.5);
  scene.add_plane("floor");
  scene.add_sphere("ball", 0.1, 1.0, at(0.0, 0.0, 0.15));
  Simulation simulation(scene.build(), springs());
  int attached = 0;
  for (int k = 0; k < 400; ++k) {
    const StepReport& report = simulation.step();
    for (std::size_t i = 0; i < report.springs.size(); ++i) {
      if (report.springs[i].attached) {
        ++attached;
        EXPECT_LT(simulation.state().q[2], 0.1 + 1e-12);
      } else {
        EXPECT_GT(simulation.state().q[2], 0.1 - 1e-12);
      }
    }
  }
  EXPECT_GT(attached, 10);
}

TEST(SpringEnds, HardContactHasNone) {
  Simulation simulation(load_scene("slope_box"));
  simulation.step();
  EXPECT_FALSE(simulation.report().contacts.empty());
  EXPECT_TRUE(simulation.report().springs.empty());
  simulation.options() = springs();
  simulation.step();
  EXPECT_EQ(simulation.report().springs.size(), simulation.report().contacts.size());
  simulation.options().contact = ContactFamily::rigid;
  simulation.step();
  EXPECT_TRUE(simulation.report().springs.empty());
}

}  // namespace
}  // namespace stiction::test
