#include "stiction/model/solid.hpp"

namespace stiction {

namespace {

constexpr double pi = 3.14159265358979323846;

Eigen::Matrix3d diagonal(double x, double y, double z) {
  return Eigen::Vector3d(x, y, z).asDiagonal();
}

/// m (|p|² 1 - p pᵀ): what a point mass adds about the origin.
Eigen::Matrix3d of_point(double mass, const Eigen::Vector3d& p) {
  return mass * (p.squaredNorm() * Eigen::Matrix3d::Identity() - p * p.transpose());
}

BodyInertia capsule(double radius, double half_length) {
  const double length = 2.0 * half_length;
  const double r2 = radius * radius;
  const double cylinder = pi * r2 * length;
  const double ball = 4.0 / 3.0 * pi * r2 * radius;
  // The centre of a half ball lies 3/8 r from its flat side.
  const double across = cylinder * (3.0 * r2 + length * length) / 12.0 + 0.4 * ball * r2 +
                        ball * length * (3.0 * radius + 2.0 * length) / 8.0;
  const double along = 0.5 * cylinder * r2 + 0.4 * ball * r2;
  return {cylinder + ball, Eigen::Vector3d::Zero(), diagonal(across, across, along)};
}

}  // namespace

BodyInertia primitive_solid(ShapeKind kind, const Eigen::Vector3d& size) {
  const double x2 = size.x() * size.x();
  const double y2 = size.y() * size.y();
  const double z2 = size.z() * size.z();
  BodyInertia result;
  switch (kind) {
    case ShapeKind::sphere:
      result.mass = 4.0 / 3.0 * pi * x2 * size.x();
      result.inertia = 0.4 * result.mass * x2 * Eigen::Matrix3d::Identity();
      break;
    case ShapeKind::box:
      result.mass = 8.0 * size.prod();
      result.inertia = result.mass / 3.0 * diagonal(y2 + z2, x2 + z2, x2 + y2);
      break;
    case ShapeKind::ellipsoid:
      result.mass = 4.0 / 3.0 * pi * size.prod();
      result.inertia = result.mass / 5.0 * diagonal(y2 + z2, x2 + z2, x2 + y2);
      break;
    case ShapeKind::cylinder: {
      result.mass = 2.0 * pi * x2 * size.y();
      const double across = (3.0 * x2 + 4.0 * y2) / 12.0;
      result.inertia = result.mass * diagonal(across, across, 0.5 * x2);
      break;
    }
    case ShapeKind::capsule:
      return capsule(size.x(), size.y());
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      break;
  }
  return result;
}

BodyInertia primitive_shell(ShapeKind kind, const Eigen::Vector3d& size) {
  const double r = size.x();
  const double h = size.y();
  BodyInertia result;
  switch (kind) {
    case ShapeKind::sphere:
      result.mass = 4.0 * pi * r * r;
      result.inertia = 2.0 / 3.0 * result.mass * r * r * Eigen::Matrix3d::Identity();
      break;
    case ShapeKind::box:
      for (int k = 0; k < 3; ++k) {
        // Two faces across axis k: thin boxes at ±size[k].
        const double area = 8.0 * size.prod() / size[k];
        Eigen::Vector3d squares = size.cwiseAbs2() / 3.0;
        squares[k] = size[k] * size[k];
        result.mass += area;
        result.inertia += area * diagonal(squares.y() + squares.z(), squares.x() + squares.z(),
                                          squares.x() + squares.y());
      }
      break;
    case ShapeKind::cylinder:
    case ShapeKind::capsule: {
      const bool round = kind == ShapeKind::capsule;
      const double tube = 4.0 * pi * r * h;
      const double ends = round ? 4.0 * pi * r * r : 2.0 * pi * r * r;
      // Mean squares of the ends along z, and across it.
      const double along = round ? h * h + h * r + r * r / 3.0 : h * h;
      const double across = round ? r * r / 3.0 : r * r / 4.0;
      const double xx = tube * 0.5 * r * r + ends * across;
      const double zz = tube * h * h / 3.0 + ends * along;
      result.mass = tube + ends;
      result.inertia = diagonal(xx + zz, xx + zz, 2.0 * xx);
      break;
    }
    case ShapeKind::ellipsoid:
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      break;
  }
  return result;
}

BodyInertia scaled_to_mass(BodyInertia solid, double mass) {
  if (solid.mass > 0.0) solid.inertia *= mass / solid.mass;
  solid.mass = mass;
  return solid;
}

BodyInertia placed(const BodyInertia& inertia, const Eigen::Isometry3d& pose) {
  const Eigen::Matrix3d turned = pose.linear() * inertia.inertia * pose.linear().transpose();
  return {inertia.mass, pose * inertia.center_of_mass, 0.5 * (turned + turned.transpose())};
}

BodyInertia sum(const BodyInertia& a, const BodyInertia& b) {
  BodyInertia result;
  result.mass = a.mass + b.mass;
  if (result.mass <= 0.0) return a;
  result.center_of_mass = (a.mass * a.center_of_mass + b.mass * b.center_of_mass) / result.mass;
  result.inertia = a.inertia + of_point(a.mass, a.center_of_mass - result.center_of_mass) +
                   b.inertia + of_point(b.mass, b.center_of_mass - result.center_of_mass);
  return result;
}

}  // namespace stiction
