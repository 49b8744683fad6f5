#pragma once

/// \file
/// What a Collider keeps. Private to stiction/collision.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "stiction/collision/broad_phase.hpp"
#include "stiction/collision/collider.hpp"
#include "stiction/collision/shape_geometry.hpp"

namespace stiction {

/// Two shapes that may touch, with all that is known about them beforehand.
struct ShapePair {
  enum class Bounds : std::uint8_t { spheres, plane_a, plane_b };
  int a = 0;
  int b = 0;
  NarrowFunction function = nullptr;
  double margin = 0.0;  ///< of the shapes or of their contact pair [m]
  double radius = 0.0;  ///< of both bounding spheres added, or that of the one beside a plane [m]
  Bounds bounds = Bounds::spheres;
};

/// What decides whether a shape may touch another one.
struct ShapeTraits {
  int group = 0;  ///< 0 if it touches only by contact pairs
  int mask = 0;   ///< the same
  int body = -1;
  bool free = false;     ///< forces move its body
  bool special = false;  ///< is in excludes or contact pairs
  bool round = false;    ///< a sphere, whose box does not turn
  double margin = 0.0;   ///< [m]
  LocalBounds bounds;
};

struct Collider::Memory {
  explicit Memory(const Model& of);

  /// Whether two shapes may touch, but for contact pairs: those stand in `pairs` anyway.
  [[nodiscard]] bool may_touch(int a, int b) const;
  [[nodiscard]] ShapePair make_pair(int a, int b, double margin) const;
  /// All boxed shapes that may touch and are near each other, into `candidates`.
  void gather_candidates(double margin);
  /// Tests all of `pairs` and `candidates`, ascending.
  void test_in_order(double margin);
  void test(const ShapePair& pair, double margin);

  Model model;
  std::vector<ShapeGeometry> geometries;  ///< one per shape
  std::vector<Placement> placements;      ///< one per shape
  std::vector<double> reaches;            ///< one per shape [m]
  std::vector<int> moving;                ///< shapes whose placement the caller writes
  std::vector<ShapeTraits> traits;        ///< one per shape
  /// Excluded and explicit pairs: shape a's partners are those from partner_starts[a] on,
  /// ascending.
  std::vector<int> partner_starts;
  std::vector<int> partners;

  /// Pairs that are tested in each call, ordered by (a, b): contact pairs, those with a surface,
  /// and all others if they are few.
  std::vector<ShapePair> pairs;
  /// Else the shapes that go through the broad phase; empty if there is none.
  std::vector<int> boxed;
  BroadPhase broad_phase;
  std::vector<BroadBox> boxes;        ///< one per boxed shape
  std::vector<BroadPair> near_pairs;  ///< that may touch, in the order of the broad phase
  std::vector<int> starts;            ///< of each shape's candidates, one more than shapes
  std::vector<int> candidates;        ///< partners b of each shape a, ascending

  PointBuffer buffer;
  std::vector<CollisionPoint> points;  ///< the first `point_count` are the result
  std::size_t point_count = 0;

 private:
  void describe_shapes();
  void list_exceptions();
  void list_explicit_pairs();
  void list_other_pairs();
  [[nodiscard]] bool is_exception(int a, int b) const;
};

}  // namespace stiction
