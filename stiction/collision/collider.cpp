#include "stiction/collision/collider.hpp"

#include <algorithm>

#include "stiction/collision/collider_memory.hpp"
#include "stiction/collision/shape_geometry.hpp"

namespace stiction {

namespace {

const Shape& shape_of(const Model& model, int shape) {
  return model.shapes()[static_cast<std::size_t>(shape)];
}

/// The distance at which a pair is looked for beyond what its bodies can travel [m].
double pair_margin(const Model& model, int a, int b) {
  double margin = shape_of(model, a).margin + shape_of(model, b).margin;
  for (const ContactPair& pair : model.contact_pairs()) {
    if (std::minmax(pair.shape_a, pair.shape_b) == std::minmax(a, b)) {
      margin = std::max(margin, pair.margin);
    }
  }
  return margin;
}

/// Whether the bounds of two shapes are further apart than `margin`.
bool far_apart(const ShapeGeometry& a, const Placement& at_a, const ShapeGeometry& b,
               const Placement& at_b, double margin) {
  const Vector3<double> between = at_b.position - at_a.position;
  if (a.kind == ShapeKind::plane) return dot(at_a.rotation.c2, between) - b.radius > margin;
  if (b.kind == ShapeKind::plane) return -dot(at_b.rotation.c2, between) - a.radius > margin;
  const double limit = a.radius + b.radius + margin;
  return dot(between, between) > limit * limit;
}

}  // namespace

Collider::Collider(const Model& model) : memory_(std::make_unique<Memory>(model)) {
  Memory& memory = *memory_;
  const int count = static_cast<int>(model.shapes().size());
  memory.reaches.assign(static_cast<std::size_t>(count), 0.0);
  for (int shape = 0; shape < count; ++shape) {
    memory.geometries.push_back(make_shape_geometry(model, shape));
    memory.placements.push_back(placement_in_body(shape_of(model, shape)));
  }
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (!moves_freely(model, a) && !moves_freely(model, b)) continue;
      if (shape_of(model, a).body == shape_of(model, b).body) continue;
      if (!model.may_collide(a, b)) continue;
      const NarrowFunction function =
          narrow_function(memory.geometries[static_cast<std::size_t>(a)],
                          memory.geometries[static_cast<std::size_t>(b)]);
      if (function == nullptr) continue;
      memory.pairs.push_back({a, b, function, pair_margin(model, a, b)});
    }
  }
  for (int shape = 0; shape < count; ++shape) {
    if (shape_of(model, shape).body != world_body && shape_of(model, shape).collides) {
      memory.moving.push_back(shape);
    }
  }
}

Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

std::span<const int> Collider::moving_shapes() const { return memory_->moving; }
std::span<Placement> Collider::placements() { return memory_->placements; }
std::span<double> Collider::reaches() { return memory_->reaches; }

const ShapeGeometry& Collider::geometry(int shape) const {
  return memory_->geometries[static_cast<std::size_t>(shape)];
}

std::span<const CollisionPoint> Collider::find(double margin) {
  Memory& memory = *memory_;
  memory.point_count = 0;
  for (const ShapePair& pair : memory.pairs) {
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    const double limit = margin + pair.margin + memory.reaches[a] + memory.reaches[b];
    if (far_apart(memory.geometries[a], memory.placements[a], memory.geometries[b],
                  memory.placements[b], limit)) {
      continue;
    }
    memory.buffer.clear();
    pair.function(memory.geometries[a], memory.placements[a], memory.geometries[b],
                  memory.placements[b], limit, memory.buffer);
    const auto found = static_cast<std::size_t>(memory.buffer.count());
    if (memory.points.size() < memory.point_count + found) {
      memory.points.resize(2 * (memory.point_count + found));
    }
    for (int i = 0; i < memory.buffer.count(); ++i) {
      const PointBuffer::Point& point = memory.buffer[i];
      memory.points[memory.point_count++] = {pair.a,    pair.b,      point.feature,
                                             point.gap, point.point, point.normal};
    }
  }
  return std::span(memory.points).first(memory.point_count);
}

}  // namespace stiction
