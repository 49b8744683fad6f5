#include "stiction/compliant/springs.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Keys of anchors lie between those of joint friction and of locks (touch/find_constraints.cpp).
/// A contact has the keys of its anchors on body a and on body b, and one of its delay.
constexpr std::uint64_t first_anchor_key = std::uint64_t{5} << 61;
constexpr std::uint64_t after_anchor_keys = std::uint64_t{6} << 61;

/// Delays decay with this time constant [s], and are forgotten below the other [m].
constexpr double delay_time = 0.1;
constexpr double least_delay = 1e-9;

std::uint64_t anchor_key(const Candidate& contact) {
  const auto shape = [](int i) { return static_cast<std::uint64_t>(i); };
  const std::uint64_t place =
      (shape(contact.shape_a) << 38) | (shape(contact.shape_b) << 16) | contact.feature;
  return first_anchor_key | (place << 2);
}

Vector3<double> to_vector(const std::array<double, 3>& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

Vector3<double> to_world(const SceneSnapshot& scene, int body, const Vector3<double>& point) {
  if (body < 0) return point;
  const BodyData<double>& entry = scene.dynamics.bodies[index(body)];
  return multiply_add(entry.rotation, point, entry.position);
}

std::array<double, 3> to_body(const SceneSnapshot& scene, int body, const Vector3<double>& point) {
  Vector3<double> local = point;
  if (body >= 0) {
    const BodyData<double>& entry = scene.dynamics.bodies[index(body)];
    local = transpose_times(entry.rotation, point - entry.position);
  }
  return {local.x, local.y, local.z};
}

Vector3<double> point_velocity(const SceneSnapshot& scene, int body, const Vector3<double>& point) {
  if (body < 0) return {};
  const BodyData<double>& entry = scene.dynamics.bodies[index(body)];
  return cross_add(entry.velocity.angular, point - entry.position, entry.velocity.linear);
}

Vector3<double> times(const Vector3<double>& a, const Vector3<double>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// Walks through the anchors of a memory along with the contacts, both ascending.
class AnchorReader {
 public:
  explicit AnchorReader(std::span<const ImpulseMemory> memory)
      : next_(std::ranges::lower_bound(memory, first_anchor_key, {}, &ImpulseMemory::key)),
        end_(memory.end()) {}

  /// The two anchors of the contact; null if the memory does not know it.
  const ImpulseMemory* find(const Candidate& contact) {
    const std::uint64_t key = anchor_key(contact);
    while (next_ != end_ && next_->key < key) ++next_;
    if (end_ - next_ < 2 || next_->key != key || (next_ + 1)->key != key + 1) return nullptr;
    return &*next_;
  }

  /// What is left of the delay of the contact that was found last [m].
  [[nodiscard]] double delay() const {
    const bool stored = end_ - next_ > 2 && (next_ + 2)->key == next_->key + 2;
    return stored ? (next_ + 2)->impulse[0] : 0.0;
  }

 private:
  std::span<const ImpulseMemory>::iterator next_;
  std::span<const ImpulseMemory>::iterator end_;
};

/// The point of the body that moves against the ground [EXP]: that of b, unless only a moves.
void move_to_frame_point(Candidate& contact) {
  const Vector3<double>& normal = contact.contact.axes.c2;
  if (contact.tree_b >= 0) {
    contact.contact.point = multiply_add(contact.gap, normal, contact.contact.point);
  }
}

/// Stretch, velocity and anchors of one contact after the other, ascending.
class SpringFinder {
 public:
  SpringFinder(const SceneSnapshot& scene, const ViscoelasticOptions& options,
               std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
               double last_step)
      : scene_(scene),
        options_(options),
        usual_(options),
        placements_(placements),
        reader_(memory),
        last_step_(last_step) {}

  SpringAnchors stretch(Candidate& contact, Spring& spring) {
    const bool by_authors = options_.rules == AnchorRules::authors;
    spring.constants =
        contact.material.stiffness > 0.0 ? spring_constants(options_, contact.material) : usual_;
    if (by_authors) move_to_frame_point(contact);
    const ContactPoint<double>& at = contact.contact;
    SpringAnchors anchors{at.point, at.point};
    spring.anchor = at.point;
    spring.stretch = {};
    spring.delay = 0.0;
    spring.velocity = transpose_times(at.axes, point_velocity(scene_, at.body_b, at.point) -
                                                   point_velocity(scene_, at.body_a, at.point));
    spring.apart = contact.gap > 0.0;
    const ImpulseMemory* known = spring.apart ? nullptr : reader_.find(contact);
    if (known != nullptr) {
      anchors = {to_world(scene_, at.body_a, to_vector(known[0].impulse)),
                 to_world(scene_, at.body_b, to_vector(known[1].impulse)), true};
      spring.stretch = transpose_times(at.axes, anchors.b - anchors.a);
      if (by_authors) spring.anchor = anchors.b;
      spring.delay = reader_.delay();
    } else {
      spring.delay = std::min(0.0, last_step_ * spring.velocity.z);
    }
    if (!by_authors) {
      spring.delay = std::clamp(spring.delay, std::min(0.0, contact.gap), 0.0);
      spring.stretch.z = contact.gap - spring.delay;
    }
    spring.belt_velocity = {};
    if (scene_.layout.has_conveyors) {
      spring.belt_velocity =
          transpose_times(at.axes, conveyor_velocity(scene_.layout, placements_, contact));
      spring.velocity += spring.belt_velocity;
    }
    return anchors;
  }

 private:
  const SceneSnapshot& scene_;
  const ViscoelasticOptions& options_;
  SpringConstants usual_;
  std::span<const Placement> placements_;
  AnchorReader reader_;
  double last_step_;  ///< that new contacts may have begun in; 0: they have no delay [s]
};

/// Adds `sign` times the acceleration of a body's point that stays where it is while the body turns
/// about `center`.
void add_point_acceleration(const BodyData<double>& body, const Vector3<double>& point,
                            const Vector3<double>& center, double sign, ContactAcceleration& sum) {
  const Vector3<double> arm = point - body.position;
  const Vector3<double>& w = body.velocity.angular;
  const Vector3<double> drift = cross_add(body.drift.angular, arm, body.drift.linear) +
                                cross(w, cross(w, center - body.position));
  const Vector3<double> rest = cross_add(body.acceleration.angular, arm, body.acceleration.linear);
  sum.drift = multiply_add(sign, drift, sum.drift);
  sum.whole = multiply_add(sign, drift + rest, sum.whole);
}

}  // namespace

SpringConstants spring_constants(const ViscoelasticOptions& options,
                                 const ContactMaterial& material) {
  SpringConstants constants(options);
  if (!(material.stiffness > 0.0)) return constants;
  const double softer = material.stiffness / options.stiffness;
  constants.stiffness = softer * constants.stiffness;
  constants.damping = softer * constants.damping;
  if (material.damping > 0.0) {
    const double across = constants.damping.z > 0.0 ? constants.damping.x / constants.damping.z
                                                    : constants.stiffness.x / constants.stiffness.z;
    constants.damping = {across * material.damping, across * material.damping, material.damping};
  }
  return constants;
}

bool project_to_cone(double friction, Vector3<double>& force) {
  if (!(force.z > 0.0)) {
    force = {};
    return true;
  }
  const double bound = friction * force.z;
  const double square = force.x * force.x + force.y * force.y;
  if (square <= bound * bound) return false;
  const double size = std::sqrt(square);
  force.x *= bound / size;
  force.y *= bound / size;
  return true;
}

void load_spring(AnchorRules rules, double friction, Spring& spring) {
  if (spring.apart) {
    spring.force = spring.anchor_velocity = {};
    spring.slips = false;
    return;
  }
  const SpringConstants& constants = spring.constants;
  const Vector3<double> elastic = times(constants.stiffness, spring.stretch);
  spring.force = -(elastic + times(constants.damping, spring.velocity));
  spring.anchor_velocity = {};
  spring.slips = false;
  // Authors: the anchor of a contact that pulls stays where it is.
  const bool pulls = !(spring.force.z > 0.0);
  const bool outside = project_to_cone(friction, spring.force);
  if (!outside || (pulls && rules == AnchorRules::authors)) return;
  spring.slips = true;
  spring.stretch.x = -spring.force.x / constants.stiffness.x;
  spring.stretch.y = -spring.force.y / constants.stiffness.y;
  if (rules == AnchorRules::surface) {
    spring.anchor_velocity = {spring.velocity.x, spring.velocity.y, 0.0};
  }
}

double rolling_radius(const ShapeGeometry& shape) {
  return shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule ? shape.size.x : 0.0;
}

ContactCenters contact_centers(std::span<const ShapeGeometry> geometries,
                               const Candidate& contact) {
  const ShapeGeometry& a = geometries[index(contact.shape_a)];
  const ShapeGeometry& b = geometries[index(contact.shape_b)];
  // As touch/find_contacts.cpp places contacts: on a plane, else midway.
  const double share_a = a.kind == ShapeKind::plane ? 1.0 : b.kind == ShapeKind::plane ? 0.0 : 0.5;
  const ContactPoint<double>& at = contact.contact;
  const double back = (1.0 - share_a) * contact.gap + rolling_radius(a);
  const double ahead = share_a * contact.gap + rolling_radius(b);
  return {multiply_add(-back, at.axes.c2, at.point), multiply_add(ahead, at.axes.c2, at.point),
          share_a};
}

void find_springs(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                  std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                  std::span<Candidate> contacts, std::vector<Spring>& springs, double time_step) {
  springs.resize(contacts.size());
  SpringFinder finder(scene, options, placements, memory, time_step);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    static_cast<void>(finder.stretch(contacts[i], springs[i]));
    load_spring(options.rules, contacts[i].material.friction, springs[i]);
  }
}

