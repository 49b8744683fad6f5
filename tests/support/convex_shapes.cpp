#include "support/convex_shapes.hpp"

namespace stiction::test {

ShapeGeometry make_shape(ShapeKind kind, Vector3<double> size) {
  ShapeGeometry shape;
  shape.kind = kind;
  shape.size = size;
  switch (kind) {
    case ShapeKind::sphere:
      shape.radius = size.x;
      break;
    case ShapeKind::capsule:
      shape.radius = size.x + size.y;
      break;
    case ShapeKind::cylinder:
      shape.radius = std::hypot(size.x, size.y);
      break;
    case ShapeKind::ellipsoid:
      shape.radius = std::max({size.x, size.y, size.z});
      break;
    case ShapeKind::plane:
      shape.radius = std::numeric_limits<double>::infinity();
      break;
    default:
      shape.radius = norm(size);
  }
  return shape;
}

ShapeGeometry make_hull(const std::vector<Eigen::Vector3d>& points) {
  Mesh mesh;
  mesh.vertices = points;
  add_convex_hull(mesh);
  ShapeGeometry shape;
  shape.kind = ShapeKind::mesh;
  shape.hull = std::make_shared<const ConvexHull>(mesh);
  shape.radius = shape.hull->radius();
  return shape;
}

ShapeGeometry make_box_hull(const Vector3<double>& half) {
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < 8; ++i) {
    points.emplace_back(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                        i & 4 ? half.z : -half.z);
  }
  return make_hull(points);
}

Eigen::Vector3d random_direction(Random& random) {
  for (;;) {
    const Eigen::Vector3d v(random.normal(), random.normal(), random.normal());
    if (v.norm() > 1e-3) return v.normalized();
  }
}

ShapeGeometry random_hull(Random& random, int count) {
  std::vector<Eigen::Vector3d> points;
  const Eigen::Vector3d size(random.uniform(0.3, 1.0), random.uniform(0.3, 1.0),
                             random.uniform(0.3, 1.0));
  for (int i = 0; i < count; ++i) points.push_back(random_direction(random).cwiseProduct(size));
  return make_hull(points);
}

Placement random_placement(Random& random, double distance) {
  Eigen::Quaterniond q(random.normal(), random.normal(), random.normal(), random.normal());
  const Eigen::Vector3d p = random.uniform(0.0, distance) * random_direction(random);
  return {from_eigen(Eigen::Matrix3d(q.normalized().toRotationMatrix())), from_eigen(p)};
}

Placement compose(const Placement& first, const Placement& second) {
  return {first.rotation * second.rotation,
          multiply_add(first.rotation, second.position, first.position)};
}

ShapeGeometry random_shape(Random& random, ShapeKind kind) {
  if (kind == ShapeKind::mesh) return random_hull(random, 6 + random.index(40));
  return make_shape(kind,
                    {random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0)});
}

}  // namespace stiction::test
