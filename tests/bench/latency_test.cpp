// Claims of the harness that times single calls, on a machine made of numbers.

#include "bench/latency.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>

namespace stiction::bench {
namespace {

/// Work takes its nominal time times `slowness(now)`; reading the clock takes time too.
struct SlowClockMachine {
  double now = 0.0;
  double read = 0.0;
  std::function<double(double)> slowness = [](double) { return 1.0; };
  void work(double seconds) { now += seconds * slowness(now); }
};

Instruments instruments_of(const std::shared_ptr<SlowClockMachine>& machine) {
  const auto clock = [machine] {
    machine->now += machine->read;
    return machine->now;
  };
  return {clock, clock, [machine] { machine->work(0.0002); }};
}

/// Item i takes i + 1 µs; making it ready takes much longer.
void add_ladder(LatencyHarness& harness, const std::shared_ptr<SlowClockMachine>& machine,
                std::size_t items) {
  harness.add(
      "robot", "ladder", items, [machine](std::size_t) { machine->work(1e-4); },
      [machine](std::size_t i) { machine->work(1e-6 * static_cast<double>(i + 1)); });
}

TEST(Latency, EachItemHasItsOwnTimeWithoutTheClockAndWithoutMakingReady) {
  const auto machine = std::make_shared<SlowClockMachine>();
  machine->read = 5e-8;
  LatencyHarness harness({}, instruments_of(machine));
  add_ladder(harness, machine, 101);
  const LatencyReport report = harness.run();
  const Latencies* ladder = report.find("robot", "ladder");
  ASSERT_NE(ladder, nullptr);
  ASSERT_EQ(ladder->seconds.size(), 101u);
  for (std::size_t i = 0; i < 101; ++i) {
    EXPECT_NEAR(ladder->seconds[i], 1e-6 * static_cast<double>(i + 1), 1e-12);
  }
  EXPECT_NEAR(ladder->quantile(0.5), 51e-6, 1e-12);
  EXPECT_NEAR(ladder->quantile(0.99), 100e-6, 1e-12);
  EXPECT_FALSE(ladder->noisy);
  EXPECT_EQ(ladder->accepted, 15 * 101);
  EXPECT_EQ(ladder->rejected, 0);
  EXPECT_EQ(report.find("robot", "another"), nullptr);
}

TEST(Latency, LongCallsDoNotCountTheTimeOfOthers) {
  const auto machine = std::make_shared<SlowClockMachine>();
  const auto others = std::make_shared<double>(0.0);
  Instruments instruments = instruments_of(machine);
  instruments.wall_seconds = [machine, others] { return machine->now + *others; };
  LatencyHarness harness({}, instruments);
  harness.add(
      "robot", "long", 3, [](std::size_t) {},
      [machine, others](std::size_t) {
        machine->work(2e-4);
        *others += 3e-3;  // others have the core in the middle of it
      });
  const LatencyReport report = harness.run();
  for (const double seconds : report.all.front().seconds) EXPECT_NEAR(seconds, 2e-4, 1e-12);
}

TEST(Latency, CallsOfSlowMomentsAreThrownAway) {
  const auto machine = std::make_shared<SlowClockMachine>();
  machine->slowness = [](double now) { return std::fmod(now, 0.1) < 0.06 ? 1.7 : 1.0; };
  LatencyHarness harness({}, instruments_of(machine));
  add_ladder(harness, machine, 40);
  const LatencyReport report = harness.run();
  const Latencies& ladder = report.all.front();
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(ladder.seconds[i], 1e-6 * static_cast<double>(i + 1), 1e-12);
  }
  EXPECT_GT(ladder.rejected, 0);
  EXPECT_FALSE(ladder.noisy);
}

TEST(Latency, MachineThatNeverRestsEndsAtTheCapAndSaysSo) {
  const auto machine = std::make_shared<SlowClockMachine>();
  auto step = std::make_shared<int>(0);
  machine->slowness = [step](double) { return 1.0 + 0.1 * (++*step % 97); };
  Options options;
  options.time_cap = 5.0;
  LatencyHarness harness(options, instruments_of(machine));
  add_ladder(harness, machine, 10);
  const LatencyReport report = harness.run();
  EXPECT_TRUE(report.capped);
  EXPECT_TRUE(report.all.front().noisy);
  EXPECT_LT(machine->now, 10.0);
  EXPECT_NE(report.note().find("NOISY"), std::string::npos);
}

TEST(Latency, OptionsThatMeasureNothingAreRefused) {
  Options options;
  options.blocks = 0;
  EXPECT_THROW(LatencyHarness{options}, std::invalid_argument);
}

}  // namespace
}  // namespace stiction::bench
