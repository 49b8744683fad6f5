#pragma once

/// \file
/// The part of a shape that lies foremost in a direction: a face, an edge or a point.

#include <array>
#include <cstdint>

#include "stiction/collision/support.hpp"

namespace stiction {

/// Corners of a face in order, of an edge, or one point, in the axes they were asked for.
struct SupportFeature {
  /// Faces of hulls with more corners are thinned out to this many.
  static constexpr int most_corners = 32;

  std::array<Vector3<double>, most_corners> corner;
  std::array<int, most_corners> id{};  ///< the same corner of the shape has always the same
  int count = 0;
  Vector3<double> normal;  ///< outward, unit; of faces alone

  void add(const Vector3<double>& point, int corner_id) {
    corner[static_cast<std::size_t>(count)] = point;
    id[static_cast<std::size_t>(count++)] = corner_id;
  }
};

/// The face foremost in a direction, counter-clockwise seen from outside; of round shapes the cap
/// as eight corners, the line of the side, or the point.
void support_face(ConvexCore& core, const Vector3<double>& direction, SupportFeature& feature);

/// The edge most nearly across the direction that begins at the foremost corner; of round shapes
/// the line of the side, or the point.
void support_edge(ConvexCore& core, const Vector3<double>& direction, SupportFeature& feature);

/// Sees a feature from other axes.
void move_feature(const Matrix3<double>& rotation, const Vector3<double>& position,
                  SupportFeature& feature);

}  // namespace stiction
