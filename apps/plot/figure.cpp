#include "apps/plot/figure.hpp"

#include <algorithm>
#include <array>
#include <cairo-svg.h>
#include <cairo.h>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>

namespace stiction::plot {

namespace {

// Sizes in points of the drawing (SVG) or in pixels before magnification (PNG).
constexpr double panel_width = 400.0;
constexpr double panel_height = 250.0;
constexpr double left_margin = 64.0;
constexpr double right_margin = 16.0;
constexpr double top_margin = 30.0;
constexpr double bottom_margin = 46.0;
constexpr double title_height = 34.0;
constexpr double legend_row_height = 20.0;
constexpr double text_size = 12.0;
constexpr double small_text_size = 9.0;
constexpr double png_magnification = 2.0;
constexpr double largest_side = 30000.0;  ///< cairo draws up to 32767 pixels

struct Color {
  double red, green, blue;
};

/// Told apart by colour-blind readers, too; dashes take over when they are used up.
constexpr std::array<Color, 7> colors{{{0.00, 0.45, 0.70},
                                       {0.84, 0.37, 0.00},
                                       {0.00, 0.62, 0.45},
                                       {0.80, 0.47, 0.65},
                                       {0.34, 0.71, 0.91},
                                       {0.90, 0.62, 0.00},
                                       {0.25, 0.25, 0.25}}};

enum class Anchor { left, middle, right };

class Canvas {
 public:
  explicit Canvas(cairo_surface_t* surface) : cairo_(cairo_create(surface)) {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
  }
  ~Canvas() { cairo_destroy(cairo_); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] cairo_t* get() const { return cairo_; }

  void color(const Color& color) const {
    cairo_set_source_rgb(cairo_, color.red, color.green, color.blue);
  }
  void gray(double level) const { cairo_set_source_rgb(cairo_, level, level, level); }

  [[nodiscard]] double width_of(const std::string& text, double size) const {
    cairo_set_font_size(cairo_, size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, text.c_str(), &extents);
    return extents.x_advance;
  }

  void text(double x, double y, const std::string& text, Anchor anchor, double size) const {
    const double width = width_of(text, size);
    const double shift = anchor == Anchor::left     ? 0.0
                         : anchor == Anchor::middle ? width / 2
                                                    : width;
    cairo_move_to(cairo_, x - shift, y);
    cairo_show_text(cairo_, text.c_str());
  }

  void upward_text(double x, double y, const std::string& text, double size) const {
    cairo_save(cairo_);
    cairo_translate(cairo_, x, y);
    cairo_rotate(cairo_, -M_PI / 2.0);
    this->text(0.0, 0.0, text, Anchor::middle, size);
    cairo_restore(cairo_);
  }

  void segment(double x0, double y0, double x1, double y1, double width) const {
    cairo_set_line_width(cairo_, width);
    cairo_move_to(cairo_, x0, y0);
    cairo_line_to(cairo_, x1, y1);
    cairo_stroke(cairo_);
  }

  void dot(double x, double y) const {
    cairo_new_path(cairo_);
    cairo_arc(cairo_, x, y, 3.0, 0.0, 2.0 * M_PI);
    cairo_fill(cairo_);
  }

 private:
  cairo_t* cairo_;
};

/// Colour and dashes of the n-th label.
void use_style(const Canvas& canvas, std::size_t index) {
  canvas.color(colors[index % colors.size()]);
  const double round = static_cast<double>(index / colors.size());
  const std::array<double, 2> dashes{6.0 / std::max(1.0, round), 3.0};
  cairo_set_dash(canvas.get(), dashes.data(), round == 0.0 ? 0 : 2, 0.0);
}

/// The threshold is a fine dashed line in gray.
void use_threshold_style(const Canvas& canvas) {
  canvas.gray(0.45);
  const std::array<double, 2> dashes{3.0, 3.0};
  cairo_set_dash(canvas.get(), dashes.data(), 2, 0.0);
}

void use_plain_style(const Canvas& canvas, double level) {
  canvas.gray(level);
  cairo_set_dash(canvas.get(), nullptr, 0, 0.0);
}

std::vector<std::string> labels_of(const Figure& figure) {
  std::vector<std::string> labels;
  for (const Panel& panel : figure.panels) {
    for (const Line& line : panel.lines) {
      if (std::ranges::find(labels, line.label) == labels.end()) labels.push_back(line.label);
    }
  }
  return labels;
}

/// All values of a panel along one axis.
std::vector<double> values_of(const Panel& panel, std::vector<double> Line::*member) {
  std::vector<double> values;
  for (const Line& line : panel.lines) {
    values.insert(values.end(), (line.*member).begin(), (line.*member).end());
  }
  return values;
}

class PanelPainter {
 public:
  PanelPainter(const Canvas& canvas, const Panel& panel, double x, double y)
      : canvas_(canvas),
        panel_(panel),
        left_(x + left_margin),
        right_(x + panel_width - right_margin),
        top_(y + top_margin),
        bottom_(y + panel_height - bottom_margin),
        x_axis_(panel.x_scale, values_of(panel, &Line::x)),
        y_axis_(panel.y_scale, y_values()) {}

