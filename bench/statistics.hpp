#pragma once

/// \file
/// Which blocks of a measurement count, and what they say.

#include <cstddef>
#include <vector>

namespace stiction::bench {

/// One timed block of iterations and the fixed kernel's time directly before and after it.
struct Block {
  double seconds = 0.0;             ///< CPU time per item
  double calibration_before = 0.0;  ///< CPU time of the calibration kernel [s]
  double calibration_after = 0.0;

  /// The worse of the two calibrations: how slow the machine was around this block [s].
  [[nodiscard]] double slowness() const {
    return calibration_before > calibration_after ? calibration_before : calibration_after;
  }
};

/// Value below which the share `fraction` (0 to 1) of the values lies, interpolated between
/// neighbours. NaN for no values.
double quantile(std::vector<double> values, double fraction);

/// Quantile 0.5.
double median(std::vector<double> values);

/// The calibration that counts as the machine at its best: the fastest of them but for one in a
/// hundred, for a virtual machine's clock sometimes loses time.
double best_of(const std::vector<double>& calibrations);

/// Times per item of the blocks that count: both calibrations within `tolerance` of `best`.
std::vector<double> accepted_times(const std::vector<Block>& blocks, double best, double tolerance);

/// Times of the `count` blocks (or fewer) around which the machine was least slow: what is left to
/// report when too few blocks count.
std::vector<double> least_disturbed_times(const std::vector<Block>& blocks, std::size_t count);

/// Means of `groups` runs of neighbouring values, of equal length but for one value; as many groups
/// as values if there are fewer.
std::vector<double> group_means(const std::vector<double>& values, std::size_t groups);

}  // namespace stiction::bench
