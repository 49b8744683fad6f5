#pragma once

/// \file
/// Times single calls, each on its own: what a mean over many calls hides, such as the slowest one
/// in a hundred.
///
/// As in harness.hpp, contestants take turns in blocks between two runs of the calibration kernel,
/// and a block counts only if both were nearly as fast as the best. Short calls are timed with the
/// steady clock, for reading the CPU time would take as long as they do; those beyond 50 µs, which
/// a neighbour may interrupt, with the CPU time of the thread. What reading the clock takes is
/// subtracted. Every item of a contestant (such as a problem) is run until it has enough times that
/// count; the item's time is their median.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness.hpp"

namespace stiction::bench {

/// Times of one contestant.
struct Latencies {
  std::string group;
  std::string name;
  std::vector<double> seconds;  ///< of each item, the median of its calls
  long accepted = 0;            ///< calls that count
  long rejected = 0;
  bool noisy = false;  ///< some item has too few that count: from the least disturbed ones instead

  [[nodiscard]] double quantile(double fraction) const;
};

/// All of them, in the order in which they were added.
struct LatencyReport {
  std::vector<Latencies> all;
  double wall_seconds = 0.0;
  bool capped = false;

  /// nullptr if there is none.
  [[nodiscard]] const Latencies* find(std::string_view group, std::string_view name) const;
  [[nodiscard]] std::string note() const;
};

/// Collects contestants and lets them run in turns. Of the options, `blocks` is the number of calls
/// of each item that must count.
class LatencyHarness {
 public:
  explicit LatencyHarness(Options options = {}, Instruments instruments = machine_instruments());

  /// `ready(i)` makes item i ready, untimed; `run(i)` is timed.
  void add(std::string group, std::string name, std::size_t items,
           std::function<void(std::size_t)> ready, std::function<void(std::size_t)> run);

  [[nodiscard]] std::size_t size() const { return contestants_.size(); }

  /// Runs until every item has enough times that count, or until the time cap.
  LatencyReport run();

 private:
  struct Contestant {
    std::string group;
    std::string name;
    std::function<void(std::size_t)> ready;
    std::function<void(std::size_t)> run;
    std::vector<std::vector<Block>> items;  ///< one entry for each call
    std::vector<bool> is_long;              ///< items that are timed by CPU time
    std::vector<std::size_t> missing;       ///< items with too few that count
    std::size_t next = 0;                   ///< in `missing`
  };

  double calibrate();
  void wait_for_rest();
  /// A clock and what reading it takes [s].
  struct Clock {
    const std::function<double()>& seconds;
    double read;
  };
  static double read_time(const std::function<double()>& clock);
  static double time_of(const Contestant& contestant, std::size_t item, const Clock& clock);
  double time_of(Contestant& contestant, std::size_t item) const;
  void run_block(Contestant& contestant);
  void find_missing(Contestant& contestant) const;
  [[nodiscard]] Latencies summarize(const Contestant& contestant) const;
  void show_progress(double elapsed) const;

  Options options_;
  Instruments instruments_;
  std::vector<Contestant> contestants_;
  std::vector<double> calibrations_;
  double best_calibration_ = 0.0;
  double wall_read_ = 0.0;  ///< what reading the steady clock takes [s]
  double cpu_read_ = 0.0;   ///< what reading the CPU time takes [s]
};

}  // namespace stiction::bench