  void paint(const std::vector<std::string>& labels) const {
    grid();
    frame();
    threshold();
    cairo_save(canvas_.get());
    cairo_rectangle(canvas_.get(), left_ - 3.0, top_ - 3.0, right_ - left_ + 6.0,
                    bottom_ - top_ + 6.0);
    cairo_clip(canvas_.get());
    for (const Line& line : panel_.lines) {
      use_style(canvas_,
                static_cast<std::size_t>(std::ranges::find(labels, line.label) - labels.begin()));
      if (line.style == LineStyle::points) {
        points(line);
      } else {
        curve(line);
      }
    }
    cairo_restore(canvas_.get());
  }

 private:
  [[nodiscard]] std::vector<double> y_values() const {
    std::vector<double> values = values_of(panel_, &Line::y);
    values.push_back(panel_.threshold);
    return values;
  }
  [[nodiscard]] double at_x(double position) const { return left_ + position * (right_ - left_); }
  [[nodiscard]] double at_y(double position) const { return bottom_ - position * (bottom_ - top_); }

  void grid() const {
    for (const Tick& tick : x_axis_.ticks(7)) {
      use_plain_style(canvas_, tick.text.empty() ? 0.93 : 0.85);
      canvas_.segment(at_x(tick.position), top_, at_x(tick.position), bottom_, 0.7);
      number(tick, x_axis_, at_x(tick.position), bottom_ + 16.0, Anchor::middle);
    }
    for (const Tick& tick : y_axis_.ticks(7)) {
      use_plain_style(canvas_, tick.text.empty() ? 0.93 : 0.85);
      canvas_.segment(left_, at_y(tick.position), right_, at_y(tick.position), 0.7);
      number(tick, y_axis_, left_ - 6.0, at_y(tick.position) + 4.0, Anchor::right);
    }
  }

  void number(const Tick& tick, const Axis& axis, double x, double y, Anchor anchor) const {
    if (tick.text.empty()) return;
    use_plain_style(canvas_, 0.2);
    if (axis.scale() == Scale::linear) {
      canvas_.text(x, y, tick.text, anchor, text_size);
      return;
    }
    const double base = canvas_.width_of("10", text_size);
    const double power = canvas_.width_of(tick.text, small_text_size);
    const double left = x - (anchor == Anchor::middle ? (base + power) / 2.0 : base + power);
    canvas_.text(left, y, "10", Anchor::left, text_size);
    canvas_.text(left + base, y - 5.0, tick.text, Anchor::left, small_text_size);
  }

  void frame() const {
    use_plain_style(canvas_, 0.2);
    cairo_set_line_width(canvas_.get(), 1.0);
    cairo_rectangle(canvas_.get(), left_, top_, right_ - left_, bottom_ - top_);
    cairo_stroke(canvas_.get());
    const double center = (left_ + right_) / 2.0;
    canvas_.text(center, top_ - 9.0, panel_.title, Anchor::middle, text_size);
    canvas_.text(center, bottom_ + 36.0, panel_.x_label, Anchor::middle, text_size);
    canvas_.upward_text(left_ - 44.0, (top_ + bottom_) / 2.0, panel_.y_label, text_size);
  }

  void threshold() const {
    if (!y_axis_.shows(panel_.threshold)) return;
    const double y = at_y(y_axis_.position(panel_.threshold));
    use_threshold_style(canvas_);
    canvas_.segment(left_, y, right_, y, 1.2);
  }

  void points(const Line& line) const {
    for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
      if (!x_axis_.shows(line.x[i]) || !y_axis_.shows(line.y[i])) continue;
      canvas_.dot(at_x(x_axis_.position(line.x[i])), at_y(y_axis_.position(line.y[i])));
    }
  }

