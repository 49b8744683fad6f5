#pragma once

/// \file
/// Line charts in rows of panels with one legend, drawn as SVG or PNG from the same code.

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/plot/axis.hpp"

namespace stiction::plot {

enum class LineStyle {
  curve,   ///< a line, with a dot at its end
  points,  ///< a dot for each value, not joined
};

/// Lines with the same label have the same colour in all panels and stand once in the legend.
struct Line {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  LineStyle style = LineStyle::curve;
};

struct Panel {
  std::string title;
  std::string x_label;
  std::string y_label;
  Scale x_scale = Scale::logarithmic;
  Scale y_scale = Scale::logarithmic;
  std::vector<Line> lines;
  double threshold = std::numeric_limits<double>::quiet_NaN();  ///< a dashed level; NaN: none
};

struct Figure {
  std::string title;
  int columns = 2;  ///< panels side by side
  std::vector<Panel> panels;
  std::string threshold_label;  ///< in the legend; empty: not there
};

enum class Format { svg, png };

/// By the ending of a file name, in any case; nothing for another ending.
std::optional<Format> format_of(const std::filesystem::path& path);

/// The bytes of a file. Throws std::runtime_error if the figure is too large to draw.
std::string render(const Figure& figure, Format format);

}  // namespace stiction::plot
