#include "stiction/touch/find_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/touch/cylinder_lines.hpp"
#include "stiction/touch/face_corners.hpp"
#include "stiction/touch/free_flight.hpp"
#include "stiction/touch/openable.hpp"

namespace stiction {

namespace {

/// Two unit vectors across a unit normal; the normal comes last.
Matrix3<double> contact_axes(const Vector3<double>& n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  const double b = n.x * n.y * a;
  return {{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
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

void place_shapes(const SceneLayout& layout, const DynamicsData<double>& dynamics, double h,
                  Collider& collider) {
  const std::span<Placement> placements = collider.placements();
  const std::span<const ShapeGeometry> geometries = collider.geometries();
  const std::span<double> reaches = collider.reaches();
  for (const int i : collider.moving_shapes()) {
    const ShapeOffset& offset = layout.shapes[index(i)];
    const BodyData<double>& body = dynamics.bodies[index(offset.body)];
    Placement& placement = placements[index(i)];
    place_shape(offset, body, placement);
    reaches[index(i)] = reach_of(geometries[index(i)], body, placement.position, h);
  }
}

std::uint64_t contact_key(const CollisionPoint& point) {
  return (static_cast<std::uint64_t>(point.shape_a) << 40) |
         (static_cast<std::uint64_t>(point.shape_b) << 16) | point.feature;
}

bool counts(const ContactSearch& search, const CollisionPoint& point) {
  return !search.touching_only || point.gap <= 0.0;
}

/// Goes through the points and tells which of each pair of shapes to keep.
class PairChoice {
 public:
  PairChoice(const ContactSearch& search, std::span<const CollisionPoint> points)
      : search_(search), rest_(points) {}

  bool keeps_next() {
    if (!search_.four_face_points) return true;
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
        std::ranges::all_of(pair, [&](const CollisionPoint& p) { return counts(search_, p); });
    kept_ = all_count ? spanning_corners(pair) : ~std::uint32_t{0};
  }

  static_assert(max_pair_points <= 32, "one bit of `kept_` for each");
  const ContactSearch& search_;
  std::span<const CollisionPoint> rest_;  ///< of the pairs to come
  std::size_t left_ = 0;                  ///< points of this pair
  std::uint32_t kept_ = 0;
};

/// Where the contact acts: on the plane, if one of both is a plane, else midway between both.
/// Points of different heights could not all stick while a foot with uneven gaps comes down on the
/// plane: it turns by what it still has to fall, and they would slip against each other by that.
Vector3<double> place_of(const PlacedShapes& shapes, const CollisionPoint& point) {
  const auto is_plane = [&](int shape) {
    return shapes.geometries[index(shape)].kind == ShapeKind::plane;
  };
  if (is_plane(point.shape_a)) return multiply_subtract(0.5 * point.gap, point.normal, point.point);
  if (is_plane(point.shape_b)) return multiply_add(0.5 * point.gap, point.normal, point.point);
  return point.point;
}

/// Whether the bodies of both shapes may be so connected by joints that nothing opens a contact.
/// Where both can move apart as a whole, or one of them can float away, something does.
bool may_be_stuck(const ShapeOffset& a, const ShapeOffset& b) {
  if (a.tree == b.tree) return true;
  return a.tree < 0 ? !b.floats : b.tree < 0 && !a.floats;
}

/// Writes a contact at the place `count` if the point counts and something can move; returns how
/// many were written.
[[gnu::always_inline]] inline std::size_t add_contact(
    const SceneSnapshot& scene, const ContactSearch& search, const PlacedShapes& shapes,
    const CollisionPoint& point, std::size_t count, std::vector<Candidate>& contacts) {
  if (!counts(search, point)) return 0;
  const SceneLayout& layout = scene.layout;
  const ShapeOffset& a = layout.shapes[index(point.shape_a)];
  const ShapeOffset& b = layout.shapes[index(point.shape_b)];
  if (a.tree < 0 && b.tree < 0) return 0;
  if (count == contacts.size()) contacts.emplace_back();
  Candidate& contact = contacts[count];
  contact.shape_a = point.shape_a;
  contact.shape_b = point.shape_b;
  contact.feature = point.feature;
  contact.tree_a = a.tree;
  contact.tree_b = b.tree;
  contact.key = contact_key(point);
  contact.gap = point.gap;
  contact.material = layout.pairs_have_friction
                         ? scene.model.contact_material(point.shape_a, point.shape_b)
                         : scene.model.material_between(a.material, b.material);
  contact.contact = {a.body, b.body, place_of(shapes, point), contact_axes(point.normal)};
  return may_be_stuck(a, b) && !can_open(scene, contact.contact) ? 0 : 1;
}

}  // namespace

void find_contacts(const SceneSnapshot& scene, const ContactSearch& search, Collider& collider,
                   std::vector<Candidate>& contacts) {
  place_shapes(scene.layout, scene.dynamics, search.time_step, collider);
  shorten_reaches_in_flight(scene, search.time_step, search.margin, collider);
  const std::span<const CollisionPoint> points = collider.find(search.margin);
  const PlacedShapes shapes{collider.geometries(), collider.placements()};
  // Contacts of the step before are written over: clearing them costs as much as filling them.
  std::size_t count = 0;
  PairChoice choice(search, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (choice.keeps_next())
      count += add_contact(scene, search, shapes, points[i], count, contacts);
    if (i == 0 || !are_of_one_pair(points[i - 1], points[i])) continue;
    if (!ends_cylinder_line(shapes, points, i)) continue;
    count +=
        add_contact(scene, search, shapes, middle_of(points[i - 1], points[i]), count, contacts);
  }
  contacts.resize(count);
}

}  // namespace stiction
