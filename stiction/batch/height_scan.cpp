#include "stiction/batch/height_scan.hpp"

#include <cmath>
#include <limits>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

HeightScan::HeightScan(const Model& model, int body, std::span<const Eigen::Vector3d> points)
    : body_(body), points_(points.begin(), points.end()), rays_(model), data_(model) {}

void HeightScan::read(const Model& model, const Eigen::VectorXd& q, std::span<double> heights) {
  update_positions<double>(model, data_, as_span(q));
  const BodyData<double>& at = data_.bodies[index(body_)];
  // Where the body's x axis points, seen from above; a body whose x axis is vertical has no
  // heading.
  const double size = std::hypot(at.rotation.c0.x, at.rotation.c0.y);
  const double cosine = size > 0.0 ? at.rotation.c0.x / size : 1.0;
  const double sine = size > 0.0 ? at.rotation.c0.y / size : 0.0;
  const Vector3<double> down{0.0, 0.0, -1.0};
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Eigen::Vector3d& p = points_[k];
    const Vector3<double> origin{at.position.x + cosine * p.x() - sine * p.y(),
                                 at.position.y + sine * p.x() + cosine * p.y(),
                                 at.position.z + p.z()};
    const double distance = rays_.cast_at_world(origin, down);
    heights[k] = distance < 0.0 ? -std::numeric_limits<double>::infinity() : origin.z - distance;
  }
}

}  // namespace stiction
