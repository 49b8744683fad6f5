#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"
#include "stiction/model/principal_axes.hpp"

namespace stiction {

namespace {

/// Half axes of the ellipsoid that the medium sees of a primitive; none of planes and the like.
std::optional<Eigen::Vector3d> semi_axes(const Shape& shape) {
  const Eigen::Vector3d& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return Eigen::Vector3d::Constant(size.x());
    case ShapeKind::capsule:
      return Eigen::Vector3d(size.x(), size.x(), size.x() + size.y());
    case ShapeKind::cylinder:
      return Eigen::Vector3d(size.x(), size.x(), size.y());
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      return size;
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The box of the same inertia in place of a mesh.
void take_inertia_box(const BodyInertia& solid, FluidEllipsoid& ellipsoid) {
  const Eigen::Matrix3d axes = principal_axes(solid.inertia);
  const Eigen::Vector3d moments = (axes.transpose() * solid.inertia * axes).diagonal();
  ellipsoid.pose.linear() = axes;
  ellipsoid.pose.translation() = solid.center_of_mass;
  ellipsoid.semi_axes =
      (1.5 / solid.mass * (Eigen::Vector3d::Constant(moments.sum()) - 2.0 * moments))
          .cwiseMax(0.0)
          .cwiseSqrt();
}

}  // namespace

std::optional<FluidEllipsoid> read_fluid_shape(MjcfScene& scene, const MjcfAttributes& given,
                                               const Shape& shape, const BodyInertia& inertia) {
  const bool asked =
      given.keyword<bool>("fluidshape", {{"none", false}, {"ellipsoid", true}}, false);
  if (!asked) return std::nullopt;
  FluidEllipsoid ellipsoid;
  const auto values = given.overlay<5>("fluidcoef", {0.5, 0.25, 1.5, 1.0, 1.0});
  for (const double value : values) {
    if (value >= 0.0) continue;
    given.error("fluidcoef", fmt::format("a coefficient is {:g}", value), "give 0 or more");
    return std::nullopt;
  }
  ellipsoid.coefficients = {values[0], values[1], values[2], values[3], values[4]};
  ellipsoid.pose = shape.pose;
  if (const auto axes = semi_axes(shape)) {
    ellipsoid.semi_axes = *axes;
  } else if (shape.kind == ShapeKind::mesh && inertia.mass > 0.0) {
    take_inertia_box(inertia, ellipsoid);
  }
  if (!(ellipsoid.semi_axes.minCoeff() > 0.0) || !ellipsoid.semi_axes.allFinite()) {
    scene.report.unused(given.source(),
                        "fluidshape of a <geom> without a volume of its own is not used",
                        Severity::warning);
    return std::nullopt;
  }
  set_virtual_mass(ellipsoid);
  return ellipsoid;
}

}  // namespace stiction
