// A state is everything: whatever was computed before, on however many threads, the same bits
// follow from it.

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "stiction/core/paths.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/record/state_file.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

/// 64 small piles of boxes, balls and capsules over a floor, each thrown at its neighbours: islands
/// merge and split all the time. (4 bodies each.)
Model thrown_piles() {
  SceneBuilder scene("thrown piles");
  scene.use_material(0.6, 0.3);
  scene.add_plane("floor");
  for (int pile = 0; pile < 64; ++pile) {
    const double x = 0.9 * (pile % 8);
    const double y = 0.9 * (pile / 8);
    const std::string name = std::to_string(pile);
    scene.add_box("low" + name, {0.15, 0.15, 0.1}, 1.0, at(x, y, 0.101));
    scene.add_box("high" + name, {0.1, 0.1, 0.1}, 0.5, at(x, y, 0.303));
    scene.add_sphere("ball" + name, 0.1, 0.3, at(x + 0.02, y, 0.52));
    scene.add_capsule("pin" + name, 0.05, 0.1, 0.3, at(x - 0.3, y, 0.2));
  }
  return scene.build();
}

State thrown(const Model& model) {
  State state = model.initial_state();
  Random random(5);
  for (int body = 0; body < model.body_count(); ++body) {
    const int first = model.joint(body).velocity_index;
    for (int k = 0; k < 6; ++k) {
      state.v[first + k] = (k < 2 ? 2.0 : 0.5) * random.normal();
    }
  }
  return state;
}

/// Hard islands end soon, certified or not: bits are what counts here.
StepOptions pile_options(int threads = 1) {
  StepOptions options{.time_step = 4e-3};
  options.solver_options.hybrid.admm_steps = 20;
  options.threads = threads;
  return options;
}

/// Runs on; the numbers of islands that were seen go into `islands`.
std::uint64_t run(const Model& model, StepOptions options, State& state, int steps,
                  Workspace& workspace, std::vector<int>* islands = nullptr) {
  StepReport report;
  for (int i = 0; i < steps; ++i) {
    step(model, options, {}, state, workspace, report);
    EXPECT_NE(report.status, StepStatus::refused) << report.message;
    EXPECT_NE(report.status, StepStatus::diverged) << report.message;
    if (islands != nullptr) islands->push_back(report.islands);
  }
  return hash(state);
}

constexpr int pile_steps = 110;

TEST(Determinism, ThreadsDoNotMatterForIslandsThatMergeAndSplit) {
  const Model model = thrown_piles();
  std::vector<std::uint64_t> hashes;
  std::vector<int> islands;
  for (const int threads : {1, 2, 4}) {
    State state = thrown(model);
    Workspace workspace(model);
    StepOptions options{.time_step = 4e-3};
    options.threads = threads;
    hashes.push_back(
        run(model, options, state, pile_steps, workspace, threads == 1 ? &islands : nullptr));
  }
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), 1U);
  EXPECT_GE(*std::ranges::max_element(islands), 50);
  int merged = 0;
  int split = 0;
  for (std::size_t i = 1; i < islands.size(); ++i) {
    merged += islands[i] < islands[i - 1] ? 1 : 0;
    split += islands[i] > islands[i - 1] ? 1 : 0;
  }
  EXPECT_GE(merged, 20);
  EXPECT_GE(split, 20);
}

TEST(Determinism, AUsedWorkspaceGivesWhatAFreshOneGives) {
  const Model model = thrown_piles();
  const StepOptions options = pile_options();
  Workspace used(model);
  State elsewhere = thrown(model);
  elsewhere.v *= -1.7;
  run(model, options, elsewhere, 40, used);
  StepReport report;
  State poisoned = elsewhere;
  poisoned.q[0] = std::numeric_limits<double>::quiet_NaN();
  step(model, options, {}, poisoned, used, report);
  EXPECT_EQ(report.status, StepStatus::refused);

  State with_used = thrown(model);
  State with_fresh = thrown(model);
  Workspace fresh(model);
  run(model, options, with_used, 60, used);
  run(model, options, with_fresh, 60, fresh);
  EXPECT_TRUE(same_bits(with_used, with_fresh));
}

