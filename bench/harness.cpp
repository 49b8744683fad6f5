#include "bench/harness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <time.h>
#include <unistd.h>

namespace stiction::bench {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Multiplications and additions of 32 independent chains over an array that fits the first-level
/// cache: as busy as the vector units get, so it feels a neighbour on the same core, a lower clock,
/// and lost cache lines.
class CalibrationKernel {
 public:
  CalibrationKernel() {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = 1.0 / static_cast<double>(i + 1);
  }

  void operator()() {
    std::array<double, 32> sums{};
    for (int pass = 0; pass < 800; ++pass) {
      keep(data_);
      for (std::size_t i = 0; i < data_.size(); i += sums.size()) {
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = sums[k] * 0.5 + data_[i + k];
      }
    }
    keep(sums);
  }

 private:
  std::array<double, 2048> data_{};
};

}  // namespace

bool progress_wanted() { return isatty(STDERR_FILENO) == 1; }

Instruments machine_instruments() {
  return {[] { return seconds_of(CLOCK_THREAD_CPUTIME_ID); },
          [] { return seconds_of(CLOCK_MONOTONIC); },
          [kernel = std::make_shared<CalibrationKernel>()] { (*kernel)(); }};
}

const Result* Report::find(std::string_view group, std::string_view name) const {
  for (const Result& result : results) {
    if (result.group == group && result.name == name) return &result;
  }
  return nullptr;
}

double Report::seconds(std::string_view group, std::string_view name) const {
  const Result* result = find(group, name);
  return result != nullptr ? result->seconds : std::numeric_limits<double>::quiet_NaN();
}

bool Report::any_noisy() const {
  return std::any_of(results.begin(), results.end(), [](const Result& r) { return r.noisy; });
}

Harness::Harness(Options options, Instruments instruments)
    : options_(options), instruments_(std::move(instruments)) {
  if (options_.blocks < 1 || !(options_.block_seconds > 0.0) || !(options_.time_cap > 0.0)) {
    throw std::invalid_argument("benchmark options: blocks, block length and cap must be positive");
  }
}

void Harness::add(std::string group, std::string name, std::function<void(std::int64_t)> run,
                  double items) {
  contestants_.push_back({std::move(group), std::move(name), std::move(run), items, 1, {}});
}

Report Harness::run() {
  const double start = instruments_.wall_seconds();
  const auto elapsed = [&] { return instruments_.wall_seconds() - start; };
  calibrations_.clear();
  for (Contestant& contestant : contestants_) {
    contestant.blocks.clear();
    choose_iterations(contestant);
  }

  Report report;
  for (int k = 0; k < 100; ++k) calibrate();
  best_calibration_ = best_of(calibrations_);
  while (!report.capped) {
    for (Contestant& contestant : contestants_) {
      if (missing(contestant) > 0) run_block(contestant);
    }
    best_calibration_ = best_of(calibrations_);
    if (std::all_of(contestants_.begin(), contestants_.end(),
                    [this](const Contestant& c) { return missing(c) == 0; })) {
      break;
    }
    report.capped = elapsed() >= options_.time_cap;
    if (options_.progress) show_progress(elapsed());
  }
  if (options_.progress) fmt::print(stderr, "\r{:78}\r", "");

  for (const Contestant& contestant : contestants_) {
    report.results.push_back(summarize(contestant));
  }
  report.best_calibration = best_calibration_;
  report.wall_seconds = elapsed();
  return report;
}

double Harness::time_of(const std::function<void()>& work) {
  const double before = instruments_.cpu_seconds();
  work();
  return instruments_.cpu_seconds() - before;
}

double Harness::calibrate() {
  calibrations_.push_back(time_of(instruments_.calibrate));
  return calibrations_.back();
}

/// Doubles the iterations until they take a quarter of a block, then scales. Warms up as it goes.
void Harness::choose_iterations(Contestant& contestant) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  contestant.iterations = 1;
  for (;;) {
    const double taken = time_of([&] { contestant.run(contestant.iterations); });
    if (taken >= 0.25 * options_.block_seconds || contestant.iterations >= most) {
      const double scale = options_.block_seconds / taken;
      const double wanted = std::round(static_cast<double>(contestant.iterations) * scale);
      contestant.iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
      return;
    }
    contestant.iterations *= 2;
  }
}

/// Calibrates again while the machine is slow, but not for ever: on a machine that never comes to
/// rest the blocks are needed all the same.
void Harness::wait_for_rest() {
  constexpr int most_tries = 50;
  for (int k = 0; k < most_tries; ++k) {
    if (calibrations_.back() <= best_calibration_ * (1.0 + options_.tolerance)) return;
    calibrate();
  }
}

void Harness::run_block(Contestant& contestant) {
  wait_for_rest();
  Block block;
  block.calibration_before = calibrations_.back();
  const double taken = time_of([&] { contestant.run(contestant.iterations); });
  block.calibration_after = calibrate();
  block.seconds = taken / (static_cast<double>(contestant.iterations) * contestant.items);
  contestant.blocks.push_back(block);
}

/// Counted anew each time, for a better calibration unmakes earlier blocks.
int Harness::missing(const Contestant& contestant) const {
  const std::size_t have =
      accepted_times(contestant.blocks, best_calibration_, options_.tolerance).size();
  return std::max(0, options_.blocks - static_cast<int>(have));
}

Result Harness::summarize(const Contestant& contestant) const {
  // Groups stand for the whole course of the work, so they want all their blocks.
  const std::size_t least = options_.groups > 0 ? static_cast<std::size_t>(options_.blocks) : 5;
  std::vector<double> times =
      accepted_times(contestant.blocks, best_calibration_, options_.tolerance);
  Result result;
  result.group = contestant.group;
  result.name = contestant.name;
  result.accepted = static_cast<int>(times.size());
  result.rejected = static_cast<int>(contestant.blocks.size()) - result.accepted;
  result.noisy = times.size() < std::min(least, static_cast<std::size_t>(options_.blocks));
  if (result.noisy) times = least_disturbed_times(contestant.blocks, least);
  if (options_.groups > 0) times = group_means(times, static_cast<std::size_t>(options_.groups));
  result.seconds = median(times);
  result.low = quantile(times, 0.25);
  result.high = quantile(times, 0.75);
  return result;
}

void Harness::show_progress(double elapsed) const {
  std::size_t done = 0;
  std::size_t tried = 0;
  for (const Contestant& contestant : contestants_) {
    done += static_cast<std::size_t>(options_.blocks - missing(contestant));
    tried += contestant.blocks.size();
  }
  const std::size_t all = contestants_.size() * static_cast<std::size_t>(options_.blocks);
  const double share =
      static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1));
  const double left = share > 0.0 ? elapsed * (1.0 - share) / share : options_.time_cap;
  fmt::print(stderr, "\r{:3.0f} % of the blocks, {:.0f} % discarded, about {:.0f} s left   ",
             100.0 * share,
             100.0 * (1.0 - static_cast<double>(done) /
                                static_cast<double>(std::max<std::size_t>(tried, 1))),
             std::min(left, std::max(0.0, options_.time_cap - elapsed)));
  std::fflush(stderr);
}

}  // namespace stiction::bench