  /// Points that fall on one another are drawn once: a history may have a million.
  void curve(const Line& line) const {
    constexpr double near = 0.3;
    cairo_t* cairo = canvas_.get();
    cairo_set_line_width(cairo, 1.7);
    cairo_new_path(cairo);
    double last_x = 0.0, last_y = 0.0;
    bool begun = false;
    for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
      if (!x_axis_.shows(line.x[i]) || !y_axis_.shows(line.y[i])) continue;
      const double x = at_x(x_axis_.position(line.x[i]));
      const double y = at_y(y_axis_.position(line.y[i]));
      const bool is_last = i + 1 == line.x.size();
      if (begun && !is_last && std::hypot(x - last_x, y - last_y) < near) continue;
      if (begun) {
        cairo_line_to(cairo, x, y);
      } else {
        cairo_move_to(cairo, x, y);
      }
      last_x = x;
      last_y = y;
      begun = true;
    }
    cairo_stroke(cairo);
    if (begun) canvas_.dot(last_x, last_y);
  }

  const Canvas& canvas_;
  const Panel& panel_;
  double left_, right_, top_, bottom_;
  Axis x_axis_, y_axis_;
};

/// What stands where in the legend, in rows that fit the width.
class Legend {
 public:
  Legend(const Canvas& canvas, const Figure& figure, std::vector<std::string> labels, double width)
      : labels_(std::move(labels)) {
    lines_ = labels_.size();
    if (!figure.threshold_label.empty()) labels_.push_back(figure.threshold_label);
    double x = left_margin;
    for (const std::string& label : labels_) {
      const double needed = sample + 6.0 + canvas.width_of(label, text_size) + 18.0;
      if (x + needed > width && x > left_margin) {
        x = left_margin;
        ++row_;
      }
      places_.push_back({x, row_ * legend_row_height});
      x += needed;
    }
  }

  [[nodiscard]] double height() const { return (row_ + 1.0) * legend_row_height + 10.0; }

  void paint(const Canvas& canvas, double top) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const double x = places_[i].first;
      const double y = top + places_[i].second + 10.0;
      if (i < lines_) {
        use_style(canvas, i);
      } else {
        use_threshold_style(canvas);
      }
      canvas.segment(x, y, x + sample, y, i < lines_ ? 2.0 : 1.2);
      use_plain_style(canvas, 0.1);
      canvas.text(x + sample + 6.0, y + 4.0, labels_[i], Anchor::left, text_size);
    }
  }

 private:
  static constexpr double sample = 22.0;
  std::vector<std::string> labels_;
  std::size_t lines_ = 0;
  std::vector<std::pair<double, double>> places_;
  double row_ = 0.0;
};

struct Size {
  double width = 0.0;
  double height = 0.0;
};

int rows_of(const Figure& figure) {
  const int count = static_cast<int>(figure.panels.size());
  return (count + figure.columns - 1) / std::max(1, figure.columns);
}

/// Draws everything; returns how large it is.
Size paint(const Canvas& canvas, const Figure& figure) {
  const std::vector<std::string> labels = labels_of(figure);
  const double width = panel_width * figure.columns;
  const Legend legend(canvas, figure, labels, width);
  const double panels_top = title_height + legend.height();
  const Size size{width, panels_top + panel_height * rows_of(figure)};
  canvas.gray(1.0);
  cairo_paint(canvas.get());
  use_plain_style(canvas, 0.0);
  canvas.text(left_margin, 24.0, figure.title, Anchor::left, 15.0);
  legend.paint(canvas, title_height);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const auto columns = static_cast<std::size_t>(figure.columns);
    const double x = panel_width * static_cast<double>(i % columns);
    const double y = panels_top + panel_height * static_cast<double>(i / columns);
    PanelPainter(canvas, figure.panels[i], x, y).paint(labels);
  }
  return size;
}

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;

/// How large the figure will be, from drawing it into nothing.
Size measure(const Figure& figure) {
  const Surface surface(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, nullptr));
  return paint(Canvas(surface.get()), figure);
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int count) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(
      fmt::format("cannot draw the figure: {}", cairo_status_to_string(status)));
}

}  // namespace

std::optional<Format> format_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (ending == ".svg") return Format::svg;
  if (ending == ".png") return Format::png;
  return std::nullopt;
}

std::string render(const Figure& figure, Format format) {
  const Size size = measure(figure);
  const double magnification = format == Format::png ? png_magnification : 1.0;
  if (std::max(size.width, size.height) * magnification > largest_side) {
    throw std::runtime_error("the figure is too large; plot fewer panels");
  }
  std::string bytes;
  if (format == Format::svg) {
    const Surface surface(
        cairo_svg_surface_create_for_stream(append, &bytes, size.width, size.height));
    paint(Canvas(surface.get()), figure);
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()));
    return bytes;
  }
  const Surface surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(size.width * magnification)),
      static_cast<int>(std::ceil(size.height * magnification))));
  check(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), magnification, magnification);
  paint(Canvas(surface.get()), figure);
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace stiction::plot
