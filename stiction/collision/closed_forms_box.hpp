#pragma once

/// \file
/// Two boxes, as the parts of their collision function see them: closed_forms_box.cpp chooses the
/// normal, closed_forms_box_face.cpp finds the points of a face, closed_forms_box_apart.cpp those
/// of edges and corners.
///
/// Features: 0 to 7 are corners of box b, 8 to 15 corners of box a (bit i is set where coordinate i
/// is positive), from 16 on crossings of edge e_a of a with edge e_b of b, 16 + 12 e_a + e_b. They
/// do not depend on which box owns the normal, so that a point keeps its number when that changes.

#include <array>
#include <cmath>

#include "stiction/collision/closed_forms_segment_box.hpp"
#include "stiction/collision/geometry.hpp"

namespace stiction {

/// The second box seen from the first.
struct BoxPair {
  std::array<Triple, 3> rotation{};  ///< rotation[i][j] = axis i of a · axis j of b
  Triple position{};                 ///< of b in the axes of a [m]
  Triple position_b{};               ///< of b relative to a, in the axes of b [m]
  Triple half_a{};
  Triple half_b{};
  double size = 0.0;  ///< sum of all half extents: what rounding is measured by
  const Placement* at_a = nullptr;
  const Placement* at_b = nullptr;
};

/// A face of one box as the plane of contact.
struct FaceChoice {
  bool of_a = true;
  std::size_t axis = 0;
};

/// Two edges and the direction normal to both.
struct EdgeChoice {
  std::size_t axis_a = 0;
  std::size_t axis_b = 0;
  Triple normal{};          ///< unit, from a to b, in the axes of a
  double separation = 0.0;  ///< along it [m]
};

/// One corner of the part of the other box's face that lies over the chosen one. Without initial
/// values, for dozens of them are made in each call.
struct FacePoint {
  double u;  ///< along the face's first axis, the one after its normal [m]
  double v;  ///< along the second [m]
  double gap;
  int feature;
};

struct FacePoints {
  std::array<FacePoint, 24> at;
  int count = 0;
  double smallest_gap = INFINITY;
};

/// The other box's face that looks at the chosen one, cut off at the rim of the chosen one.
void clip_face(const BoxPair& pair, const FaceChoice& face, FacePoints& found);

/// Writes those within the margin, in ascending order of features, at most max_convex_points.
void add_face_points(const BoxPair& pair, const FaceChoice& face, FacePoints& found, double margin,
                     PointBuffer& points);

/// Where two edges cross, seen along their common normal. False, and nothing written, if they only
/// would if they were longer, unless `clamped`.
bool add_edge_point(const BoxPair& pair, const EdgeChoice& edge, bool clamped, PointBuffer& points);

/// Boxes that are apart, by their true distance; `toward` is a separating direction from a to b in
/// the axes of a. For boxes that meet at edges or corners.
void add_apart_points(const BoxPair& pair, const Triple& toward, double margin,
                      PointBuffer& points);

/// Number of the edge along `axis` on which corner `corner` lies.
inline int edge_number(std::size_t axis, int corner) {
  const int next = static_cast<int>((axis + 1) % 3);
  const int last = static_cast<int>((axis + 2) % 3);
  return static_cast<int>(axis) * 4 + ((corner >> next) & 1) + 2 * ((corner >> last) & 1);
}

inline int crossing_feature(int edge_a, int edge_b) { return 16 + 12 * edge_a + edge_b; }

inline Vector3<double> to_vector(const Triple& v) { return {v[0], v[1], v[2]}; }

}  // namespace stiction
