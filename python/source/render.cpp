#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "python/source/bindings.hpp"
#include "stiction/collision/rays.hpp"
#include "stiction/collision/shape_geometry.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/record/page.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction::python {

namespace {

constexpr double tile = 0.5;         // [m] of the pattern of planes and terrain
constexpr double plane_edge = 60.0;  // [m] beyond which an endless plane is not drawn
using Color = std::array<double, 3>;
constexpr Color sky{0.82, 0.88, 0.94};

/// Draws shapes by one ray per pixel, with a lamp at the camera and one above. No window, no
/// graphics card: frames for learners and for pictures, not for beauty.
class Renderer {
 public:
  explicit Renderer(const Model& model)
      : model_(model), geometries_(make_seen_geometries(model)), data_(model) {
    for (const Shape& shape : model.shapes()) placements_.push_back(placement_in_body(shape));
    at_rest_ = placements_;
  }

  py::array_t<std::uint8_t> draw(const Eigen::VectorXd& q, const Eigen::Vector3d& eye,
                                 const Eigen::Vector3d& target, int width, int height,
                                 double field_of_view) {
    check(q, eye, target, width, height, field_of_view);
    py::array_t<std::uint8_t> picture(
        {static_cast<py::ssize_t>(height), static_cast<py::ssize_t>(width), py::ssize_t{3}});
    std::uint8_t* const pixels = picture.mutable_data();
    const auto hold = busy_.hold();
    const py::gil_scoped_release release;
    place(q);
    const Eigen::Vector3d forward = (target - eye).normalized();
    const Eigen::Vector3d up = std::abs(forward.z()) > 0.999 ? Eigen::Vector3d::UnitX().eval()
                                                             : Eigen::Vector3d::UnitZ().eval();
    const Eigen::Vector3d right = forward.cross(up).normalized();
    const Eigen::Vector3d above = right.cross(forward);
    const double scale = std::tan(0.5 * field_of_view) / (0.5 * height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Eigen::Vector3d ray =
            (forward + scale * ((x + 0.5 - 0.5 * width) * right - (y + 0.5 - 0.5 * height) * above))
                .normalized();
        const Color color = trace(vector(eye), vector(ray));
        std::uint8_t* const pixel = pixels + 3 * (static_cast<std::ptrdiff_t>(y) * width + x);
        for (std::size_t k = 0; k < 3; ++k) {
          pixel[k] = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(color[k], 0.0, 1.0)));
        }
      }
    }
    return picture;
  }

 private:
  static Vector3<double> vector(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

  void check(const Eigen::VectorXd& q, const Eigen::Vector3d& eye, const Eigen::Vector3d& target,
             int width, int height, double field_of_view) const {
    if (q.size() != model_.position_count() || !q.allFinite()) {
      refuse(fmt::format("q must have {} finite entries", model_.position_count()));
    }
    if (width < 1 || height < 1 || width > 8192 || height > 8192) {
      refuse(fmt::format("a picture of {} × {} cannot be drawn; give 1 to 8192", width, height));
    }
    if (!eye.allFinite() || !target.allFinite() || (target - eye).norm() == 0.0) {
      refuse("camera and target must be two different points");
    }
    if (!(field_of_view > 0.0 && field_of_view < 3.0)) {
      refuse(fmt::format("a field of view of {} rad cannot be drawn; give up to 3", field_of_view));
    }
  }

  void place(const Eigen::VectorXd& q) {
    update_positions<double>(model_, data_, as_span(q));
    for (std::size_t i = 0; i < placements_.size(); ++i) {
      const int body = model_.shapes()[i].body;
      if (body == world_body) continue;
      const BodyData<double>& at = data_.bodies[static_cast<std::size_t>(body)];
      placements_[i].rotation = at.rotation * at_rest_[i].rotation;
      placements_[i].position = at.position + at.rotation * at_rest_[i].position;
    }
  }

  [[nodiscard]] bool beyond_edge(std::size_t shape, const Vector3<double>& local) const {
    const ShapeGeometry& geometry = geometries_[shape];
    if (geometry.kind != ShapeKind::plane) return false;
    const double x = geometry.size.x > 0.0 ? geometry.size.x : plane_edge;
    const double y = geometry.size.y > 0.0 ? geometry.size.y : plane_edge;
    return std::abs(local.x) > x || std::abs(local.y) > y;
  }

  [[nodiscard]] Color trace(const Vector3<double>& origin, const Vector3<double>& ray) const {
    double nearest = std::numeric_limits<double>::infinity();
    Color color = sky;
    for (std::size_t i = 0; i < geometries_.size(); ++i) {
      const Shape& shape = model_.shapes()[i];
      if (shape.color[3] == 0.0F || !shape.visible) continue;
      const ShapeGeometry& geometry = geometries_[i];
      const Vector3<double> to_center = placements_[i].position - origin;
      const double along = std::clamp(dot(ray, to_center), 0.0, nearest);
      const Vector3<double> aside = to_center - along * ray;
      if (dot(aside, aside) > geometry.radius * geometry.radius) continue;
      const auto hit = cast_ray_on_shape(geometry, placements_[i], origin, ray, nearest);
      if (!hit) continue;
      const Vector3<double> point = origin + hit->distance * ray;
      const Vector3<double> local =
          transpose_times(placements_[i].rotation, point - placements_[i].position);
      if (beyond_edge(i, local)) continue;
      nearest = hit->distance;
      color = shade(shape, local, hit->normal, ray, nearest);
    }
    return color;
  }

  [[nodiscard]] static Color shade(const Shape& shape, const Vector3<double>& local,
                                   const Vector3<double>& normal, const Vector3<double>& ray,
                                   double distance) {
    const double headlight = std::abs(dot(normal, ray));
    const double light = 0.5 + 0.4 * headlight + 0.3 * std::max(0.0, normal.z);
    double tone = 1.0;
    if (shape.kind == ShapeKind::plane || shape.kind == ShapeKind::height_field) {
      const auto cell = static_cast<long long>(std::floor(local.x / tile)) +
                        static_cast<long long>(std::floor(local.y / tile));
      tone = cell % 2 == 0 ? 1.0 : 0.86;
    }
    const double haze = 1.0 - std::exp(-distance / 30.0);
    Color color{};
    for (std::size_t k = 0; k < 3; ++k) {
      color[k] = (1.0 - haze) * light * tone * static_cast<double>(shape.color[k]) + haze * sky[k];
    }
    return color;
  }

  Model model_;
  std::vector<ShapeGeometry> geometries_;
  std::vector<Placement> at_rest_, placements_;
  DynamicsData<double> data_;
  Busy busy_;
};

