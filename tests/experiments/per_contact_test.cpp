// The tasks of the per-contact paper: what drives them, what the solvers find in them, and the
// experiment as its user runs it.

#include <gtest/gtest.h>

#include "experiments/per_contact/claims.hpp"
#include "experiments/per_contact/printed_per_contact.hpp"
#include "experiments/per_contact/problem_files.hpp"
#include "experiments/per_contact/task_run.hpp"
#include "experiments/per_contact/trot_task.hpp"
#include "stiction/io/fclib.hpp"
#include "support/program.hpp"

namespace stiction::experiments {
namespace {

TEST(PerContactTrot, RunsAtItsSpeedWithinItsTorquesUnderPushes) {
  TrotTask task(0.001, 3, nullptr);
  double last = 0.0, slowest = 1e9, fastest = 0.0;
  int step = 0;
  const RunFacts run = run_task(task, task_method(hybrid_name), 14'000,
                                [&](Task& running, const StepReport&, Workspace&) {
                                  if (++step % 1000 != 0) return;
                                  const double way = running.state().q[0] - last;
                                  last = running.state().q[0];
                                  if (step <= 4000) return;
                                  slowest = std::min(slowest, way);
                                  fastest = std::max(fastest, way);
                                });
  const TrotFacts& facts = task.facts();
  EXPECT_FALSE(run.failed);
  EXPECT_EQ(facts.falls, 0);
  EXPECT_EQ(facts.unsolved, 0);
  EXPECT_GT(facts.pushes, 5);
  EXPECT_GT(slowest, 1.4);
  EXPECT_LT(fastest, 1.6);
  EXPECT_LE(facts.largest_torque, torque_limit + 1e-6);
  EXPECT_LT(facts.base_wrench, 1e-6);  // rounding of forces of some hundred newtons
  EXPECT_GT(facts.lowest, 0.4);
  EXPECT_EQ(run.certified, run.solved);
}

// The base is put so low that it counts as fallen.
TEST(PerContactTrot, CountsAFallAndGetsUpAgain) {
  TrotTask task(0.001, 1, nullptr);
  const TaskMethod method = task_method(hybrid_name);
  run_task(task, method, 500);
  task.state().q[2] = 0.1;
  run_task(task, method, 500);
  EXPECT_EQ(task.facts().falls, 1);
  EXPECT_EQ(task.resets(), 1);
  EXPECT_GT(task.state().q[2], 0.4);
}

class PerContactTasks : public testing::TestWithParam<std::string_view> {};

TEST_P(PerContactTasks, TakeTheSameStepsAgainAlsoFromAScriptOfTorques) {
  const auto script = std::make_shared<TorqueScript>();
  const TaskMethod method = task_method(hybrid_name);
  std::uint64_t hashes[2] = {};
  for (std::uint64_t& value : hashes) {
    const std::unique_ptr<Task> task = make_task(GetParam(), 0.001, 5, script);
    run_task(*task, method, 700);
    value = hash(task->state());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  const std::unique_ptr<Task> other = make_task(GetParam(), 0.001, 6);
  run_task(*other, method, 700);
  if (GetParam() != "hang") {
    EXPECT_NE(hash(other->state()), hashes[0]);
  }
}

TEST_P(PerContactTasks, AreCertifiedWithTheDefaultSolver) {
  const std::unique_ptr<Task> task = make_task(GetParam(), 0.001);
  const RunFacts facts = run_task(*task, task_method(hybrid_name), 3000);
  EXPECT_FALSE(facts.failed);
  EXPECT_EQ(facts.certified, facts.solved);
  EXPECT_GT(facts.solved, 1000);
  EXPECT_LE(facts.most_contacts, GetParam() == "hang" ? 4 : 8);
}

INSTANTIATE_TEST_SUITE_P(Tasks, PerContactTasks, testing::ValuesIn(task_names),
                         [](const auto& info) { return std::string(info.param); });

TEST(PerContactLargeSteps, HangAndDropStayBoundedAtTwentyMilliseconds) {
  for (const char* name : {"hang", "drop"}) {
    const std::unique_ptr<Task> task = make_task(name, 0.02);
    const RunFacts facts = run_task(*task, task_method(hybrid_name), 5000);
    EXPECT_FALSE(facts.failed) << name;
    EXPECT_LT(facts.fastest, 200.0) << name;
    EXPECT_LT(facts.farthest_height, 1.5) << name;
  }
}

constexpr const char* recorded[] = {"anymal_trot", "anymal_hang", "anymal_drop", "anymal_random"};

ContactProblem recorded_problem(const std::string& name) {
  return load_fclib(std::string(STICTION_SOURCE_DIR "/models/problems/") + name + ".hdf5");
}

TEST(PerContactProblems, OfTheTasksAreCertifiedUnderBothLaws) {
  for (const char* name : recorded) {
    const ContactProblem problem = recorded_problem(name);
    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
    for (const Law law : {Law::coulomb, Law::max_dissipation}) {
      SolverOptions options;
      options.law = law;
      EXPECT_TRUE(make_solver("hybrid")->solve(problem, options, impulses).certified()) << name;
    }
  }
}

TEST(PerContactProblems, ThePrintedStopLeavesWhatTheThresholdAllows) {
  for (const char* name : recorded) {
    const ContactProblem problem = recorded_problem(name);
    SolverOptions options = task_method(paper_name).options.solver_options;
    options.warm_start = false;
    double residuals[2] = {};
    const double thresholds[2] = {1e-3, paper_threshold};
    for (int k = 0; k < 2; ++k) {
      std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
      PrintedPerContactSolver solver(thresholds[k]);
      const SolverReport report = solver.solve(problem, options, impulses);
      residuals[k] = report.certificate.law_residual * report.certificate.scales.impulse;
      EXPECT_LT(report.iterations, 2000) << name;
    }
    EXPECT_LE(residuals[1], residuals[0]) << name;
    EXPECT_LT(residuals[1], 10.0 * paper_threshold) << name;  // [N·s]
  }
}

TEST(PerContactClaims, DoNotHoldWhereTheFiguresContradictThem) {
  Results results;
  results.steps = 100;
  for (const char* name : {paper_name, hybrid_name, pgs_name}) {
    MethodRow row;
    row.task = "hang";
    row.method = name;
    row.median = 1e-6;
    row.slowest = name == std::string(hybrid_name) ? 100e-6 : 2e-6;
    row.quiet = name == std::string(hybrid_name) ? 2.0 : 1.0;
    row.facts.solved = 100;
    row.facts.certified = 90;
    results.methods.push_back(row);
  }
  results.large_steps.push_back({"hang", 0.02, {}});
  results.large_steps.back().facts.fastest = 1e4;
  PenetrationTrace sinking;
  sinking.method = hybrid_name;
  sinking.setup = HangingSetup::left_in;
  sinking.by_solver = {1e-4};
  results.penetration.push_back(sinking);
  results.trot.minutes = 1.0;
  results.trot.facts.falls = 1;
  results.trot.facts.largest_torque = 90.0;
  for (const Claim& claim : own_claims(results)) EXPECT_FALSE(claim.holds) << claim.text;
  for (const Claim& claim : paper_claims(results)) {
    if (claim.text.find("20 ms") != std::string::npos) {
      EXPECT_FALSE(claim.holds);
    }
  }
}

test::ProgramResult run_experiment(const std::vector<std::string>& arguments) {
  return test::run_program(STICTION_PROGRAMS "/experiment_per_contact", arguments);
}

TEST(PerContactExperiment, QuickRunWritesTablesAndPictures) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  const test::ProgramResult result =
      run_experiment({"--quick", "--steps", "1000", "--out", path, "--problems", path});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* name : {"methods.csv", "slips.csv", "penetration.csv", "iterations.svg",
                           "costs.png", "laws.svg", "penetration.png"}) {
    const auto file = folder.path() / (std::string("per_contact_") + name);
    EXPECT_GT(std::filesystem::file_size(file), 100u) << name;
  }
  int problems = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".hdf5") continue;
    EXPECT_GT(load_fclib(entry.path()).contact_count(), 0);
    ++problems;
  }
  EXPECT_GT(problems, 10);
}

TEST(PerContactExperiment, RefusesWrongArguments) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--task", "walk"},
                                                    {"--steps", "3"},
                                                    {"--steps", "many"},
                                                    {"--problems", "/no/such/folder"}}) {
    const test::ProgramResult result = run_experiment(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back();
    EXPECT_NE(result.errors.find(arguments.front()), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "") << arguments.back();
  }
}

}  // namespace
}  // namespace stiction::experiments
