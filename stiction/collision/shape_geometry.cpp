#include "stiction/collision/shape_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/convex_hull_shape.hpp"
#include "stiction/collision/height_field.hpp"
#include "stiction/collision/triangle_mesh.hpp"

namespace stiction {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

const Shape& shape_of(const Model& model, int shape) {
  return model.shapes()[static_cast<std::size_t>(shape)];
}

LocalBounds mesh_bounds(const Mesh& mesh) {
  Eigen::Vector3d low = Eigen::Vector3d::Zero();
  Eigen::Vector3d high = Eigen::Vector3d::Zero();
  if (!mesh.vertices.empty()) low = high = mesh.vertices.front();
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  return {from_eigen(Eigen::Vector3d(0.5 * (low + high))),
          from_eigen(Eigen::Vector3d(0.5 * (high - low)))};
}

LocalBounds height_field_bounds(const HeightField& field) {
  const auto [lowest, highest] = std::ranges::minmax_element(field.heights);
  const double top = field.heights.empty() ? 0.0 : *highest;
  const double bottom = std::min(-field.base, field.heights.empty() ? 0.0 : *lowest);
  return {{0.0, 0.0, 0.5 * (top + bottom)},
          {field.half_size.x(), field.half_size.y(), 0.5 * (top - bottom)}};
}

/// Of the sphere about the origin [m].
double bounding_radius(const Model& model, const Shape& shape) {
  const Eigen::Vector3d& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return size.x();
    case ShapeKind::box:
      return size.norm();
    case ShapeKind::capsule:
      return size.x() + size.y();
    case ShapeKind::cylinder:
      return std::hypot(size.x(), size.y());
    case ShapeKind::ellipsoid:
      return size.maxCoeff();
    case ShapeKind::plane:
      return endless;
    case ShapeKind::height_field: {
      const LocalBounds bounds =
          height_field_bounds(model.height_fields()[static_cast<std::size_t>(shape.height_field)]);
      return (to_eigen(bounds.center).cwiseAbs() + to_eigen(bounds.half)).norm();
    }
    case ShapeKind::mesh: {
      double squared = 0.0;
      for (const Eigen::Vector3d& vertex :
           model.meshes()[static_cast<std::size_t>(shape.mesh)].vertices) {
        squared = std::max(squared, vertex.squaredNorm());
      }
      return std::sqrt(squared);
    }
  }
  return endless;
}

/// What every kind has.
ShapeGeometry bare_geometry(const Model& model, const Shape& shape) {
  ShapeGeometry geometry;
  geometry.kind = shape.kind;
  geometry.size = from_eigen(shape.size);
  geometry.radius = bounding_radius(model, shape);
  return geometry;
}

/// Whether a mesh is its convex hull. Flat ones have none.
bool is_hull(const Model& model, int shape) {
  if (moves_freely(model, shape)) return true;
  const Shape& source = shape_of(model, shape);
  const Mesh& mesh = model.meshes()[static_cast<std::size_t>(source.mesh)];
  return !source.as_triangles && !mesh.hull_vertices.empty();
}

/// What is made of a mesh or height field, the first time that it is asked for.
template <class Made, class Source>
const std::shared_ptr<const Made>& made_once(std::vector<std::shared_ptr<const Made>>& store,
                                             const std::vector<Source>& sources, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (!store[at]) store[at] = std::make_shared<const Made>(sources[at]);
  return store[at];
}

}  // namespace

