#pragma once

/// \file
/// From numbers to places on an axis, and which numbers to write at it.

#include <span>
#include <string>
#include <vector>

namespace stiction::plot {

enum class Scale { linear, logarithmic };

/// A number at an axis. On logarithmic axes it is 10 to the power of `text`.
struct Tick {
  double position = 0.0;  ///< 0 (begin of the axis) to 1 (end)
  std::string text;       ///< empty for a small tick without a number
};

class Axis {
 public:
  /// Reaches over all values that can be shown, to the next decade or round number.
  Axis(Scale scale, std::span<const double> values);

  /// Whether the value can be shown at all: finite, and positive on a logarithmic axis.
  [[nodiscard]] bool shows(double value) const;
  /// 0 to 1 for what is within the axis.
  [[nodiscard]] double position(double value) const;
  /// Numbers at most this many; small ticks besides.
  [[nodiscard]] std::vector<Tick> ticks(int at_most) const;
  [[nodiscard]] Scale scale() const { return scale_; }

 private:
  [[nodiscard]] std::vector<Tick> decades(int at_most) const;
  [[nodiscard]] std::vector<Tick> round_numbers(int at_most) const;

  Scale scale_;
  double low_ = 0.0;  ///< logarithmic: of the exponent
  double high_ = 1.0;
};

}  // namespace stiction::plot
