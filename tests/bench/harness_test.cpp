// Claims of the benchmark harness, on a machine made of numbers: its clock moves only when work is
// done, and how fast it works is the test's choice.

#include "bench/harness.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>

#include "bench/output.hpp"

namespace stiction::bench {
namespace {

/// Work takes its nominal time times `slowness(now)`.
struct FakeMachine {
  double now = 0.0;
  std::function<double(double)> slowness = [](double) { return 1.0; };
  void work(double seconds) { now += seconds * slowness(now); }
};

Instruments instruments_of(const std::shared_ptr<FakeMachine>& machine) {
  return {[machine] { return machine->now; }, [machine] { return machine->now; },
          [machine] { machine->work(0.0002); }};
}

std::function<void(std::int64_t)> work_of(const std::shared_ptr<FakeMachine>& machine,
                                          double seconds) {
  return [machine, seconds](std::int64_t n) { machine->work(seconds * static_cast<double>(n)); };
}

TEST(Statistics, MedianOfAnEvenCountLiesBetweenTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median({4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median({5.0}), 5.0);
}

TEST(Statistics, MedianOfNothingIsNotANumber) { EXPECT_TRUE(std::isnan(median({}))); }

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({0.0, 10.0, 20.0, 30.0, 40.0}, 0.25), 10.0);
  EXPECT_DOUBLE_EQ(quantile({0.0, 1.0}, 0.75), 0.75);
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile({3.0, 1.0, 2.0}, 1.0), 3.0);
}

TEST(Statistics, BlockCountsOnlyIfBothCalibrationsAreNearTheBest) {
  const std::vector<Block> blocks{
      {1.0, 1.00, 1.04}, {2.0, 1.06, 1.00}, {3.0, 1.00, 1.06}, {4.0, 1.05, 1.05}};
  EXPECT_EQ(accepted_times(blocks, 1.0, 0.05), (std::vector<double>{1.0, 4.0}));
}

TEST(Statistics, LeastDisturbedBlocksComeFirst) {
  const std::vector<Block> blocks{{1.0, 1.5, 1.0}, {2.0, 1.1, 1.2}, {3.0, 1.3, 1.3}};
  EXPECT_EQ(least_disturbed_times(blocks, 2), (std::vector<double>{2.0, 3.0}));
  EXPECT_EQ(least_disturbed_times(blocks, 9).size(), 3u);
}

TEST(Statistics, OneImpossiblyFastCalibrationIsNotTheBest) {
  std::vector<double> calibrations(1000, 2.0);
  calibrations[17] = 0.1;
  EXPECT_NEAR(best_of(calibrations), 2.0, 1e-12);
}

TEST(Harness, QuietMachineGivesTheNominalTimes) {
  const auto machine = std::make_shared<FakeMachine>();
  Harness harness({}, instruments_of(machine));
  harness.add("robot", "slow", work_of(machine, 3e-6));
  harness.add("robot", "lanes", work_of(machine, 4e-6), 4.0);
  const Report report = harness.run();
  EXPECT_NEAR(report.seconds("robot", "slow"), 3e-6, 1e-15);
  EXPECT_NEAR(report.seconds("robot", "lanes"), 1e-6, 1e-15);
  EXPECT_FALSE(report.capped);
  EXPECT_FALSE(report.any_noisy());
  EXPECT_EQ(report.find("robot", "slow")->accepted, 15);
  EXPECT_EQ(report.find("robot", "slow")->rejected, 0);
}

TEST(Harness, BlocksOfSlowMomentsAreThrownAway) {
  const auto machine = std::make_shared<FakeMachine>();
  // Every tenth of a second a neighbour takes the core for 60 ms.
  machine->slowness = [](double now) { return std::fmod(now, 0.1) < 0.06 ? 1.7 : 1.0; };
  Harness harness({}, instruments_of(machine));
  harness.add("robot", "a", work_of(machine, 2e-6));
  harness.add("robot", "b", work_of(machine, 5e-6));
  const Report report = harness.run();
  EXPECT_NEAR(report.seconds("robot", "a"), 2e-6, 1e-12);
  EXPECT_NEAR(report.seconds("robot", "b"), 5e-6, 1e-12);
  EXPECT_FALSE(report.any_noisy());
  EXPECT_GT(report.find("robot", "a")->rejected + report.find("robot", "b")->rejected, 0);
}

TEST(Harness, MachineThatNeverRestsEndsAtTheCapAndSaysSo) {
  const auto machine = std::make_shared<FakeMachine>();
  auto step = std::make_shared<int>(0);
  // Each piece of work runs at another speed, and hardly any near the best one.
  machine->slowness = [step](double) { return 1.0 + 0.1 * (++*step % 97); };
  Options options;
  options.time_cap = 5.0;
  Harness harness(options, instruments_of(machine));
  harness.add("robot", "a", work_of(machine, 2e-6));
  const Report report = harness.run();
  EXPECT_TRUE(report.capped);
  EXPECT_TRUE(report.any_noisy());
  EXPECT_LT(machine->now, 10.0);
  EXPECT_TRUE(std::isfinite(report.seconds("robot", "a")));
  EXPECT_NE(measurement_note(report).find("NOISY"), std::string::npos);
}

TEST(Harness, ContestantThatWasNotMeasuredHasNoTime) {
  const Report report;
  EXPECT_EQ(report.find("robot", "a"), nullptr);
  EXPECT_TRUE(std::isnan(report.seconds("robot", "a")));
}

TEST(Harness, ImpossibleOptionsAreRefused) {
  Options options;
  options.blocks = 0;
  EXPECT_THROW(Harness harness(options), std::invalid_argument);
}

TEST(Output, ColumnsAreAlignedByCharacters) {
  Table table({"kernel", "µs"});
  table.add({"ABA", "1.2"});
  EXPECT_EQ(table.text(), "kernel   µs\nABA     1.2\n");
}

TEST(Output, TimesHaveThreeDigitsOrMore) {
  EXPECT_EQ(microseconds(1.2346e-6), "1.235");
  EXPECT_EQ(microseconds(12.346e-6), "12.35");
  EXPECT_EQ(microseconds(std::nan("")), "-");
}

TEST(Output, JsonReplacesTheFileAndLeavesNothingBeside) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "stiction_bench_output";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::filesystem::path path = folder / "result.json";
  write_json(path, {{"run", 1}});
  write_json(path, {{"run", 2}});
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file)["run"], 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(Output, UnwritableJsonIsFoundBeforeTheMeasurement) {
  EXPECT_THROW(check_writable("/no/such/folder/result.json"), std::runtime_error);
  EXPECT_THROW(check_writable(testing::TempDir()), std::runtime_error);
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "fine.json";
  EXPECT_NO_THROW(check_writable(path));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Output, UnwritableJsonIsNamedWithTheReason) {
  try {
    write_json("/no/such/folder/result.json", {});
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot write '/no/such/folder/result.json': No such file or directory");
  }
}

}  // namespace
}  // namespace stiction::bench