std::vector<ShapeGeometry> make_shape_geometries(const Model& model) {
  std::vector<std::shared_ptr<const ConvexHull>> hulls(model.meshes().size());
  std::vector<std::shared_ptr<const TriangleMesh>> triangles(model.meshes().size());
  std::vector<std::shared_ptr<const Terrain>> terrains(model.height_fields().size());
  std::vector<ShapeGeometry> geometries;
  for (int i = 0; i < static_cast<int>(model.shapes().size()); ++i) {
    const Shape& shape = shape_of(model, i);
    ShapeGeometry& geometry = geometries.emplace_back(bare_geometry(model, shape));
    if (shape.kind == ShapeKind::height_field) {
      geometry.terrain = made_once(terrains, model.height_fields(), shape.height_field);
    } else if (shape.kind == ShapeKind::mesh && is_hull(model, i)) {
      geometry.hull = made_once(hulls, model.meshes(), shape.mesh);
    } else if (shape.kind == ShapeKind::mesh) {
      geometry.triangles = made_once(triangles, model.meshes(), shape.mesh);
    }
  }
  return geometries;
}

std::vector<ShapeGeometry> make_seen_geometries(const Model& model) {
  std::vector<std::shared_ptr<const TriangleMesh>> triangles(model.meshes().size());
  std::vector<std::shared_ptr<const Terrain>> terrains(model.height_fields().size());
  std::vector<ShapeGeometry> geometries;
  for (const Shape& shape : model.shapes()) {
    ShapeGeometry& geometry = geometries.emplace_back(bare_geometry(model, shape));
    if (shape.kind == ShapeKind::height_field) {
      geometry.terrain = made_once(terrains, model.height_fields(), shape.height_field);
    } else if (shape.kind == ShapeKind::mesh) {
      geometry.triangles = made_once(triangles, model.meshes(), shape.mesh);
    }
  }
  return geometries;
}

LocalBounds local_bounds(const Model& model, int shape) {
  const Shape& source = shape_of(model, shape);
  const Eigen::Vector3d& size = source.size;
  switch (source.kind) {
    case ShapeKind::sphere:
      return {{}, {size.x(), size.x(), size.x()}};
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      return {{}, from_eigen(size)};
    case ShapeKind::capsule:
      return {{}, {size.x(), size.x(), size.x() + size.y()}};
    case ShapeKind::cylinder:
      return {{}, {size.x(), size.x(), size.y()}};
    case ShapeKind::plane:
      break;
    case ShapeKind::height_field:
      return height_field_bounds(
          model.height_fields()[static_cast<std::size_t>(source.height_field)]);
    case ShapeKind::mesh:
      return mesh_bounds(model.meshes()[static_cast<std::size_t>(source.mesh)]);
  }
  return {{}, {endless, endless, endless}};
}

BoundingSphere bounding_sphere(const ShapeGeometry& geometry) {
  if (!geometry.hull) return {{}, geometry.radius};
  const auto vertices = geometry.hull->vertices();
  const auto furthest_from = [&](const Vector3<double>& point) {
    return *std::ranges::max_element(vertices, {}, [&](const Vector3<double>& vertex) {
      const Vector3<double> away = vertex - point;
      return dot(away, away);
    });
  };
  // Towards the furthest vertex, each time by less: this converges to the smallest sphere.
  constexpr int rounds = 40;
  BoundingSphere best{{}, geometry.radius};
  Vector3<double> center = vertices.front();
  for (int round = 1; round <= rounds; ++round) {
    const Vector3<double> furthest = furthest_from(center);
    const double radius = norm(furthest - center);
    if (radius < best.radius) best = {center, radius};
    center += (1.0 / (round + 1.0)) * (furthest - center);
  }
  best.radius *= 1.0 + 1e-12;
  return best;
}

bool is_surface(const ShapeGeometry& geometry) {
  return geometry.kind == ShapeKind::plane || geometry.kind == ShapeKind::height_field ||
         (geometry.kind == ShapeKind::mesh && geometry.triangles != nullptr);
}

bool moves_freely(const Model& model, int shape) {
  const int body = shape_of(model, shape).body;
  return body != world_body && !model.constants()[static_cast<std::size_t>(body)].kinematic;
}

Placement placement_in_body(const Shape& shape) {
  return {from_eigen(Eigen::Matrix3d(shape.pose.linear())),
          from_eigen(Eigen::Vector3d(shape.pose.translation()))};
}

}  // namespace stiction
