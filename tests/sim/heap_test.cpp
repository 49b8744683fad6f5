// Heaps whose solver is cut short: overlaps out of the positions alone, and starts from the mean
// of the impulses.

#include <algorithm>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

Eigen::Isometry3d pose_at(double x, double y, double z, double turn) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() << x, y, z;
  pose.linear() = Eigen::AngleAxisd(turn, Eigen::Vector3d(1, 2, 3).normalized()).matrix();
  return pose;
}

/// Two balls in space that overlap by 1 cm.
Model overlapping_balls() {
  SceneBuilder builder("balls");
  builder.set_gravity({0.0, 0.0, 0.0});
  builder.add_sphere("left", 0.1, 1.0, pose_at(0.0, 0.0, 0.0, 0.0));
  builder.add_sphere("right", 0.1, 2.0, pose_at(0.19, 0.0, 0.0, 0.0));
  return builder.build();
}

/// Four boxes that fall a little askew onto each other.
Model column() {
  SceneBuilder builder("column");
  builder.use_material(0.5);
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.add_plane("ground", Eigen::Isometry3d::Identity());
  for (int i = 0; i < 4; ++i) {
    const double shift = i % 2 == 0 ? 0.004 : -0.003;
    builder.add_box(fmt::format("box{}", i), {0.1, 0.1, 0.1}, 1.0,
                    pose_at(shift, 0.5 * shift, 0.12 + 0.23 * i, 0.02 * (i + 1)));
  }
  return builder.build();
}

StepOptions cut_short() {
  StepOptions options;
  options.time_step = 0.002;
  options.solver = "per_contact";
  options.solver_options.max_iterations = 3;
  options.solver_options.tolerance = 1e-3;
  return options;
}

StepOptions for_heaps() {
  StepOptions options = cut_short();
  options.push_out_fraction = 1.0;
  options.push_out_sweeps = 6;
  options.recall_fraction = 0.2;
  return options;
}

double distance(const State& state) {
  return (state.q.segment<3>(7) - state.q.segment<3>(0)).norm();
}

/// Largest speed, and deepest overlap, in the last 0.2 s of 3 s.
std::pair<double, double> trembling(const StepOptions& options) {
  Simulation simulation(column(), options);
  for (int k = 0; k < 1400; ++k) simulation.step();
  double speed = 0.0;
  double overlap = 0.0;
  for (int k = 0; k < 100; ++k) {
    const StepReport& report = simulation.step();
    speed = std::max(speed, simulation.state().v.lpNorm<Eigen::Infinity>());
    overlap = std::max(overlap, report.deepest_overlap);
  }
  return {speed, overlap};
}

TEST(Heap, OverlapsPushedOutOfThePositionsLeaveVelocitiesAlone) {
  StepOptions options;
  options.time_step = 0.01;
  options.push_out_fraction = 0.5;
  options.push_out_sweeps = 4;
  options.push_out_speed = 10.0;
  Simulation simulation(overlapping_balls(), options);
  const double centre = simulation.state().q[0] + 2.0 * simulation.state().q[7];
  simulation.step();
  // Half of the overlap; and the heavy ball moves half as far as the light one.
  EXPECT_NEAR(distance(simulation.state()), 0.195, 1e-12);
  EXPECT_NEAR(simulation.state().q[0] + 2.0 * simulation.state().q[7], centre, 1e-12);
  EXPECT_EQ(simulation.state().v.norm(), 0.0);
}

TEST(Heap, PushingOutOfThePositionsKeepsToItsSpeed) {
  StepOptions options;
  options.time_step = 0.01;
  options.push_out_fraction = 1.0;
  options.push_out_sweeps = 4;
  options.push_out_speed = 0.1;
  Simulation simulation(overlapping_balls(), options);
  simulation.step();
  EXPECT_NEAR(distance(simulation.state()), 0.191, 1e-12);
}

TEST(Heap, ComesToRestThoughItsSolverIsCutShort) {
  const auto [speed, overlap] = trembling(for_heaps());
  // The solver may leave 1e-3 of g h, which is 2e-5 m/s; ten times that is no trembling.
  EXPECT_LT(speed, 2e-4);
  EXPECT_LT(overlap, 4e-7);
  // Without, each step mends what the one before has overdone, for ever.
  const auto [speed_without, overlap_without] = trembling(cut_short());
  EXPECT_GT(speed_without, 10.0 * speed);
  EXPECT_GT(overlap_without, 10.0 * overlap);
}

TEST(Heap, MeanImpulsesHoldAContactWithinItsCone) {
  StepOptions options = for_heaps();
  Simulation simulation(column(), options);
  for (int k = 0; k < 400; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_NE(report.status, StepStatus::diverged);
    ASSERT_LE(report.certificate.cone, 1e-9);
  }
}

}  // namespace
}  // namespace stiction