void find_stretches(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                    std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                    std::span<Candidate> contacts, std::vector<Spring>& springs,
                    std::vector<SpringAnchors>& anchors) {
  springs.resize(contacts.size());
  anchors.resize(contacts.size());
  SpringFinder finder(scene, options, placements, memory, 0.0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    anchors[i] = finder.stretch(contacts[i], springs[i]);
  }
}

void remember_anchors(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const Candidate> contacts, std::span<const Spring> springs,
                      double time_step, std::vector<ImpulseMemory>& memory) {
  const std::size_t place = static_cast<std::size_t>(
      std::ranges::lower_bound(memory, after_anchor_keys, {}, &ImpulseMemory::key) -
      memory.begin());
  const std::size_t behind = memory.size() - place;
  const double kept = std::exp(-time_step / delay_time);
  const auto delayed = [&](const Spring& spring) {
    return options.rules == AnchorRules::surface && spring.delay < -least_delay && !spring.apart;
  };
  const std::size_t apart =
      static_cast<std::size_t>(std::ranges::count_if(springs, &Spring::apart));
  memory.resize(memory.size() + 2 * (contacts.size() - apart) +
                static_cast<std::size_t>(std::ranges::count_if(springs, delayed)));
  std::copy_backward(memory.begin() + static_cast<std::ptrdiff_t>(place),
                     memory.begin() + static_cast<std::ptrdiff_t>(place + behind), memory.end());
  ImpulseMemory* entry = memory.data() + place;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint<double>& at = contacts[i].contact;
    const Spring& spring = springs[i];
    if (spring.apart) continue;
    // Along the normal, `surface` has the gap instead. Belts run on under their anchors.
    Vector3<double> stretch =
        multiply_add(time_step, spring.belt_velocity - spring.anchor_velocity, spring.stretch);
    if (options.rules == AnchorRules::surface) stretch.z = 0.0;
    const std::uint64_t key = anchor_key(contacts[i]);
    *entry++ = {key, to_body(scene, at.body_a, spring.anchor - at.axes * stretch)};
    *entry++ = {key + 1, to_body(scene, at.body_b, spring.anchor)};
    if (delayed(spring)) *entry++ = {key + 2, {kept * spring.delay, 0.0, 0.0}};
  }
}

