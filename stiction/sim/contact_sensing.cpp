#include "stiction/sim/contact_sensing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/collision/rays.hpp"

namespace stiction {

namespace {

/// Whether a solid shape holds a point.
bool holds(const ZoneAt& zone, const Vector3<double>& point) {
  const Vector3<double> p =
      transpose_times(zone.placement.rotation, point - zone.placement.position);
  const Vector3<double>& size = zone.geometry.size;
  switch (zone.geometry.kind) {
    case ShapeKind::sphere:
      return norm(p) <= size.x;
    case ShapeKind::capsule: {
      const double beyond = p.z - std::clamp(p.z, -size.y, size.y);
      return std::hypot(p.x, p.y, beyond) <= size.x;
    }
    case ShapeKind::cylinder:
      return std::hypot(p.x, p.y) <= size.x && std::abs(p.z) <= size.y;
    case ShapeKind::ellipsoid:
      return std::hypot(p.x / size.x, p.y / size.y, p.z / size.z) <= 1.0;
    case ShapeKind::box:
      return std::abs(p.x) <= size.x && std::abs(p.y) <= size.y && std::abs(p.z) <= size.z;
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::mesh:
      return false;
  }
  return false;
}

/// How a contact stands to a query.
enum class Match { no, forward, backward };

Match match(const ContactQuery& query, const ZoneAt* zone, const StepContact& contact) {
  if (!(contact.impulse.z > 0.0) && contact.gap > 0.0) return Match::no;
  if (zone != nullptr && !holds(*zone, contact.point)) return Match::no;
  const auto is_a = [&query](int shape) {
    return query.any_a || std::ranges::binary_search(query.shapes_a, shape);
  };
  const auto is_b = [&query](int shape) {
    return query.any_b || std::ranges::binary_search(query.shapes_b, shape);
  };
  if (is_a(contact.shape_a) && is_b(contact.shape_b)) return Match::forward;
  if (is_a(contact.shape_b) && is_b(contact.shape_a)) return Match::backward;
  return Match::no;
}

/// What a slot tells.
struct Told {
  double found = 0.0;
  Vector3<double> force;
  Vector3<double> torque;
  double distance = 0.0;
  Vector3<double> position;
  Vector3<double> normal;
  Vector3<double> tangent;
};

Told tell(const StepContact& contact, bool backward, double per_step) {
  // Seen from the other side, normal and first tangent turn round; forces then act on body a.
  const double sign = backward ? -1.0 : 1.0;
  const Vector3<double>& impulse = contact.impulse;
  Told told;
  told.force = per_step * Vector3<double>{impulse.z, impulse.x, sign * impulse.y};
  told.distance = contact.gap;
  told.position = contact.point;
  told.normal = sign * contact.axes.c2;
  told.tangent = sign * contact.axes.c0;
  return told;
}

/// All contacts as one, at the centre of their pressure, in world axes.
Told tell_net(const StepReport& report, const ContactQuery& query, const ZoneAt* zone,
              double per_step) {
  Told told;
  told.normal = {1.0, 0.0, 0.0};
  told.tangent = {0.0, 1.0, 0.0};
  told.distance = std::numeric_limits<double>::infinity();
  double weight = 0.0;
  Vector3<double> moment;  // about the world's origin
  for (const StepContact& contact : report.contacts) {
    const Match side = match(query, zone, contact);
    if (side == Match::no) continue;
    const double factor = side == Match::backward ? -per_step : per_step;
    const Vector3<double> force = factor * (contact.axes * contact.impulse);
    told.force += force;
    moment += cross(contact.point, force);
    told.position += contact.impulse.z * contact.point;
    weight += contact.impulse.z;
    told.distance = std::min(told.distance, contact.gap);
  }
  if (!std::isfinite(told.distance)) told.distance = 0.0;
  told.position = (weight > 0.0 ? 1.0 / weight : 0.0) * told.position;
  told.torque = moment - cross(told.position, told.force);
  return told;
}

class Slots {
 public:
  explicit Slots(std::span<double> values) : next_(values.data()) {}

  void write(const ContactQuery& query, const Told& told) {
    if (query.found) *next_++ = told.found;
    if (query.force) put(told.force);
    if (query.torque) put(told.torque);
    if (query.distance) *next_++ = told.distance;
    if (query.position) put(told.position);
    if (query.normal) put(told.normal);
    if (query.tangent) put(told.tangent);
  }

 private:
  void put(const Vector3<double>& v) {
    *next_++ = v.x;
    *next_++ = v.y;
    *next_++ = v.z;
  }
  double* next_;
};

/// What contacts are put in order by; the least comes first.
double rank(const ContactQuery& query, const StepContact& contact, std::size_t position) {
  switch (query.order) {
    case ContactQuery::Order::least_gap:
      return contact.gap;
    case ContactQuery::Order::largest_force:
      return -norm(contact.impulse);
    case ContactQuery::Order::as_found:
    case ContactQuery::Order::net_force:
      break;
  }
  return static_cast<double>(position);
}

}  // namespace

double touch_impulse(const StepReport& report, int body, const ZoneAt* zone) {
  double sum = 0.0;
  for (const StepContact& contact : report.contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    if (zone != nullptr && contact.impulse.z > 0.0) {
      const Vector3<double>& normal = contact.axes.c2;
      const Vector3<double> outwards = contact.body_a == body ? normal : -normal;
      if (!cast_ray_on_shape(zone->geometry, zone->placement, contact.point, outwards,
                             std::numeric_limits<double>::infinity())) {
        continue;
      }
    }
    sum += contact.impulse.z;
  }
  return sum;
}

void tell_contacts(const StepReport& report, double time_step, const ContactQuery& query,
                   const ZoneAt* zone, std::span<double> values) {
  std::ranges::fill(values, 0.0);
  const double per_step = time_step > 0.0 ? 1.0 / time_step : 0.0;
  int count = 0;
  for (const StepContact& contact : report.contacts) {
    if (match(query, zone, contact) != Match::no) ++count;
  }
  if (count == 0) return;
  Slots slots(values);
  if (query.order == ContactQuery::Order::net_force) {
    Told told = tell_net(report, query, zone, per_step);
    told.found = count;
    slots.write(query, told);
    return;
  }
  // Each slot takes the next one in the order; there are few slots, and nothing is stored.
  std::pair<double, std::size_t> last{-std::numeric_limits<double>::infinity(), 0};
  for (int slot = 0; slot < std::min(query.slots, count); ++slot) {
    std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i < report.contacts.size(); ++i) {
      if (match(query, zone, report.contacts[i]) == Match::no) continue;
      const std::pair<double, std::size_t> key{rank(query, report.contacts[i], i), i};
      if (key > last && key < best) best = key;
    }
    const StepContact& contact = report.contacts[best.second];
    Told told = tell(contact, match(query, zone, contact) == Match::backward, per_step);
    told.found = count;
    slots.write(query, told);
    last = best;
  }
}

}  // namespace stiction
