/// \file
/// Points of two boxes that meet with edges or corners.

#include <algorithm>
#include <cmath>

#include "stiction/collision/closed_forms_box.hpp"

namespace stiction {
namespace {

/// Edges may be this much too short to cross, in parts of the sizes.
constexpr double crossing_allowance = 1e-9;
/// Sine below which two edges are looked at for a line of contact.
constexpr double line_sine = 0.02;
/// Shorter lines than this part of the sizes count as a point.
constexpr double shortest_line = 1e-3;

double dot3(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Triple corner_of(const Triple& half, int corner) {
  return {(corner & 1) != 0 ? half[0] : -half[0], (corner & 2) != 0 ? half[1] : -half[1],
          (corner & 4) != 0 ? half[2] : -half[2]};
}

/// From the axes of a to those of b, directions.
Triple turn_to_b(const BoxPair& pair, const Triple& x) {
  Triple y;
  for (std::size_t j = 0; j < 3; ++j) {
    y[j] = x[0] * pair.rotation[0][j] + x[1] * pair.rotation[1][j] + x[2] * pair.rotation[2][j];
  }
  return y;
}

/// The corner furthest along a direction in the box's axes.
int furthest_corner(const Triple& direction) {
  return (direction[0] > 0.0 ? 1 : 0) | (direction[1] > 0.0 ? 2 : 0) | (direction[2] > 0.0 ? 4 : 0);
}

/// An edge of a, from its middle, in the axes of b.
SegmentBox edge_of_a(const BoxPair& pair, std::size_t axis, int corner) {
  Triple middle = corner_of(pair.half_a, corner);
  middle[axis] = 0.0;
  SegmentBox segment;
  segment.center = turn_to_b(pair, middle);
  for (std::size_t j = 0; j < 3; ++j) segment.center[j] -= pair.position_b[j];
  segment.direction = pair.rotation[axis];
  segment.half = pair.half_b;
  segment.half_length = pair.half_a[axis];
  return segment;
}

/// The edge of a that is nearest to b, and where.
struct Nearest {
  SegmentBox segment;
  std::size_t axis = 0;
  int corner = 0;  ///< of a, on the edge
  double place = 0.0;
  double distance_squared = INFINITY;
};

Nearest nearest_edge(const BoxPair& pair, const Triple& toward) {
  const Triple toward_b = turn_to_b(pair, toward);
  const double start = dot3(toward, pair.position) - std::abs(toward_b[0]) * pair.half_b[0] -
                       std::abs(toward_b[1]) * pair.half_b[1] -
                       std::abs(toward_b[2]) * pair.half_b[2];
  Nearest best;
  // From the corner of a that is furthest towards b; an edge that even along `toward` is further
  // away than the best cannot win.
  const int front = furthest_corner(toward);
  double bound = INFINITY;
  for (int flip = 0; flip < 4; ++flip) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int next = static_cast<int>((axis + 1) % 3);
      const int last = static_cast<int>((axis + 2) % 3);
      const int corner = front ^ ((flip & 1) << next) ^ ((flip >> 1) << last);
      Triple middle = corner_of(pair.half_a, corner);
      middle[axis] = 0.0;
      const double end = dot3(toward, middle) + std::abs(toward[axis]) * pair.half_a[axis];
      if (start - end > bound) continue;
      const SegmentBox segment = edge_of_a(pair, axis, corner);
      const double place = segment.closest_place();
      const Triple e = segment.away(place);
      const double distance_squared = dot3(e, e);
      if (distance_squared >= best.distance_squared) continue;
      best = {segment, axis, corner, place, distance_squared};
      bound = std::sqrt(distance_squared);
    }
  }
  return best;
}

int feature_at(const Nearest& nearest, double place) {
  const SegmentBox& segment = nearest.segment;
  if (std::abs(place) >= segment.half_length) {
    const int bit = 1 << nearest.axis;
    return 8 + (place > 0.0 ? nearest.corner | bit : nearest.corner & ~bit);
  }
  const Triple x = segment.at(place);
  int corner = 0;
  int inside = 0;
  std::size_t axis = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    if (x[j] > 0.0) corner |= 1 << j;
    if (std::abs(x[j]) < segment.half[j] * (1.0 - crossing_allowance)) {
      ++inside;
      axis = j;
    }
  }
  if (inside == 0) return corner;
  return crossing_feature(edge_number(nearest.axis, nearest.corner), edge_number(axis, corner));
}

