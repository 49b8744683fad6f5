#include "support/terrains.hpp"

namespace stiction::test {

HeightField make_field(int rows, int columns, double half_x, double half_y, const Height& height) {
  HeightField field;
  field.rows = rows;
  field.columns = columns;
  field.half_size = {half_x, half_y};
  field.base = 1.0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      field.heights.push_back(height(-half_x + 2.0 * half_x * c / (columns - 1),
                                     -half_y + 2.0 * half_y * r / (rows - 1)));
    }
  }
  return field;
}

double rough(double x, double y) {
  return 0.08 * std::sin(3.1 * x + 0.4) * std::cos(2.3 * y) + 0.05 * std::sin(7.0 * x * y + y) +
         0.03 * std::cos(11.0 * x - 5.0 * y);
}

Mesh make_sheet(int count, double half, const Height& height) {
  Mesh mesh;
  for (int r = 0; r < count; ++r) {
    for (int c = 0; c < count; ++c) {
      const bool inner = r > 0 && c > 0 && r < count - 1 && c < count - 1;
      const double cell = 2.0 * half / (count - 1);
      const double x = -half + cell * (c + (inner ? 0.3 * std::sin(5.0 * r + c) : 0.0));
      const double y = -half + cell * (r + (inner ? 0.3 * std::cos(3.0 * c + r) : 0.0));
      mesh.vertices.emplace_back(x, y, height(x, y));
    }
  }
  for (int r = 0; r + 1 < count; ++r) {
    for (int c = 0; c + 1 < count; ++c) {
      const int a = r * count + c;
      const int b = a + 1;
      const int d = a + count;
      const int e = d + 1;
      if ((r + c) % 2 == 0) {
        mesh.triangles.push_back({a, b, e});
        mesh.triangles.push_back({a, e, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, e, d});
      }
    }
  }
  return mesh;
}

Mesh make_box_mesh(const Eigen::Vector3d& half) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1 ? 1 : -1) * half.x(), (i & 2 ? 1 : -1) * half.y(),
                               (i & 4 ? 1 : -1) * half.z());
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

ShapeGeometry geometry_of(const HeightField& field) {
  ShapeGeometry geometry;
  geometry.kind = ShapeKind::height_field;
  geometry.terrain = std::make_shared<const Terrain>(field);
  return geometry;
}

ShapeGeometry geometry_of(const Mesh& mesh) {
  ShapeGeometry geometry;
  geometry.kind = ShapeKind::mesh;
  geometry.triangles = std::make_shared<const TriangleMesh>(mesh);
  return geometry;
}

ShapeGeometry geometry_of(ShapeKind kind, const Vector3<double>& size) {
  ShapeGeometry geometry;
  geometry.kind = kind;
  geometry.size = size;
  geometry.radius = norm(size);
  return geometry;
}

ShapeGeometry make_stone(double size, double half) {
  Mesh mesh;
  for (int ring = 0; ring < 3; ++ring) {
    const double z = ring == 0 ? -half : ring == 1 ? 0.2 * half : half;
    const double radius = ring == 1 ? 1.2 * size : ring == 0 ? size : 0.6 * size;
    for (int k = 0; k < 7; ++k) {
      const double angle = 2.0 * M_PI * (k + 0.3 * ring) / 7.0;
      mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  mesh.hull_vertices = mesh.vertices;
  for (int ring = 0; ring < 2; ++ring) {
    for (int k = 0; k < 7; ++k) {
      const int a = 7 * ring + k;
      const int b = 7 * ring + (k + 1) % 7;
      mesh.hull_triangles.push_back({a, b, a + 7});
      mesh.hull_triangles.push_back({b, b + 7, a + 7});
    }
  }
  for (int k = 1; k < 6; ++k) {
    mesh.hull_triangles.push_back({0, k + 1, k});
    mesh.hull_triangles.push_back({14, 14 + k, 14 + k + 1});
  }
  mesh.triangles = mesh.hull_triangles;
  ShapeGeometry geometry;
  geometry.kind = ShapeKind::mesh;
  geometry.hull = std::make_shared<const ConvexHull>(mesh);
  geometry.radius = geometry.hull->radius();
  geometry.size = {size, size, half};
  return geometry;
}

Placement placement_of(const Eigen::Isometry3d& pose) {
  return {from_eigen(Eigen::Matrix3d(pose.linear())),
          from_eigen(Eigen::Vector3d(pose.translation()))};
}

double distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                           const Eigen::Vector3d& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

double distance_to_triangle(const Eigen::Vector3d& p, const Triangle& t) {
  Eigen::Matrix<double, 3, 2> basis;
  basis << t[1] - t[0], t[2] - t[0];
  const Eigen::Vector2d weights =
      (basis.transpose() * basis).inverse() * (basis.transpose() * (p - t[0]));
  if (weights.minCoeff() >= 0.0 && weights.sum() <= 1.0) {
    return (p - t[0] - basis * weights).norm();
  }
  return std::min({distance_to_segment(p, t[0], t[1]), distance_to_segment(p, t[1], t[2]),
                   distance_to_segment(p, t[2], t[0])});
}

double distance_to_all(const Eigen::Vector3d& p, const std::vector<Triangle>& triangles) {
  double least = std::numeric_limits<double>::infinity();
  for (const Triangle& triangle : triangles) {
    least = std::min(least, distance_to_triangle(p, triangle));
  }
  return least;
}

double least_gap(const PointBuffer& points) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points.count(); ++i) least = std::min(least, points[i].gap);
  return least;
}

}  // namespace stiction::test
