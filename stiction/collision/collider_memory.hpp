#pragma once

/// \file
/// What a Collider keeps. Private to stiction/collision.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "stiction/collision/broad_phase.hpp"
#include "stiction/collision/carried_gaps.hpp"
#include "stiction/collision/collider.hpp"
#include "stiction/collision/pair_sieve.hpp"
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
  int carried = -1;  ///< index into Memory::carried
};

/// What decides whether a shape may touch another one.
struct ShapeTraits {
  int group = 0;  ///< 0 if it touches only by contact pairs
  int mask = 0;   ///< the same
  int body = -1;
  bool free = false;     ///< forces move its body
  bool special = false;  ///< is in excludes or contact pairs
  bool round = false;    ///< a sphere, whose box does not turn
  bool carries = false;  ///< is in a pair whose gap is carried along
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
  /// Follows the moving shapes: their spheres, and how far they have come.
  void place_spheres(double margin);
  /// As test(), for a pair whose spheres are near.
  void test_near(const ShapePair& pair, double margin);
  void add_points(const ShapePair& pair);
  [[nodiscard]] PlacedShape placed(int shape) const;

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
  /// Without a broad phase, unless `pairs` are very few: those whose spheres are near.
  bool sieves = false;
  PairSieve sieve;
  std::vector<int> sieved;                 ///< of `moving`, those in any pair
  std::vector<int> item_of;                ///< shape → its number in the sieve
  std::vector<BoundingSphere> spheres;     ///< one per shape, in its axes
  std::vector<double> sieve_margins;       ///< one per shape, the largest of its pairs [m]
  std::vector<Vector3<double>> centers;    ///< of the spheres, world [m]
  std::vector<Placement> last_placements;  ///< at the last call
  std::vector<double> paths;               ///< one per shape, as PlacedShape::path [m]
  std::vector<CarriedGap> carried;         ///< of pairs whose points take long to find

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
  ColliderWork work;
  bool overflowed = false;

 private:
  void describe_shapes();
  void list_exceptions();
  void list_explicit_pairs();
  void list_other_pairs();
  void build_sieve();
  [[nodiscard]] bool may_carry(const ShapePair& pair) const;
  [[nodiscard]] bool is_exception(int a, int b) const;
};

}  // namespace stiction
