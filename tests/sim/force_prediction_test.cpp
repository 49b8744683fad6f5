// Forces that lie ahead: against the closed solution of a spring, and against fine steps of a robot
// that touches down.

#include "stiction/sim/force_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/sim/scene.hpp"
#include "support/scenes.hpp"
#include "support/solo12.hpp"
#include "support/spring_options.hpp"

namespace stiction::test {
namespace {

constexpr double horizon = 0.020;  // [s], as in the published figure

std::vector<double> times_every(double step) {
  std::vector<double> times;
  for (int k = 0; k <= std::lround(horizon / step); ++k) times.push_back(k * step);
  return times;
}

Simulation ball(double height, double speed, const StepOptions& options) {
  SceneBuilder scene;
  scene.add_plane("floor");
  scene.add_sphere("ball", 0.1, 1.0, at(0, 0, 0.1 + height));
  Simulation simulation(scene.build(), options);
  simulation.state().v[2] = speed;
  return simulation;
}

/// −K x − B x' of x'' = −K x − B x' − g for 1 kg, underdamped, in long double.
double spring_force(double position, double velocity, double stiffness, double damping, double t) {
  using Real = long double;
  const Real K = stiffness;
  const Real B = damping;
  const Real rest = -static_cast<Real>(gravity) / K;
  const Real decay = B / 2;
  const Real w = std::sqrt(K - decay * decay);
  const Real a = position - rest;
  const Real b = (velocity + decay * a) / w;
  const Real e = std::exp(-decay * t);
  const Real x = rest + e * (a * std::cos(w * t) + b * std::sin(w * t));
  const Real v =
      e * ((b * w - decay * a) * std::cos(w * t) - (a * w + decay * b) * std::sin(w * t));
  return static_cast<double>(-K * x - B * v);
}

TEST(ForcePrediction, OfAMassOnASpringIsTheClosedSolutionForAnyStepAndEngine) {
  const std::vector<double> times = times_every(5e-4);
  for (const EngineKind engine : {EngineKind::modal, EngineKind::pade}) {
    for (const double h : {1e-5, 1e-3, 1e-2}) {
      StepOptions options = springs(h);
      options.viscoelastic.engine = engine;
      // Softer along the tangents with its own damping: the prediction has to do without modes.
      if (engine == EngineKind::pade) options.viscoelastic.tangential_damping = 77.0;
      const double K = options.viscoelastic.stiffness;
      const double B = options.viscoelastic.damping;
      const double depth = -2.0 * gravity / K;
      Simulation simulation = ball(depth, 0.05, options);
      const State before = simulation.state();
      const ForcePrediction ahead =
          predict_forces(simulation, {.times = times, .within_cones = false});
      ASSERT_TRUE(ahead.ok()) << ahead.message;
      ASSERT_EQ(ahead.contacts.size(), 1U);
      ASSERT_EQ(ahead.times, times);
      const PredictedContact& contact = ahead.contacts.front();
      EXPECT_EQ(contact.body_a, -1);
      EXPECT_EQ(contact.body_b, 0);
      EXPECT_EQ(contact.normal().z, 1.0);
      for (std::size_t k = 0; k < times.size(); ++k) {
        // Relative to the largest force, K times the stretch and B times the speed.
        EXPECT_NEAR(contact.forces[k].z, spring_force(depth, 0.05, K, B, times[k]), 1e-10 * 35.0)
            << "t " << times[k] << ", h " << h;
        EXPECT_EQ(contact.forces[k].x, 0.0);
      }
      EXPECT_TRUE(same_bits(before, simulation.state()));
    }
  }
}

TEST(ForcePrediction, WithinConesNothingPulls) {
  const std::vector<double> times = times_every(5e-4);
  Simulation simulation = ball(-1e-4, 0.2, springs(1e-3));
  simulation.state().v[0] = 0.5;
  const ForcePrediction free = predict_forces(simulation, {.times = times, .within_cones = false});
  const ForcePrediction cut = predict_forces(simulation, {.times = times});
  ASSERT_EQ(cut.contacts.size(), 1U);
  bool pulls = false;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Vector3<double>& force = cut.contacts.front().forces[k];
    pulls |= free.contacts.front().forces[k].z < 0.0;
    EXPECT_GE(force.z, 0.0);
    EXPECT_LE(std::hypot(force.x, force.y), cut.contacts.front().friction * force.z + 1e-12);
  }
  EXPECT_TRUE(pulls);
}

/// The forces that the feet of Solo12 have over the horizon in steps of 10 µs, and how far the
/// prediction from the moment of touch-down is away, relative to the largest force.
double touchdown_error(double speed, double& largest) {
  const Solo12 robot = standing_solo12();
  const StepOptions options = springs(1e-5);
  Simulation simulation(robot.model, options);
  simulation.set_state(robot.touching);
  simulation.state().v[2] = -speed;
  simulation.joint_forces() = robot.torques;
  const std::vector<double> times = [&] {
    std::vector<double> middles;
    for (int k = 0; k < std::lround(horizon / 1e-5); ++k) middles.push_back((k + 0.5) * 1e-5);
    return middles;
  }();
  const ForcePrediction ahead = predict_forces(simulation, {.times = times});
  EXPECT_EQ(ahead.contacts.size(), 4U) << ahead.message;
  double error = 0.0;
  largest = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (const StepContact& contact : simulation.step().contacts) {
      const auto same =
          std::ranges::find(ahead.contacts, contact.shape_b, &PredictedContact::shape_b);
      if (same == ahead.contacts.end()) continue;
      const double force = contact.impulse.z / 1e-5;
      largest = std::max(largest, force);
      error = std::max(error, std::abs(force - same->forces[k].z));
    }
  }
  return error / largest;
}

