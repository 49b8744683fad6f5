#include "stiction/touch/face_corners.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {

namespace {

constexpr std::size_t wanted = 4;
constexpr std::size_t most = 16;  ///< more are terrain, whose rim four would not span
/// Gaps of two flat faces on each other differ by at most this fraction of the diagonal. Beyond,
/// the faces lean or have steps, and a point left out may be the one that touches.
constexpr double flat = 1e-4;
/// A later point must be better by this fraction: of equals, the same ones are kept in all steps.
constexpr double better = 1.001;

std::uint32_t bit(std::size_t i) { return std::uint32_t{1} << i; }

bool have_one_normal(std::span<const CollisionPoint> points) {
  for (const CollisionPoint& point : points) {
    const Vector3<double> difference = point.normal - points.front().normal;
    if (dot(difference, difference) > 0.0) return false;
  }
  return true;
}

bool are_flat(std::span<const CollisionPoint> points, double diagonal) {
  const auto [least, greatest] =
      std::ranges::minmax(points, {}, [](const CollisionPoint& point) { return point.gap; });
  return greatest.gap - least.gap <= flat * diagonal;
}

/// The two that are furthest apart.
std::pair<std::size_t, std::size_t> find_diagonal(std::span<const CollisionPoint> points) {
  std::pair<std::size_t, std::size_t> ends{0, 1};
  double longest = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const Vector3<double> between = points[j].point - points[i].point;
      const double length = dot(between, between);
      if (length <= better * longest) continue;
      longest = length;
      ends = {i, j};
    }
  }
  return ends;
}

}  // namespace

std::uint32_t spanning_corners(std::span<const CollisionPoint> points) {
  const std::size_t count = points.size();
  constexpr std::uint32_t all = ~std::uint32_t{0};
  if (count <= wanted || count > most || !have_one_normal(points)) return all;
  const auto [from, to] = find_diagonal(points);
  const Vector3<double> diagonal = points[to].point - points[from].point;
  if (!are_flat(points, std::sqrt(dot(diagonal, diagonal)))) return all;
  const Vector3<double> side = cross(points.front().normal, diagonal);
  std::uint32_t kept = bit(from) | bit(to);
  for (const double sign : {1.0, -1.0}) {
    double furthest = 0.0;
    std::size_t choice = from;
    for (std::size_t i = 0; i < count; ++i) {
      const double away = sign * dot(side, points[i].point - points[from].point);
      if (away <= better * furthest) continue;
      furthest = away;
      choice = i;
    }
    kept |= bit(choice);
  }
  return kept;
}

}  // namespace stiction
