#include "experiments/charts.hpp"

namespace stiction::experiments {

plot::Panel make_panel(std::string title, std::string x, std::string y, plot::Scale scale) {
  plot::Panel result;
  result.title = std::move(title);
  result.x_label = std::move(x);
  result.y_label = std::move(y);
  result.x_scale = result.y_scale = scale;
  return result;
}

void add_bar(double left, double right, double height, plot::Line& line) {
  for (const double x : {left, left, right, right}) line.x.push_back(x);
  for (const double y : {0.0, height, height, 0.0}) line.y.push_back(y);
}

}  // namespace stiction::experiments
