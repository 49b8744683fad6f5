// The option `effort`: what it sets, that options of one's own win, and what it does to a heap.

#include "stiction/sim/effort.hpp"

#include <bit>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stiction/core/random.hpp"
#include "stiction/sim/option_table.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// Boxes that fall into a heap.
Model heap() {
  SceneBuilder builder("heap");
  builder.use_material(0.5);
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.set_time_step(0.002);
  builder.add_plane("ground");
  Random random(5);
  for (int i = 0; i < 12; ++i) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    const auto place = [&](int k) { return 0.21 * (k + 0.1 * random.uniform(-1.0, 1.0)); };
    pose.translation() << place(i % 2), place(i / 2 % 2), 0.11 + place(i / 4);
    builder.add_box(fmt::format("box{}", i), {0.1, 0.1, 0.1}, 1.0, pose);
  }
  return builder.build();
}

StepOptions with(Effort effort) {
  StepOptions options;
  options.effort = effort;
  return options;
}

TEST(Effort, IsARowOfTheTable) {
  const StepOption* row = find_step_option("effort");
  ASSERT_NE(row, nullptr);
  StepOptions options;
  EXPECT_EQ(row->read(options, "fast"), "");
  EXPECT_EQ(options.effort, Effort::fast);
  EXPECT_NE(row->read(options, "lazy"), "");
}

TEST(Effort, ExactIsTheDefaultAndChangesNothing) {
  StepOptions room;
  const StepOptions options;
  EXPECT_EQ(options.effort, Effort::exact);
  EXPECT_EQ(&options_with_effort(options, room), &options);
}

TEST(Effort, OwnValuesWin) {
  StepOptions options = with(Effort::fast);
  options.solver_options.max_iterations = 50;
  options.push_out_fraction = 0.3;
  StepOptions room;
  const StepOptions& result = options_with_effort(options, room);
  EXPECT_EQ(result.solver_options.max_iterations, 50);
  EXPECT_EQ(result.push_out_fraction, 0.3);
  EXPECT_EQ(result.solver, "per_contact");
  EXPECT_EQ(result.recall_fraction, 0.1);
  EXPECT_EQ(tolerance_of(options), 1e-3);
  EXPECT_EQ(tolerance_of(with(Effort::balanced)), 1e-4);
  EXPECT_EQ(tolerance_of(with(Effort::exact)), 1e-8);
}

TEST(Effort, SpringsAreNotTouched) {
  StepOptions options = with(Effort::fast);
  options.contact = ContactFamily::viscoelastic;
  StepOptions room;
  EXPECT_EQ(&options_with_effort(options, room), &options);
}

TEST(Effort, MovesAsItsOptionsDo) {
  StepOptions room;
  StepOptions written = options_with_effort(with(Effort::fast), room);
  written.effort = Effort::exact;
  Simulation by_effort(heap(), with(Effort::fast));
  Simulation by_options(heap(), written);
  for (int k = 0; k < 200; ++k) {
    by_effort.step();
    by_options.step();
  }
  for (Eigen::Index k = 0; k < by_effort.state().q.size(); ++k) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(by_effort.state().q[k]),
              std::bit_cast<std::uint64_t>(by_options.state().q[k]));
  }
}

TEST(Effort, HeapsComeToRestUnderEach) {
  for (const Effort effort : {Effort::exact, Effort::balanced, Effort::fast}) {
    Simulation simulation(heap(), with(effort));
    for (int k = 0; k < 1000; ++k) simulation.step();
    EXPECT_LE(simulation.state().v.cwiseAbs().maxCoeff(), 1e-3) << to_string(effort);
    EXPECT_EQ(simulation.report().uncertified, 0) << to_string(effort);
    EXPECT_LE(simulation.report().deepest_overlap, 1e-5) << to_string(effort);
  }
}

}  // namespace
}  // namespace stiction
