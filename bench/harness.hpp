#pragma once

/// \file
/// Times contestants against each other on a machine that others use too.
///
/// The clock is the thread's CPU time. Contestants take turns in blocks of a few milliseconds, each
/// block between two runs of a fixed calibration kernel; a block counts only if both runs were
/// nearly as fast as the fastest of the whole measurement, so that a busy neighbour slows nobody's
/// result. Reported is the median of the blocks that count.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/statistics.hpp"

namespace stiction::bench {

/// Makes the compiler believe that the value is used, so that nothing before it is optimised away.
template <class T>
[[gnu::always_inline]] inline void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

struct Options {
  /// Length of a block [s]. Much shorter and the clock shows, much longer and few blocks are quiet.
  double block_seconds = 0.004;
  /// How much slower than its best a calibration may be. 0.05 lets a quiet machine pass.
  double tolerance = 0.05;
  /// Blocks that must count for each contestant; at least 5 for a median worth the name.
  int blocks = 15;
  /// 0: the result is the median of the blocks that count. Else these are dealt into so many groups
  /// in their order, and the result is the median of the groups' means: for work whose cost changes
  /// from block to block, where the median of the blocks would leave out what is rare and dear.
  int groups = 0;
  /// After so much time [s] the measurement ends, even if blocks are missing.
  double time_cap = 300.0;
  /// Whether to show how far it is on standard error; progress_wanted() is a good value.
  bool progress = false;
};

/// Whether standard error is a terminal.
bool progress_wanted();

/// The clocks and the calibration kernel; tests put in their own.
struct Instruments {
  std::function<double()> cpu_seconds;   ///< CPU time of this thread
  std::function<double()> wall_seconds;  ///< time that passes
  std::function<void()> calibrate;       ///< a fixed piece of work, about 0.2 ms
};

/// What the machine offers.
Instruments machine_instruments();

/// One entry of a measurement.
struct Result {
  std::string group;
  std::string name;
  double seconds = 0.0;  ///< median time per item
  double low = 0.0;      ///< lower quartile
  double high = 0.0;     ///< upper quartile
  int accepted = 0;      ///< blocks that count
  int rejected = 0;      ///< blocks thrown away
  bool noisy = false;    ///< too few blocks count: from the least disturbed ones instead

  /// Distance of the quartiles in relation to the median.
  [[nodiscard]] double spread() const { return (high - low) / seconds; }
};

/// All entries of a measurement.
struct Report {
  std::vector<Result> results;
  double best_calibration = 0.0;  ///< [s]
  double wall_seconds = 0.0;      ///< time that the measurement took
  bool capped = false;            ///< whether it ended at the time cap

  /// nullptr if there is none.
  [[nodiscard]] const Result* find(std::string_view group, std::string_view name) const;
  /// Median time per item [s]; NaN if it was not measured.
  [[nodiscard]] double seconds(std::string_view group, std::string_view name) const;
  [[nodiscard]] bool any_noisy() const;
};

/// Collects contestants and lets them run in turns.
class Harness {
 public:
  explicit Harness(Options options = {}, Instruments instruments = machine_instruments());

  /// `run(n)` does n iterations, each of which handles `items` items (such as robots in lanes).
  void add(std::string group, std::string name, std::function<void(std::int64_t)> run,
           double items = 1.0);

  [[nodiscard]] std::size_t size() const { return contestants_.size(); }

  /// Runs until every contestant has enough blocks that count, or until the time cap.
  Report run();

 private:
  struct Contestant {
    std::string group;
    std::string name;
    std::function<void(std::int64_t)> run;
    double items = 1.0;
    std::int64_t iterations = 1;  ///< of one block
    std::vector<Block> blocks;
  };

  double time_of(const std::function<void()>& work);
  double calibrate();
  void choose_iterations(Contestant& contestant);
  void wait_for_rest();
  void run_block(Contestant& contestant);
  [[nodiscard]] int missing(const Contestant& contestant) const;
  [[nodiscard]] Result summarize(const Contestant& contestant) const;
  void show_progress(double elapsed) const;

  Options options_;
  Instruments instruments_;
  std::vector<Contestant> contestants_;
  std::vector<double> calibrations_;  ///< all so far [s]; the last one also opens the next block
  double best_calibration_ = 0.0;     ///< after the last complete round [s]
};

}  // namespace stiction::bench
