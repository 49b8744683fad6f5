#pragma once

/// \file
/// What a Collider keeps. Private to stiction/collision.

#include <vector>

#include "stiction/collision/collider.hpp"

namespace stiction {

/// Two shapes that may touch, with all that is known about them beforehand.
struct ShapePair {
  int a = 0;
  int b = 0;
  NarrowFunction function = nullptr;
  double margin = 0.0;  ///< of the shapes or of their contact pair [m]
};

struct Collider::Memory {
  explicit Memory(const Model& of) : model(of) {}

  Model model;
  std::vector<ShapeGeometry> geometries;  ///< one per shape
  std::vector<Placement> placements;      ///< one per shape
  std::vector<double> reaches;            ///< one per shape [m]
  std::vector<int> moving;                ///< shapes whose placement the caller writes
  std::vector<ShapePair> pairs;           ///< ordered by (a, b)
  PointBuffer buffer;
  std::vector<CollisionPoint> points;  ///< the first `point_count` are the result
  std::size_t point_count = 0;
};

}  // namespace stiction
