#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::bench {

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - std::floor(place));
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double best_of(const std::vector<double>& calibrations) { return quantile(calibrations, 0.01); }

std::vector<double> accepted_times(const std::vector<Block>& blocks, double best,
                                   double tolerance) {
  std::vector<double> times;
  for (const Block& block : blocks) {
    if (block.slowness() <= best * (1.0 + tolerance)) times.push_back(block.seconds);
  }
  return times;
}

std::vector<double> least_disturbed_times(const std::vector<Block>& blocks, std::size_t count) {
  std::vector<Block> sorted = blocks;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Block& a, const Block& b) { return a.slowness() < b.slowness(); });
  sorted.resize(std::min(count, sorted.size()));
  std::vector<double> times;
  for (const Block& block : sorted) times.push_back(block.seconds);
  return times;
}

}  // namespace stiction::bench
