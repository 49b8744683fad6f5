#pragma once

/// \file
/// Parts of pictures that several experiments draw.

#include <string>

#include "apps/plot/figure.hpp"

namespace stiction::experiments {

/// An empty panel whose axes both have one scale.
plot::Panel make_panel(std::string title, std::string x, std::string y,
                       plot::Scale scale = plot::Scale::linear);

/// Adds the outline of a bar from the x axis.
void add_bar(double left, double right, double height, plot::Line& line);

}  // namespace stiction::experiments
