#include "bench/latency.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <stdexcept>

namespace stiction::bench {

namespace {

/// From here on, reading the CPU time adds less than a hundredth.
constexpr double long_call = 50e-6;  // [s]

}  // namespace

double Latencies::quantile(double fraction) const { return bench::quantile(seconds, fraction); }

const Latencies* LatencyReport::find(std::string_view group, std::string_view name) const {
  for (const Latencies& one : all) {
    if (one.group == group && one.name == name) return &one;
  }
  return nullptr;
}

std::string LatencyReport::note() const {
  long accepted = 0;
  long rejected = 0;
  long noisy = 0;
  for (const Latencies& one : all) {
    accepted += one.accepted;
    rejected += one.rejected;
    noisy += one.noisy ? 1 : 0;
  }
  std::string text = fmt::format(
      "{} calls are valid, {} were discarded because the machine was slower then; {:.0f} s.\n",
      accepted, rejected, wall_seconds);
  if (capped) {
    text += fmt::format(
        "NOISY: the time limit was reached. {} of {} rows use calls from the least disturbed "
        "blocks.\n",
        noisy, all.size());
  }
  return text;
}

LatencyHarness::LatencyHarness(Options options, Instruments instruments)
    : options_(options), instruments_(std::move(instruments)) {
  if (options_.blocks < 1 || !(options_.block_seconds > 0.0) || !(options_.time_cap > 0.0)) {
    throw std::invalid_argument("benchmark options: blocks, block length and cap must be positive");
  }
}

void LatencyHarness::add(std::string group, std::string name, std::size_t items,
                         std::function<void(std::size_t)> ready,
                         std::function<void(std::size_t)> run) {
  Contestant contestant;
  contestant.group = std::move(group);
  contestant.name = std::move(name);
  contestant.ready = std::move(ready);
  contestant.run = std::move(run);
  contestant.items.resize(items);
  contestant.is_long.resize(items, false);
  contestants_.push_back(std::move(contestant));
}

LatencyReport LatencyHarness::run() {
  const double start = instruments_.wall_seconds();
  const auto elapsed = [&] { return instruments_.wall_seconds() - start; };
  wall_read_ = read_time(instruments_.wall_seconds);
  cpu_read_ = read_time(instruments_.cpu_seconds);
  calibrations_.clear();
  for (int k = 0; k < 100; ++k) calibrate();
  best_calibration_ = best_of(calibrations_);

  LatencyReport report;
  for (bool done = false; !done && !report.capped;) {
    done = true;
    for (Contestant& contestant : contestants_) {
      find_missing(contestant);
      if (contestant.missing.empty()) continue;
      done = false;
      run_block(contestant);
    }
    best_calibration_ = best_of(calibrations_);
    report.capped = elapsed() >= options_.time_cap;
    if (options_.progress) show_progress(elapsed());
  }
  if (options_.progress) fmt::print(stderr, "\r{:78}\r", "");
  for (const Contestant& contestant : contestants_) report.all.push_back(summarize(contestant));
  report.wall_seconds = elapsed();
  return report;
}

double LatencyHarness::calibrate() {
  const double before = instruments_.cpu_seconds();
  instruments_.calibrate();
  calibrations_.push_back(instruments_.cpu_seconds() - before);
  return calibrations_.back();
}

void LatencyHarness::wait_for_rest() {
  constexpr int most_tries = 50;
  for (int k = 0; k < most_tries; ++k) {
    if (calibrations_.back() <= best_calibration_ * (1.0 + options_.tolerance)) return;
    calibrate();
  }
}

double LatencyHarness::read_time(const std::function<double()>& clock) {
  std::vector<double> times;
  for (int k = 0; k < 1000; ++k) {
    const double before = clock();
    times.push_back(clock() - before);
  }
  return median(times);
}

double LatencyHarness::time_of(const Contestant& contestant, std::size_t item, const Clock& clock) {
  contestant.ready(item);
  const double before = clock.seconds();
  contestant.run(item);
  return std::max(0.0, clock.seconds() - before - clock.read);
}

double LatencyHarness::time_of(Contestant& contestant, std::size_t item) const {
  if (!contestant.is_long[item]) {
    const double taken = time_of(contestant, item, {instruments_.wall_seconds, wall_read_});
    if (taken < long_call) return taken;
  }
  const double taken = time_of(contestant, item, {instruments_.cpu_seconds, cpu_read_});
  contestant.is_long[item] = taken >= long_call;
  return taken;
}

/// As many items as fit a block, from where the last block ended.
void LatencyHarness::run_block(Contestant& contestant) {
  wait_for_rest();
  const double calibration_before = calibrations_.back();
  const double start = instruments_.wall_seconds();
  if (contestant.next >= contestant.missing.size()) contestant.next = 0;
  time_of(contestant, contestant.missing[contestant.next]);  // the code is in the caches again
  std::vector<std::size_t> ran;
  while (contestant.next < contestant.missing.size()) {
    const std::size_t item = contestant.missing[contestant.next++];
    contestant.items[item].push_back(
        {.seconds = time_of(contestant, item), .calibration_before = calibration_before});
    ran.push_back(item);
    if (instruments_.wall_seconds() - start >= options_.block_seconds) break;
  }
  const double calibration_after = calibrate();
  for (const std::size_t item : ran) {
    contestant.items[item].back().calibration_after = calibration_after;
  }
}

/// Counted anew each time, for a better calibration unmakes earlier blocks.
void LatencyHarness::find_missing(Contestant& contestant) const {
  const std::size_t before = contestant.missing.size();
  const std::size_t enough = static_cast<std::size_t>(options_.blocks);
  if (contestant.next < before) return;  // this turn is not over yet
  contestant.missing.clear();
  contestant.next = 0;
  for (std::size_t item = 0; item < contestant.items.size(); ++item) {
    if (accepted_times(contestant.items[item], best_calibration_, options_.tolerance).size() <
        enough) {
      contestant.missing.push_back(item);
    }
  }
}

Latencies LatencyHarness::summarize(const Contestant& contestant) const {
  Latencies result;
  result.group = contestant.group;
  result.name = contestant.name;
  for (const std::vector<Block>& calls : contestant.items) {
    std::vector<double> times = accepted_times(calls, best_calibration_, options_.tolerance);
    result.accepted += static_cast<long>(times.size());
    result.rejected += static_cast<long>(calls.size() - times.size());
    if (times.size() < static_cast<std::size_t>(std::min(3, options_.blocks))) {
      result.noisy = true;
      times = least_disturbed_times(calls, 3);
    }
    result.seconds.push_back(median(times));
  }
  return result;
}

void LatencyHarness::show_progress(double elapsed) const {
  std::size_t done = 0;
  for (const Contestant& contestant : contestants_) done += contestant.missing.empty() ? 1 : 0;
  fmt::print(stderr, "\r{} of {} contestants are complete; {:.0f} s of at most {:.0f} s ", done,
             contestants_.size(), elapsed, options_.time_cap);
  std::fflush(stderr);
}

}  // namespace stiction::bench