TEST(Determinism, OptionsOfEarlierStepsLeaveNoTrace) {
  const Model model = thrown_piles();
  Workspace used(model);
  State elsewhere = thrown(model);
  StepOptions other{.time_step = 1e-2, .solver = "pgs", .gap_rule = GapRule::velocity};
  other.integrator = Integrator::rk4;
  other.threads = 2;
  run(model, other, elsewhere, 10, used);
  State with_used = thrown(model);
  State with_fresh = thrown(model);
  Workspace fresh(model);
  run(model, pile_options(), with_used, 30, used);
  run(model, pile_options(), with_fresh, 30, fresh);
  EXPECT_TRUE(same_bits(with_used, with_fresh));
}

/// All that is off by default, with a solver that is cut short.
StepOptions heap_options(int threads = 1) {
  StepOptions options{.time_step = 4e-3, .solver = "per_contact"};
  options.solver_options.max_iterations = 5;
  options.push_out_fraction = 1.0;
  options.push_out_sweeps = 6;
  options.recall_fraction = 0.2;
  options.four_face_points = true;
  options.integrator = Integrator::rk4;
  options.threads = threads;
  return options;
}

/// Boxes on each other, two balls on a hinge with limits beside them, and a wall that comes near.
Model thrown_piles_and_chains() {
  SceneBuilder scene("thrown piles and chains");
  scene.use_material(0.6, 0.3);
  scene.add_plane("floor");
  scene.add_kinematic("wall", {scene.box({0.1, 5.0, 0.5})}, at(-0.8, 2.0, 0.5));
  for (int pile = 0; pile < 16; ++pile) {
    const double x = 0.9 * (pile % 4);
    const double y = 0.9 * (pile / 4);
    const std::string name = std::to_string(pile);
    scene.add_box("low" + name, {0.15, 0.15, 0.1}, 1.0, at(x, y, 0.101));
    scene.add_box("high" + name, {0.1, 0.1, 0.1}, 0.5,
                  at({x, y, 0.303}, 0.7, Eigen::Vector3d::UnitZ()));
    const int head = scene.add_sphere("head" + name, 0.1, 0.5, at(x - 0.35, y, 0.2));
    LinkSpec link;
    link.name = "tail" + name;
    link.mass = 0.4;
    link.inertia = Eigen::Vector3d::Constant(2e-3).asDiagonal();
    link.shapes = {scene.sphere(0.08)};
    JointSpec joint;
    joint.name = "hinge" + name;
    joint.parent = head;
    joint.child = scene.builder().add_link(std::move(link));
    joint.pose_in_parent = at(0.0, 0.25, 0.0);
    joint.axis = Eigen::Vector3d::UnitX();
    joint.limits = {.lower = -0.4, .upper = 0.4};
    scene.builder().add_joint(joint);
  }
  return scene.build();
}

State thrown_with_wall(const Model& model) {
  State state = model.initial_state();
  Random random(6);
  for (double& v : state.v) v = 1.5 * random.normal();
  set_velocity(model, state, "wall", {1.0, 0.0, 0.0});
  return state;
}

