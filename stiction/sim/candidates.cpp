// Contacts of a step: from collision points to contact frames, velocities and targets.

#include <algorithm>
#include <cmath>

#include "stiction/sim/assembly.hpp"
#include "stiction/sim/face_corners.hpp"

namespace stiction {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Two unit vectors across a unit normal; the normal comes last.
Matrix3<double> contact_axes(const Vector3<double>& n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  const double b = n.x * n.y * a;
  return {{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

/// Velocities of a body's point: at the start of the step, and after free motion.
struct PointVelocities {
  Vector3<double> before;
  Vector3<double> free;
};

void add_point_velocities(const BodyData<double>& body, const Vector3<double>& point, double h,
                          double sign, PointVelocities& sum) {
  const Vector3<double> arm = point - body.position;
  const Vector3<double> before = cross_add(body.velocity.angular, arm, body.velocity.linear);
  const Vector3<double> change =
      cross_add(body.acceleration.angular, arm, body.acceleration.linear);
  sum.before = multiply_add(sign, before, sum.before);
  sum.free = multiply_add(sign, multiply_add(h, change, before), sum.free);
}

/// How far any point of a shape may travel within the step, by velocities before and after free
/// motion.
double reach_of(const ShapeGeometry& shape, const BodyData<double>& body,
                const Vector3<double>& centre, double h) {
  const Vector3<double> arm = centre - body.position;
  const Motion<double>& v = body.velocity;
  const Vector3<double> w_free = multiply_add(h, body.acceleration.angular, v.angular);
  const Vector3<double> v_free = multiply_add(h, body.acceleration.linear, v.linear);
  const Vector3<double> before = cross_add(v.angular, arm, v.linear);
  const Vector3<double> after = cross_add(w_free, arm, v_free);
  double speed = std::sqrt(std::max(dot(before, before), dot(after, after)));
  if (shape.kind != ShapeKind::sphere) {
    speed += shape.radius * std::sqrt(std::max(dot(v.angular, v.angular), dot(w_free, w_free)));
  }
  return h * speed;
}

void place_shapes(Workspace::Memory& memory) {
  const std::span<Placement> placements = memory.collider.placements();
  const std::span<double> reaches = memory.collider.reaches();
  for (const int i : memory.collider.moving_shapes()) {
    const Workspace::Memory::ShapeOffset& offset = memory.shape_offsets[index(i)];
    const BodyData<double>& body = memory.data.bodies[index(offset.body)];
    Placement& placement = placements[index(i)];
    if (!offset.round) {
      placement.rotation = offset.turned ? body.rotation * offset.rotation : body.rotation;
    }
    placement.position = offset.shifted
                             ? multiply_add(body.rotation, offset.position, body.position)
                             : body.position;
    reaches[index(i)] = reach_of(memory.collider.geometry(i), body, placement.position, memory.h);
  }
}

std::uint64_t contact_key(const CollisionPoint& point) {
  return (static_cast<std::uint64_t>(point.shape_a) << 40) |
         (static_cast<std::uint64_t>(point.shape_b) << 16) | point.feature;
}

/// Velocity of a conveyor's surface at its shape, world axes.
Vector3<double> surface_velocity(const Workspace::Memory& memory, int shape,
                                 const Placement& placement) {
  return placement.rotation * memory.shape_offsets[index(shape)].surface_velocity;
}

/// Whether a point is a contact at all; false only by the rule of velocities.
bool counts(const StepOptions& options, const CollisionPoint& point) {
  return options.gap_rule != GapRule::velocity || point.gap <= 0.0;
}

/// Goes through the points, and tells which of each pair of shapes to keep.
class PairChoice {
 public:
  PairChoice(const StepOptions& options, std::span<const CollisionPoint> points)
      : options_(options), rest_(points) {}

  bool keeps_next() {
    if (!options_.four_face_points) return true;
    if (left_ == 0) begin_pair();
    const bool keeps = (kept_ & 1U) != 0;
    kept_ >>= 1U;
    --left_;
    return keeps;
  }

 private:
  void begin_pair() {
    const CollisionPoint& first = rest_.front();
    while (left_ < rest_.size() && rest_[left_].shape_a == first.shape_a &&
           rest_[left_].shape_b == first.shape_b) {
      ++left_;
    }
    const std::span<const CollisionPoint> pair = rest_.first(left_);
    rest_ = rest_.subspan(left_);
    // Points that do not count must not take the place of those that do.
    const bool all_count =
        std::ranges::all_of(pair, [&](const CollisionPoint& p) { return counts(options_, p); });
    kept_ = all_count ? spanning_corners(pair) : ~std::uint32_t{0};
  }

  static_assert(max_pair_points <= 32, "one bit of `kept_` for each");
  const StepOptions& options_;
  std::span<const CollisionPoint> rest_;  ///< of the pairs to come
  std::size_t left_ = 0;                  ///< points of this pair
  std::uint32_t kept_ = 0;
};

}  // namespace

void find_candidates(const StepOptions& options, Workspace::Memory& memory) {
  place_shapes(memory);
  const std::span<const CollisionPoint> points = memory.collider.find(options.margin);
  // Those of the step before are written over: clearing them first costs as much as filling them.
  std::size_t count = 0;
  PairChoice choice(options, points);
  for (const CollisionPoint& point : points) {
    if (!choice.keeps_next()) continue;
    if (!counts(options, point)) continue;
    const Workspace::Memory::ShapeOffset& a = memory.shape_offsets[index(point.shape_a)];
    const Workspace::Memory::ShapeOffset& b = memory.shape_offsets[index(point.shape_b)];
    if (a.tree < 0 && b.tree < 0) continue;
    if (count == memory.candidates.size()) memory.candidates.emplace_back();
    Candidate& candidate = memory.candidates[count++];
    candidate.shape_a = point.shape_a;
    candidate.shape_b = point.shape_b;
    candidate.feature = point.feature;
    candidate.tree_a = a.tree;
    candidate.tree_b = b.tree;
    candidate.key = contact_key(point);
    candidate.gap = point.gap;
    candidate.contact = {a.body, b.body, point.point, contact_axes(point.normal)};
  }
  memory.candidates.resize(count);
}

namespace {

void set_velocities(Workspace::Memory& memory, Candidate& candidate) {
  const ContactPoint<double>& contact = candidate.contact;
  PointVelocities sum;
  if (contact.body_b >= 0) {
    add_point_velocities(memory.data.bodies[index(contact.body_b)], contact.point, memory.h, 1.0,
                         sum);
  }
  if (contact.body_a >= 0) {
    add_point_velocities(memory.data.bodies[index(contact.body_a)], contact.point, memory.h, -1.0,
                         sum);
  }
  if (memory.has_conveyors) {
    const std::span<Placement> at = memory.collider.placements();
    const Vector3<double> belt =
        surface_velocity(memory, candidate.shape_b, at[index(candidate.shape_b)]) -
        surface_velocity(memory, candidate.shape_a, at[index(candidate.shape_a)]);
    const Vector3<double> along =
        multiply_subtract(dot(belt, contact.axes.c2), contact.axes.c2, belt);
    sum.before += along;
    sum.free += along;
  }
  candidate.before = transpose_times(contact.axes, sum.before);
  candidate.free = transpose_times(contact.axes, sum.free);
}

/// What a contact would like to do about restitution, whatever the rest of its island does.
void set_bounce(const StepOptions& options, const Workspace::Memory& memory, double threshold,
                Candidate& candidate) {
  const ContactMaterial material = memory.material(candidate.shape_a, candidate.shape_b);
  candidate.friction = material.friction;
  candidate.restitution = 0.0;
  if (material.restitution == 0.0) return;
  const bool closes = options.gap_rule == GapRule::velocity
                          ? candidate.free.z < 0.0
                          : candidate.gap + memory.h * candidate.free.z < 0.0;
  const double least = std::max(threshold, material.restitution_threshold);
  if (closes && candidate.before.z < -least) candidate.restitution = material.restitution;
}

/// Whether every closing contact of the island bounces and nothing else acts in it.
bool has_events_only(const StepOptions& options, const Workspace::Memory& memory,
                     const Island& island) {
  if (options.gap_rule != GapRule::position ||
      (options.integrator != Integrator::trapezoid && options.integrator != Integrator::rk4)) {
    return false;
  }
  bool any = false;
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    if (!memory.is_contact(block)) return false;
    const Candidate& candidate = memory.candidates[index(block)];
    if (candidate.restitution > 0.0) {
      any = true;
    } else if (candidate.free.z < candidate.target) {
      return false;
    }
  }
  return any;
}

}  // namespace

double gap_rule_target(const StepOptions& options, double gap, double h) {
  if (options.gap_rule == GapRule::velocity) return 0.0;
  if (gap >= 0.0) return -gap / h;
  if (options.push_out_sweeps > 0) return 0.0;
  return std::min(-options.push_out_share * gap / h, options.push_out_speed);
}

void set_contact_targets(const StepOptions& options, Workspace::Memory& memory) {
  const double gravity = memory.model.gravity().norm();
  const double threshold = options.restitution_threshold * gravity * memory.h;
  for (Candidate& candidate : memory.candidates) {
    set_velocities(memory, candidate);
    set_bounce(options, memory, threshold, candidate);
    candidate.target = gap_rule_target(options, candidate.gap, memory.h);
  }
  if (!memory.has_bouncers) return;
  for (int i = 0; i < memory.island_count; ++i) {
    Island& island = memory.islands[index(i)];
    island.events = has_events_only(options, memory, island);
    if (island.events) continue;  // their targets come with the impacts
    for (int k = 0; k < island.block_count; ++k) {
      const int block = memory.island_blocks[index(island.block_first + k)];
      if (!memory.is_contact(block)) continue;
      Candidate& candidate = memory.candidates[index(block)];
      if (candidate.restitution > 0.0) {
        candidate.target = std::max(candidate.target, -candidate.restitution * candidate.before.z);
      }
    }
  }
}

}  // namespace stiction