/// The point of the edge at a place and what of b is nearest to it.
void add_at(const BoxPair& pair, const Nearest& nearest, double place, double margin,
            PointBuffer& points) {
  const Triple e = nearest.segment.away(place);
  const double distance = std::sqrt(dot3(e, e));
  if (distance > margin) return;
  const Vector3<double> normal = (-1.0 / distance) * (pair.at_b->rotation * to_vector(e));
  const Vector3<double> on_a =
      multiply_add(pair.at_b->rotation, to_vector(nearest.segment.at(place)), pair.at_b->position);
  points.add(multiply_add(0.5 * distance, normal, on_a), normal, distance,
             feature_at(nearest, place));
}

}  // namespace

bool add_edge_point(const BoxPair& pair, const EdgeChoice& edge, bool clamped,
                    PointBuffer& points) {
  const std::size_t i = edge.axis_a;
  const std::size_t j = edge.axis_b;
  const Triple normal_b = turn_to_b(pair, edge.normal);
  const int corner_a = furthest_corner(edge.normal);
  const int corner_b = furthest_corner({-normal_b[0], -normal_b[1], -normal_b[2]});
  // Middles of both edges, in the axes of a.
  Triple middle_a = corner_of(pair.half_a, corner_a);
  middle_a[i] = 0.0;
  Triple middle_b = corner_of(pair.half_b, corner_b);
  middle_b[j] = 0.0;
  const Triple direction_b{pair.rotation[0][j], pair.rotation[1][j], pair.rotation[2][j]};
  Triple w;
  for (std::size_t m = 0; m < 3; ++m) {
    w[m] = middle_a[m] - (pair.position[m] + dot3(pair.rotation[m], middle_b));
  }
  const double cosine = direction_b[i];
  const double across1 = direction_b[(i + 1) % 3];
  const double across2 = direction_b[(i + 2) % 3];
  const double sine_squared = across1 * across1 + across2 * across2;
  const double d = w[i];
  const double e = dot3(direction_b, w);
  const double s = (cosine * e - d) / sine_squared;
  const double t = cosine * s + e;
  const double allowance = crossing_allowance * pair.size;
  if (!clamped &&
      (std::abs(s) > pair.half_a[i] + allowance || std::abs(t) > pair.half_b[j] + allowance)) {
    return false;
  }
  Triple on_a = middle_a;
  on_a[i] = std::clamp(s, -pair.half_a[i], pair.half_a[i]);
  for (std::size_t m = 0; m < 3; ++m) on_a[m] += 0.5 * edge.separation * edge.normal[m];
  points.add(multiply_add(pair.at_a->rotation, to_vector(on_a), pair.at_a->position),
             pair.at_a->rotation * to_vector(edge.normal), edge.separation,
             crossing_feature(edge_number(i, corner_a), edge_number(j, corner_b)));
  return true;
}

void add_apart_points(const BoxPair& pair, const Triple& toward, double margin,
                      PointBuffer& points) {
  const Nearest nearest = nearest_edge(pair, toward);
  const SegmentBox& segment = nearest.segment;
  const Triple e = segment.away(nearest.place);
  SegmentRange range{nearest.place, nearest.place};
  for (std::size_t j = 0; j < 3; ++j) {
    const bool beside = std::abs(e[j]) < line_sine * std::sqrt(nearest.distance_squared);
    if (!beside || std::abs(segment.direction[j]) < 1.0 - 0.5 * line_sine * line_sine) continue;
    range = {-segment.half_length, segment.half_length};
    range.clip(segment, j);
    range.include(nearest.place);
  }
  if (!(range.high - range.low > shortest_line * pair.size)) {
    add_at(pair, nearest, nearest.place, margin, points);
    return;
  }
  const int first = feature_at(nearest, range.low);
  const int second = feature_at(nearest, range.high);
  add_at(pair, nearest, first < second ? range.low : range.high, margin, points);
  add_at(pair, nearest, first < second ? range.high : range.low, margin, points);
}

}  // namespace stiction