TEST(Determinism, ThreadsDoNotMatterWithAllOptions) {
  const Model model = thrown_piles_and_chains();
  std::set<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    State state = thrown_with_wall(model);
    Workspace workspace(model);
    hashes.insert(run(model, heap_options(threads), state, 150, workspace));
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(Determinism, AllOptionsOfEarlierStepsLeaveNoTrace) {
  const Model model = thrown_piles_and_chains();
  Workspace used(model);
  State elsewhere = thrown_with_wall(model);
  run(model, heap_options(2), elsewhere, 20, used);
  State with_used = thrown_with_wall(model);
  State with_fresh = thrown_with_wall(model);
  Workspace fresh(model);
  run(model, pile_options(), with_used, 30, used);
  run(model, pile_options(), with_fresh, 30, fresh);
  EXPECT_TRUE(same_bits(with_used, with_fresh));
}

/// The mean of the impulses is in the state.
TEST(Determinism, MeanImpulsesGoOnFromAFile) {
  const Model model = thrown_piles_and_chains();
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "run.state";
  State through = thrown_with_wall(model);
  Workspace workspace(model);
  run(model, heap_options(), through, 80, workspace);
  save_state(file, model, through);
  State restored = load_state(file, model);
  State forgetful = restored;
  forgetful.memory.clear();
  run(model, heap_options(), through, 40, workspace);
  Workspace other(model);
  run(model, heap_options(2), restored, 40, other);
  EXPECT_TRUE(same_bits(through, restored));
  run(model, heap_options(), forgetful, 40, other);
  EXPECT_FALSE(same_bits(through, forgetful)) << "the means matter";
}

class ContinuedRun : public testing::TestWithParam<const char*> {};

TEST_P(ContinuedRun, GoesOnAsIfItHadNotBeenInterrupted) {
  const Model model = thrown_piles();
  const StepOptions options = pile_options();
  const test::TemporaryFolder folder;
  const auto file = folder.path() / GetParam();
  State through = thrown(model);
  Workspace workspace(model);
  run(model, options, through, 40, workspace);
  save_state(file, model, through);
  run(model, options, through, 40, workspace);

  State restored = load_state(file, model);
  EXPECT_FALSE(restored.memory.empty()) << "there is a warm start to lose";
  Workspace other(model);
  run(model, options, restored, 40, other);
  EXPECT_TRUE(same_bits(through, restored));
}

INSTANTIATE_TEST_SUITE_P(BothFiles, ContinuedRun, testing::Values("run.state", "run.h5"),
                         [](const auto& file) { return std::string(file.param).substr(4); });

TEST(Determinism, EverySolverAndIntegratorRepeatsItself) {
  SceneBuilder scene;
  scene.add_plane("floor");
  scene.add_box("a", {0.2, 0.1, 0.1}, 1.0, at(0.0, 0.0, 0.1));
  scene.add_box("b", {0.1, 0.1, 0.1}, 1.0, at(0.05, 0.0, 0.31));
  scene.add_sphere("c", 0.1, 1.0, at(0.0, 0.03, 0.6));
  const Model model = scene.build();
  for (const std::string_view solver : solver_names()) {
    for (const Integrator integrator : {Integrator::semi_implicit, Integrator::trapezoid,
                                        Integrator::implicit, Integrator::rk4}) {
      StepOptions options{.time_step = 5e-3, .solver = std::string(solver)};
      options.integrator = integrator;
      if (solver == "convex") options.solver_options.law = Law::convex;
      State states[2] = {model.initial_state(), model.initial_state()};
      for (State& state : states) {
        Workspace workspace(model);
        run(model, options, state, 60, workspace);
      }
      EXPECT_TRUE(same_bits(states[0], states[1])) << solver << ' ' << to_string(integrator);
    }
  }
}

TEST(Determinism, ARobotUnderRandomTorquesRepeatsItself) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  std::uint64_t hashes[2] = {};
  for (std::uint64_t& result : hashes) {
    Simulation simulation(model);
    Random random(9);
    for (int i = 0; i < 1500; ++i) {
      for (double& force : simulation.joint_forces().tail(model.velocity_count() - 6)) {
        force = 20.0 * random.normal();
      }
      simulation.step();
    }
    EXPECT_EQ(simulation.counts().refused, 0);
    EXPECT_FALSE(simulation.report().contacts.empty());
    result = hash(simulation.state());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace stiction