void find_spring_ends(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const ImpulseMemory> memory, std::span<const Candidate> contacts,
                      std::vector<SpringEnds>& ends) {
  ends.resize(contacts.size());
  AnchorReader reader(memory);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Candidate& contact = contacts[i];
    const ContactPoint<double>& at = contact.contact;
    ends[i] = {at.point, at.point, false};
    const ImpulseMemory* known = reader.find(contact);
    if (known == nullptr) continue;
    ends[i] = {to_world(scene, at.body_a, to_vector(known[0].impulse)),
               to_world(scene, at.body_b, to_vector(known[1].impulse))};
    if (options.rules != AnchorRules::surface) continue;
    const Vector3<double>& normal = at.axes.c2;
    const double gap = contact.gap + dot(normal, ends[i].stretch());
    const double delay = std::clamp(reader.delay(), std::min(0.0, gap), 0.0);
    ends[i].b = multiply_add(contact.gap - delay, normal, ends[i].b);
    ends[i].attached = gap <= 0.0;  // Else the next step forgets the anchor.
  }
}

ContactAcceleration contact_acceleration(const SceneSnapshot& scene,
                                         const ViscoelasticOptions& options,
                                         std::span<const ShapeGeometry> geometries,
                                         const Candidate& contact) {
  const ContactPoint<double>& at = contact.contact;
  ContactCenters centers{at.point, at.point};
  if (options.rules == AnchorRules::surface) centers = contact_centers(geometries, contact);
  ContactAcceleration sum;
  const auto add = [&](int body, const Vector3<double>& center, double sign) {
    if (body < 0) return;
    add_point_acceleration(scene.dynamics.bodies[index(body)], at.point, center, sign, sum);
  };
  add(at.body_b, centers.b, 1.0);
  add(at.body_a, centers.a, -1.0);
  return {transpose_times(at.axes, sum.whole), transpose_times(at.axes, sum.drift)};
}

}  // namespace stiction
