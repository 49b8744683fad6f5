#include "stiction/collision/collider.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/collision/collider_memory.hpp"

namespace stiction {

namespace {

/// Whether the bounds of two shapes are further apart than `margin`.
[[gnu::always_inline]] inline bool far_apart(const ShapePair& pair, const Placement& at_a,
                                             const Placement& at_b, double margin) {
  const Vector3<double> between = at_b.position - at_a.position;
  const double limit = pair.radius + margin;
  if (pair.bounds == ShapePair::Bounds::plane_a) return dot(at_a.rotation.c2, between) > limit;
  if (pair.bounds == ShapePair::Bounds::plane_b) return -dot(at_b.rotation.c2, between) > limit;
  return dot(between, between) > limit * limit;
}

/// The box along the world axes about a shape, widened.
BroadBox box_of(int index, const ShapeTraits& traits, const Placement& placement, double widening) {
  const Vector3<double>& half = traits.bounds.half;
  if (traits.round) {
    const double reach = half.x + widening;
    return make_broad_box(index, placement.position, {reach, reach, reach});
  }
  const Matrix3<double>& R = placement.rotation;
  const auto extent = [&](double x, double y, double z) {
    return std::abs(x) * half.x + std::abs(y) * half.y + std::abs(z) * half.z + widening;
  };
  return make_broad_box(index, multiply_add(R, traits.bounds.center, placement.position),
                        {extent(R.c0.x, R.c1.x, R.c2.x), extent(R.c0.y, R.c1.y, R.c2.y),
                         extent(R.c0.z, R.c1.z, R.c2.z)});
}

/// Few points, mostly in order already.
void sort_by_feature(PointBuffer& points) {
  for (int i = 1; i < points.count(); ++i) {
    for (int k = i; k > 0 && points[k].feature < points[k - 1].feature; --k) {
      std::swap(points[k], points[k - 1]);
    }
  }
}

}  // namespace

Collider::Collider(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

std::span<const int> Collider::moving_shapes() const { return memory_->moving; }
std::span<Placement> Collider::placements() { return memory_->placements; }
std::span<double> Collider::reaches() { return memory_->reaches; }

std::span<const ShapeGeometry> Collider::geometries() const { return memory_->geometries; }

bool Collider::overflowed() const { return memory_->overflowed; }
ColliderWork Collider::work() const { return memory_->work; }

std::span<const CollisionPoint> Collider::find(double margin) {
  Memory& memory = *memory_;
  memory.point_count = 0;
  memory.work = {};
  memory.overflowed = false;
  if (memory.boxed.empty() && !memory.sieves) {
    for (const ShapePair& pair : memory.pairs) memory.test(pair, margin);
  } else if (memory.sieves) {
    memory.place_spheres(margin);
    memory.sieve.visit_near([&memory, margin](int k) {
      memory.test_near(memory.pairs[static_cast<std::size_t>(k)], margin);
    });
    memory.work.pairs = memory.pairs.size();
  } else {
    memory.gather_candidates(margin);
    if (!memory.overflowed) memory.test_in_order(margin);
  }
  if (memory.overflowed) memory.point_count = 0;
  return std::span(memory.points).first(memory.point_count);
}

void Collider::Memory::test(const ShapePair& pair, double margin) {
  const auto a = static_cast<std::size_t>(pair.a);
  const auto b = static_cast<std::size_t>(pair.b);
  const double limit = margin + pair.margin + reaches[a] + reaches[b];
  ++work.pairs;
  if (far_apart(pair, placements[a], placements[b], limit)) return;
  ++work.tested;
  buffer.clear();
  pair.function(geometries[a], placements[a], geometries[b], placements[b], limit, buffer);
  add_points(pair);
}

void Collider::Memory::place_spheres(double margin) {
  for (const int shape : sieved) {
    const auto i = static_cast<std::size_t>(shape);
    const Placement& placement = placements[i];
    if (geometries[i].kind == ShapeKind::plane) {
      // Ahead by its reach; where that is endless, it is near to everything.
      sieve.set_plane(item_of[i], placement.rotation.c2,
                      multiply_add(reaches[i], placement.rotation.c2, placement.position));
      continue;
    }
    const Vector3<double> center =
        multiply_add(placement.rotation, spheres[i].center, placement.position);
    // One shape of each pair moves: that one has the whole margin.
    sieve.set_sphere(item_of[i], center,
                     spheres[i].radius + reaches[i] + sieve_margins[i] + margin);
    if (traits[i].carries) {
      paths[i] +=
          path_between(last_placements[i], centers[i], placement, center, spheres[i].radius);
      // Sums of such length no longer notice a step, and what is no number stays none.
      if (!(paths[i] < 1e6)) {
        paths[i] = 0.0;
        for (CarriedGap& gap : carried) gap.forget();
      }
      last_placements[i] = placement;
    }
    centers[i] = center;
  }
}

PlacedShape Collider::Memory::placed(int shape) const {
  const auto i = static_cast<std::size_t>(shape);
  return {placements[i], centers[i], spheres[i].radius, paths[i]};
}

void Collider::Memory::test_near(const ShapePair& pair, double margin) {
  const auto a = static_cast<std::size_t>(pair.a);
  const auto b = static_cast<std::size_t>(pair.b);
  const double limit = margin + pair.margin + reaches[a] + reaches[b];
  CarriedGap* const known =
      pair.carried >= 0 ? &carried[static_cast<std::size_t>(pair.carried)] : nullptr;
  if (known != nullptr && (known->exceeds(limit, paths[a], paths[b]) ||
                           known->still_exceeds(limit, placed(pair.a), placed(pair.b)))) {
    return;
  }
  ++work.tested;
  buffer.clear();
  pair.function(geometries[a], placements[a], geometries[b], placements[b], limit, buffer);
  if (known != nullptr && buffer.count() == 0) {
    known->remember(buffer.apart(), placed(pair.a), placed(pair.b));
  }
  add_points(pair);
}

void Collider::Memory::add_points(const ShapePair& pair) {
  if (buffer.count() == 0 || overflowed) return;
  sort_by_feature(buffer);
  const auto found = static_cast<std::size_t>(buffer.count());
  overflowed = point_count + found > max_collision_points;
  if (overflowed) return;
  if (points.size() < point_count + found) points.resize(2 * (point_count + found));
  for (int i = 0; i < buffer.count(); ++i) {
    const PointBuffer::Point& point = buffer[i];
    points[point_count++] = {pair.a, pair.b, point.feature, point.gap, point.point, point.normal};
  }
}

void Collider::Memory::gather_candidates(double margin) {
  for (std::size_t i = 0; i < boxed.size(); ++i) {
    const auto shape = static_cast<std::size_t>(boxed[i]);
    const double widening = reaches[shape] + traits[shape].margin + 0.5 * margin;
    boxes[i] = box_of(boxed[i], traits[shape], placements[shape], widening);
  }
  const std::span<const BroadPair> near = broad_phase.find(boxes, max_near_pairs);
  overflowed = broad_phase.overflowed();
  if (overflowed) return;
  if (near_pairs.size() < near.size()) {
    near_pairs.resize(2 * near.size());
    candidates.resize(2 * near.size());
  }
  // Sorted by a by counting, then by b within each.
  starts.assign(traits.size() + 1, 0);
  std::size_t count = 0;
  for (const BroadPair& pair : near) {
    if (!may_touch(pair.a, pair.b)) continue;
    near_pairs[count++] = pair;
    ++starts[static_cast<std::size_t>(pair.a)];
  }
  int place = 0;
  for (int& start : starts) place = start += place;
  for (std::size_t i = count; i > 0; --i) {
    const BroadPair& pair = near_pairs[i - 1];
    candidates[static_cast<std::size_t>(--starts[static_cast<std::size_t>(pair.a)])] = pair.b;
  }
  for (std::size_t a = 0; a < traits.size(); ++a) {
    std::sort(candidates.begin() + starts[a], candidates.begin() + starts[a + 1]);
  }
}

void Collider::Memory::test_in_order(double margin) {
  auto next = pairs.begin();
  const auto listed_before = [&](int a, int b) {
    return next != pairs.end() && std::pair(next->a, next->b) < std::pair(a, b);
  };
  for (const int a : boxed) {
    const auto at = static_cast<std::size_t>(a);
    for (int i = starts[at]; i < starts[at + 1]; ++i) {
      const int b = candidates[static_cast<std::size_t>(i)];
      while (listed_before(a, b)) test(*next++, margin);
      const ShapePair pair =
          make_pair(a, b, traits[at].margin + traits[static_cast<std::size_t>(b)].margin);
      if (pair.function != nullptr) test(pair, margin);
    }
  }
  while (next != pairs.end()) test(*next++, margin);
}

}  // namespace stiction
