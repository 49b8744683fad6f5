#include "stiction/collision/surface_points.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace stiction {
namespace {

/// Doubles are this near to each other, as a share of the shape's size, and have normals that
/// differ by this much.
constexpr double same_place = 1e-7;
constexpr double same_normal = 1e-6;
/// Balls have features below this number, other points above.
constexpr std::uint16_t first_hashed = 0x4000;
constexpr std::uint64_t points_per_ball = 16;

std::uint16_t feature_of(std::uint64_t identity) {
  const std::uint64_t ball = identity >> 32;
  const std::uint64_t rank = identity & 0xFFFFFFFFU;
  if (ball < first_hashed / points_per_ball && rank < points_per_ball) {
    return static_cast<std::uint16_t>(points_per_ball * ball + rank);
  }
  std::uint64_t hash = identity * 0x9E3779B97F4A7C15ULL;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9ULL;
  // Leaves room above for those that have to move on.
  return static_cast<std::uint16_t>(first_hashed + (hash >> 32) % (0xFF00U - first_hashed));
}

}  // namespace

void SurfacePoints::add(SurfaceSource source, int first, int second, const Vector3<double>& point,
                        const Vector3<double>& normal, double gap) {
  const std::uint64_t identity = static_cast<std::uint64_t>(source) << 62 |
                                 static_cast<std::uint64_t>(first) << 32 |
                                 static_cast<std::uint64_t>(second);
  const double near = same_place * scale_;
  for (int i = 0; i < count_; ++i) {
    Candidate& other = at(i);
    const Vector3<double> apart = point - other.point;
    const Vector3<double> turn = normal - other.normal;
    if (dot(apart, apart) > near * near || dot(turn, turn) > same_normal * same_normal) continue;
    if (gap < other.gap) other = {point, normal, gap, other.identity, 0};
    return;
  }
  if (count_ == capacity) reduce(capacity / 2);
  at(count_++) = {point, normal, gap, identity, 0};
}

/// Keeps the deepest point and then, one by one, the one furthest from all that are kept, in place
/// and normal, less what its gap is wider than the narrowest.
void SurfacePoints::reduce(int count) {
  if (count_ <= count) return;
  const auto deeper = [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.gap, a.identity) < std::tuple(b.gap, b.identity);
  };
  std::array<double, capacity> apart;
  apart.fill(std::numeric_limits<double>::infinity());
  std::swap(at(0), *std::min_element(&at(0), &at(0) + count_, deeper));
  const double narrowest = at(0).gap;
  for (int kept = 1; kept < count; ++kept) {
    int best = kept;
    double best_score = -std::numeric_limits<double>::infinity();
    for (int i = kept; i < count_; ++i) {
      const Vector3<double> d = at(i).point - at(kept - 1).point;
      const Vector3<double> turn = at(i).normal - at(kept - 1).normal;
      double& distance = apart[static_cast<std::size_t>(i)];
      distance = std::min(distance, norm(d) + scale_ * norm(turn));
      const double score = distance - (at(i).gap - narrowest);
      if (score > best_score || (score == best_score && at(i).identity < at(best).identity)) {
        best = i;
        best_score = score;
      }
    }
    std::swap(at(kept), at(best));
    std::swap(apart[static_cast<std::size_t>(kept)], apart[static_cast<std::size_t>(best)]);
  }
  count_ = count;
}

void SurfacePoints::number() {
  for (int i = 0; i < count_; ++i) at(i).feature = feature_of(at(i).identity);
  std::sort(&at(0), &at(0) + count_, [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.feature, a.identity) < std::tuple(b.feature, b.identity);
  });
  for (int i = 1; i < count_; ++i) {
    if (at(i).feature > at(i - 1).feature) continue;
    at(i).feature = static_cast<std::uint16_t>(at(i - 1).feature + 1);
  }
}

void SurfacePoints::write(PointBuffer& points) {
  reduce(max_pair_points - points.count());
  number();
  for (int i = 0; i < count_; ++i) {
    const Candidate& from = at(i);
    points.add(multiply_add(surface_.rotation, from.point, surface_.position),
               -(surface_.rotation * from.normal), from.gap, from.feature);
  }
}

}  // namespace stiction