/// The page that replays positions, one row per time.
std::string replay_page(
    const SourcedModel& model, const Eigen::VectorXd& times,
    const Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        q,
    const std::string& title) {
  if (q.rows() != times.size() || q.cols() != model.position_count()) {
    refuse(fmt::format("positions are {} × {}; give {} times × {} positions", q.rows(), q.cols(),
                       times.size(), model.position_count()));
  }
  if (times.size() == 0) refuse("there is nothing to show: no times were given");
  if (viewer_page().empty()) {
    refuse("the package was built without the viewer; install node and npm and build again");
  }
  PageRun run{"run", {}, {}};
  run.run.title = title.empty() ? model.name() : title;
  run.run.options.time_step = model.time_step();
  for (Eigen::Index k = 0; k < times.size(); ++k) {
    RecordedFrame frame;
    frame.state = model.initial_state();
    frame.state.time = times[k];
    frame.state.q = q.row(k);
    run.frames.push_back(std::move(frame));
  }
  const Model shown = model;  // other threads may change the handle that they have
  const py::gil_scoped_release release;
  return fill_page(viewer_page(), page_data(scene_json(shown), {&run, 1}));
}

}  // namespace

void add_render(py::module_& module) {
  py::class_<Renderer>(module, "Renderer",
                       "Pictures of a model without window or graphics card, one ray per pixel.")
      .def(py::init([](const SourcedModel& model) { return std::make_unique<Renderer>(model); }),
           py::arg("model"))
      .def("draw", &Renderer::draw, py::arg("q"), py::arg("camera"), py::arg("target"),
           py::arg("width") = 320, py::arg("height") = 240, py::arg("field_of_view") = 0.8,
           "height × width × 3 bytes: red, green, blue. Camera and target are points of the world "
           "[m]; the field of view is vertical [rad].");
  module.def("replay_page", &replay_page, py::arg("model"), py::arg("times"), py::arg("positions"),
             py::arg("title") = "",
             "The page that replays positions (times × positions), as text. Times ascend [s].");
}

}  // namespace stiction::python
