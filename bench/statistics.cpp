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

std::vector<double> group_means(const std::vector<double>& values, std::size_t groups) {
  groups = std::min(groups, values.size());
  std::vector<double> means;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = g * values.size() / groups;
    const std::size_t end = (g + 1) * values.size() / groups;
    double sum = 0.0;
    for (std::size_t k = begin; k < end; ++k) sum += values[k];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

}  // namespace stiction::bench
