#include "apps/plot/axis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stiction::plot {

namespace {

/// The next larger of 1, 2 or 5 times a power of ten.
double round_up(double step) {
  const double decade = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * decade * (1.0 + 1e-12)) return factor * decade;
  }
  return 10.0 * decade;
}

}  // namespace

Axis::Axis(Scale scale, std::span<const double> values) : scale_(scale) {
  bool any = false;
  for (const double value : values) {
    if (!shows(value)) continue;
    const double place = scale == Scale::logarithmic ? std::log10(value) : value;
    low_ = any ? std::min(low_, place) : place;
    high_ = any ? std::max(high_, place) : place;
    any = true;
  }
  if (scale == Scale::logarithmic) {
    low_ = std::floor(low_ + 1e-9);
    high_ = std::max(std::ceil(high_ - 1e-9), low_ + 1.0);
  } else {
    if (!(high_ > low_)) high_ = low_ + 1.0;
    const double step = round_up((high_ - low_) / 5.0);
    low_ = step * std::floor(low_ / step + 1e-9);
    high_ = step * std::ceil(high_ / step - 1e-9);
  }
}

bool Axis::shows(double value) const {
  return std::isfinite(value) && (scale_ == Scale::linear || value > 0.0);
}

double Axis::position(double value) const {
  const double place = scale_ == Scale::logarithmic ? std::log10(value) : value;
  return (place - low_) / (high_ - low_);
}

std::vector<Tick> Axis::ticks(int at_most) const {
  return scale_ == Scale::logarithmic ? decades(at_most) : round_numbers(at_most);
}

std::vector<Tick> Axis::decades(int at_most) const {
  const int first = static_cast<int>(std::lround(low_));
  const int last = static_cast<int>(std::lround(high_));
  const int step = (last - first + at_most - 1) / std::max(1, at_most - 1);
  std::vector<Tick> result;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double place = (exponent - low_) / (high_ - low_);
    const bool numbered = (exponent - first) % std::max(1, step) == 0;
    result.push_back({place, numbered ? fmt::format("{}", exponent) : std::string()});
  }
  return result;
}

std::vector<Tick> Axis::round_numbers(int at_most) const {
  const double step = round_up((high_ - low_) / std::max(1, at_most - 1));
  std::vector<Tick> result;
  for (double value = step * std::ceil(low_ / step - 1e-9); value <= high_ + 1e-9 * step;
       value += step) {
    const double clean = std::abs(value) < 1e-9 * step ? 0.0 : value;
    result.push_back({position(value), fmt::format("{:.6g}", clean)});
  }
  return result;
}

}  // namespace stiction::plot