TEST(ForcePrediction, FollowsTheForcesOfSolo12AfterTouchDown) {
  double largest = 0.0;
  const double fast = touchdown_error(0.1, largest);
  RecordProperty("at 0.1 m/s", testing::PrintToString(fast));
  EXPECT_GT(largest, 20.0);  // three times the share of the weight
  const double slow = touchdown_error(0.0, largest);
  RecordProperty("at rest", testing::PrintToString(slow));
  EXPECT_GT(largest, 5.0);
  // Within 20 ms inertia and load change by less than this.
  EXPECT_LE(fast, 0.005);
  EXPECT_LE(slow, 0.002);
}

TEST(ForcePrediction, RefusesTimesThatAreNotOnes) {
  Simulation simulation = ball(-1e-4, 0.0, springs(1e-3));
  for (const double time : {-1e-3, std::nan(""), HUGE_VAL}) {
    const std::vector<double> times{0.0, time};
    const ForcePrediction ahead = predict_forces(simulation, {.times = times});
    EXPECT_EQ(ahead.status, StepStatus::refused);
    EXPECT_NE(ahead.message.find("time 1 of the prediction is"), std::string::npos)
        << ahead.message;
    EXPECT_TRUE(ahead.contacts.empty());
  }
  simulation.options().viscoelastic.stiffness = -1.0;
  EXPECT_NE(predict_forces(simulation, {}).message.find("viscoelastic.stiffness"),
            std::string::npos);
}

TEST(ForcePrediction, WorksBesideHardContactAndWithoutAnyContact) {
  StepOptions options;
  options.time_step = 1e-3;
  const std::vector<double> times = times_every(1e-3);
  Simulation flying = ball(1.0, 0.0, options);
  EXPECT_TRUE(predict_forces(flying, {.times = times}).contacts.empty());
  Simulation resting = ball(-gravity / options.viscoelastic.stiffness, 0.0, options);
  const ForcePrediction ahead = predict_forces(resting, {.times = times});
  ASSERT_EQ(ahead.contacts.size(), 1U);
  for (const Vector3<double>& force : ahead.contacts.front().forces) {
    EXPECT_NEAR(force.z, gravity, 1e-9);
  }
  // Hard contact goes on as if nobody had asked.
  Simulation other = ball(-gravity / options.viscoelastic.stiffness, 0.0, options);
  resting.step();
  other.step();
  EXPECT_TRUE(same_bits(resting.state(), other.state()));
}

}  // namespace
}  // namespace stiction::test
