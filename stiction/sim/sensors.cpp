#include "stiction/sim/sensors.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/sweep.hpp"
#include "stiction/dynamics/transmission.hpp"
#include "stiction/model/sensor_kinds.hpp"

namespace stiction {

namespace {

constexpr Vector3<double> magnetic_field{0.0, -0.5, 0.0};

bool is_quaternion(SensorKind kind) {
  return kind == SensorKind::ball_quaternion || kind == SensorKind::frame_quaternion;
}

/// Shepperd's method: divides by the largest of the four.
Quaternion<double> quaternion_of(const Matrix3<double>& R) {
  const Eigen::Quaterniond q(to_eigen(R));
  return from_eigen(q);
}

}  // namespace

SensorArray::SensorArray(const Model& model)
    : model_(model),
      layout_(model),
      now_(model),
      before_(model),
      tendons_(model),
      acceleration_(index(model.velocity_count())),
      actuator_forces_(acceleration_.size()),
      impulses_(index(model.body_count())),
      between_bodies_(impulses_.size()) {
  std::size_t first = 0;
  for (const Sensor& sensor : model.sensors()) {
    Place place{.kind = sensor.kind, .index = sensor.index, .first = first};
    const SensorTraits& traits = traits_of(sensor.kind);
    place.size = index(sensor.size());
    keep_details(sensor, place);
    needs_forces_ |= traits.source == SensorSource::forces;
    needs_step_ |= needs_forces_ || traits.source == SensorSource::last_step ||
                   traits.source == SensorSource::contacts || traits.source == SensorSource::limit;
    if (sensor.kind == SensorKind::rangefinder && !rays_) rays_.emplace(model);
    first += place.size;
    places_.push_back(place);
  }
  values_.resize(first);
}

SensorArray::Place SensorArray::place_of(int frame) const {
  const Frame& source = model_.frames()[index(frame)];
  Place place;
  place.body = source.body;
  place.rotation = from_eigen(Eigen::Matrix3d(source.pose.linear()));
  place.translation = from_eigen(Eigen::Vector3d(source.pose.translation()));
  return place;
}

void SensorArray::keep_details(const Sensor& sensor, Place& place) {
  if (sensor.target == Sensor::Target::frame) {
    const Place frame = place_of(sensor.index);
    place.body = frame.body;
    place.rotation = frame.rotation;
    place.translation = frame.translation;
  }
  if (sensor.reference >= 0) {
    place.reference = static_cast<int>(references_.size());
    references_.push_back(place_of(sensor.reference));
  }
  if (sensor.part) {
    const CarriedPart& part = *sensor.part;
    const Eigen::Vector3d& c = part.center_of_mass;
    const Eigen::Matrix3d about_origin =
        part.inertia +
        part.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    place.part = static_cast<int>(parts_.size());
    parts_.push_back({{part.mass, from_eigen(Eigen::Vector3d(part.mass * c)),
                       symmetric_from_eigen(about_origin)},
                      part.bodies,
                      part.shapes});
  }
  if (sensor.zone) {
    place.zone = static_cast<int>(zones_.size());
    ZoneAt& zone = zones_.emplace_back();
    zone.geometry.kind = sensor.zone->kind;
    zone.geometry.size = from_eigen(sensor.zone->size);
  }
}

std::span<const double> SensorArray::evaluate(const Model& model, const State& state,
                                              const Workspace& workspace, const StepReport& report,
                                              Random* noise) {
  prepare(model, state, workspace);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Sensor& sensor = model_.sensors()[i];
    read(place, model, state, workspace, report);
    if (noise != nullptr && sensor.noise > 0.0) disturb(place, sensor.noise, *noise);
    if (sensor.cutoff > 0.0) cut_off(place, sensor.cutoff);
  }
  return values_;
}

std::span<const double> SensorArray::reading(int sensor) const {
  const Place& place = places_.at(index(sensor));
  return {values_.data() + place.first, place.size};
}

std::span<const double> SensorArray::reading(std::string_view name) const {
  const std::vector<Sensor>& sensors = model_.sensors();
  const auto found = std::ranges::find(sensors, name, &Sensor::name);
  if (found == sensors.end()) {
    throw std::invalid_argument(fmt::format("model '{}' has no sensor '{}'", model_.name(), name));
  }
  return reading(static_cast<int>(found - sensors.begin()));
}

void SensorArray::prepare(const Model& model, const State& state, const Workspace& workspace) {
  if (!model.has_structure_of(model_)) {
    throw std::invalid_argument(
        fmt::format("sensors: made for model '{}', not for '{}'", model_.name(), model.name()));
  }
  if (state.q.size() != model.position_count() || state.v.size() != model.velocity_count()) {
    throw std::invalid_argument("sensors: the state is not one of this model");
  }
  update_kinematics<double>(model, now_, as_span(state.q), as_span(state.v));
  tendons_.update(model, now_, as_span(state.q));
  if (rays_) place_shapes();
  if (!needs_step_) return;
  h_ = workspace.time_step();
  if (h_ > 0.0) {
    before_.bodies = workspace.dynamics().bodies;
    before_.dofs = workspace.dynamics().dofs;
    workspace.accelerations(acceleration_);
  } else {
    update_kinematics<double>(model, before_, as_span(state.q), as_span(state.v));
  }
  update_accelerations<double>(model, before_, acceleration_);
  if (needs_forces_) sum_forces(model, workspace);
}

/// Newton and Euler from the leaves to the roots, less what acts on the bodies from elsewhere.
void SensorArray::sum_forces(const Model& model, const Workspace& workspace) {
  const Vector3<double> gravity = from_eigen(model.gravity());
  const std::span<const Force<double>> external = workspace.external_forces();
  std::ranges::fill(between_bodies_, Force<double>{});
  if (h_ > 0.0) workspace.constraint_impulses(impulses_);
  for (std::size_t i = between_bodies_.size(); i-- > 0;) {
    const BodyConstants& body = model.constants()[i];
    const BodyData<double>& entry = before_.bodies[i];
    Motion<double> a = entry.drift + entry.acceleration;
    a.linear -= gravity;
    Force<double>& sum = between_bodies_[i];
    sum += needed_force(world_inertia(body, entry), entry.velocity.angular, a);
    if (h_ > 0.0) {
      sum.linear = multiply_subtract(1.0 / h_, impulses_[i].linear, sum.linear);
      sum.angular = multiply_subtract(1.0 / h_, impulses_[i].angular, sum.angular);
      if (!external.empty()) sum = sum - external[i];
    }
    if (body.parent >= 0) between_bodies_[index(body.parent)] += shift(sum, entry.offset);
  }
}

void SensorArray::place_shapes() {
  for (const int i : rays_->moving_shapes()) {
    const ShapeOffset& offset = layout_.shapes[index(i)];
    place_shape(offset, now_.bodies[index(offset.body)], rays_->placements()[index(i)]);
  }
}

SensorArray::FrameMotion SensorArray::motion(const Model& model, const DynamicsData<double>& data,
                                             const Place& place) const {
  FrameMotion frame;
  frame.acceleration.linear = -from_eigen(model.gravity());
  if (place.body < 0) {
    frame.rotation = place.rotation;
    frame.position = place.translation;
    return frame;
  }
  const BodyData<double>& body = data.bodies[index(place.body)];
  const Motion<double> a = body.drift + body.acceleration;
  const Vector3<double>& w = body.velocity.angular;
  frame.rotation = body.rotation * place.rotation;
  frame.arm = body.rotation * place.translation;
  frame.position = body.position + frame.arm;
  frame.velocity = {w, cross_add(w, frame.arm, body.velocity.linear)};
  frame.acceleration.angular = a.angular;
  frame.acceleration.linear +=
      cross_add(a.angular, frame.arm, cross_add(w, cross(w, frame.arm), a.linear));
  return frame;
}

void SensorArray::read(const Place& place, const Model& model, const State& state,
                       const Workspace& workspace, const StepReport& report) {
  // A kind that no reader knows stays NaN.
  std::fill_n(values_.data() + place.first, place.size, std::numeric_limits<double>::quiet_NaN());
  switch (traits_of(place.kind).source) {
    case SensorSource::nothing:
      return;
    case SensorSource::joint:
      return read_joint(place, model, state, workspace);
    case SensorSource::tendon:
      return read_tendon(place, model, state);
    case SensorSource::frame:
      return read_frame(place, model);
    case SensorSource::last_step:
      return read_last_step(place, model, report);
    case SensorSource::forces:
      return read_force(place, model, report);
    case SensorSource::subtree:
      return read_subtree(place, model);
    case SensorSource::scene:
      return read_scene(place, model, state);
    case SensorSource::limit:
      return read_limit(place, model, state, report);
    case SensorSource::contacts:
      return read_contacts(place, model, report);
  }
}

void SensorArray::read_joint(const Place& place, const Model& model, const State& state,
                             const Workspace& workspace) {
  double* out = values_.data() + place.first;
  if (place.kind == SensorKind::actuator_force) {
    *out = workspace.actuator_force(place.index);
    return;
  }
  const Joint& joint = model.joint(place.index);
  switch (place.kind) {
    case SensorKind::joint_position:
      *out = state.q[joint.position_index];
      return;
    case SensorKind::joint_velocity:
      *out = state.v[joint.velocity_index];
      return;
    case SensorKind::joint_force:
      workspace.actuator_forces(actuator_forces_);
      *out = actuator_forces_[index(joint.velocity_index)];
      return;
    case SensorKind::ball_quaternion:
      std::copy_n(state.q.data() + joint.position_index, 4, out);
      return;
    case SensorKind::ball_angular_velocity:
      std::copy_n(state.v.data() + joint.velocity_index, 3, out);
      return;
    default:
      assert(false && "a kind whose source is `joint` is not read");
  }
}

/// Lengths and their velocities: of tendons, or of what an actuator acts on, times its gear.
void SensorArray::read_tendon(const Place& place, const Model& model, const State& state) {
  double* out = values_.data() + place.first;
  const bool of_tendon =
      place.kind == SensorKind::tendon_position || place.kind == SensorKind::tendon_velocity;
  const bool speed =
      place.kind == SensorKind::tendon_velocity || place.kind == SensorKind::actuator_velocity;
  const auto read = [&](int tendon) {
    return speed ? tendons_.speed(tendon, as_span(state.v)) : tendons_.length(tendon);
  };
  if (of_tendon) {
    *out = read(place.index);
    return;
  }
  const Actuator& actuator = model.actuators()[index(place.index)];
  moment_.clear();
  const double length = transmission(model, now_, tendons_, as_span(state.q), actuator, moment_);
  *out = speed ? velocity_along(moment_, as_span(state.v)) : length;
}

void SensorArray::read_scene(const Place& place, const Model& model, const State& state) {
  double& out = values_[place.first];
  if (place.kind == SensorKind::clock) out = state.time;
  if (place.kind == SensorKind::potential_energy) {
    out = potential_energy<double>(model, now_, as_span(state.q));
  }
  if (place.kind == SensorKind::kinetic_energy) {
    out = kinetic_energy<double>(model, now_, as_span(state.v));
  }
}

namespace {

/// Distance of a joint from the nearer of its limits, and how fast it changes.
std::pair<double, double> limit_distance(const Joint& joint, const State& state) {
  const double* q = state.q.data() + joint.position_index;
  const double* v = state.v.data() + joint.velocity_index;
  if (joint.kind == JointKind::spherical) {
    const Eigen::Vector3d axis = Eigen::Vector3d(q[0], q[1], q[2]) * (q[3] < 0.0 ? -1.0 : 1.0);
    const double angle = 2.0 * std::atan2(axis.norm(), std::abs(q[3]));
    const double rate = axis.normalized().dot(Eigen::Vector3d(v[0], v[1], v[2]));
    return {joint.limits.upper - angle, -rate};
  }
  const double above = q[0] - joint.limits.lower;
  const double below = joint.limits.upper - q[0];
  return above < below ? std::pair(above, v[0]) : std::pair(below, -v[0]);
}

}  // namespace

void SensorArray::read_limit(const Place& place, const Model& model, const State& state,
                             const StepReport& report) {
  double impulse = 0.0;
  for (const StepConstraint& constraint : report.constraints) {
    if (constraint.kind == BlockKind::limit && constraint.index == place.index) {
      impulse += constraint.impulse[0];
    }
  }
  const auto [distance, rate] = limit_distance(model.joint(place.index), state);
  const bool acts = distance <= 0.0 || impulse > 0.0;
  double& out = values_[place.first];
  out = 0.0;
  if (place.kind == SensorKind::joint_limit_force) out = h_ > 0.0 ? impulse / h_ : 0.0;
  if (place.kind == SensorKind::joint_limit_position && acts) out = distance;
  if (place.kind == SensorKind::joint_limit_velocity && acts) out = rate;
}

void SensorArray::read_frame(const Place& place, const Model& model) {
  FrameMotion frame = motion(model, now_, place);
  if (place.reference >= 0) {
    const FrameMotion from = motion(model, now_, references_[index(place.reference)]);
    const Vector3<double> apart = frame.position - from.position;
    const Vector3<double>& w = from.velocity.angular;
    frame.velocity.linear = transpose_times(
        from.rotation, frame.velocity.linear - from.velocity.linear - cross(w, apart));
    frame.velocity.angular = transpose_times(from.rotation, frame.velocity.angular - w);
    frame.position = transpose_times(from.rotation, apart);
    frame.rotation = transpose(from.rotation) * frame.rotation;
  }
  switch (place.kind) {
    case SensorKind::frame_position:
      return put(place, frame.position);
    case SensorKind::frame_quaternion: {
      const Quaternion<double> q = quaternion_of(frame.rotation);
      const double entries[] = {q.x, q.y, q.z, q.w};
      std::copy_n(entries, 4, values_.data() + place.first);
      return;
    }
    case SensorKind::frame_x_axis:
      return put(place, frame.rotation.c0);
    case SensorKind::frame_y_axis:
      return put(place, frame.rotation.c1);
    case SensorKind::frame_z_axis:
      return put(place, frame.rotation.c2);
    case SensorKind::frame_linear_velocity:
      return put(place, frame.velocity.linear);
    case SensorKind::frame_angular_velocity:
      return put(place, frame.velocity.angular);
    case SensorKind::gyro:
      return put(place, transpose_times(frame.rotation, frame.velocity.angular));
    case SensorKind::velocimeter:
      return put(place, transpose_times(frame.rotation, frame.velocity.linear));
    case SensorKind::magnetometer:
      return put(place, transpose_times(frame.rotation, magnetic_field));
    case SensorKind::rangefinder:
      values_[place.first] = rays_->cast(frame.position, frame.rotation.c2, place.body);
      return;
    default:
      assert(false && "a kind whose source is `frame` is not read");
  }
}

const ZoneAt* SensorArray::zone_at(const Place& place, const FrameMotion& frame) {
  if (place.zone < 0) return nullptr;
  ZoneAt& zone = zones_[index(place.zone)];
  zone.placement = {frame.rotation, frame.position};
  return &zone;
}

void SensorArray::read_contacts(const Place& place, const Model& model, const StepReport& report) {
  const auto sensor = static_cast<std::size_t>(&place - places_.data());
  tell_contacts(report, h_, *model_.sensors()[sensor].contacts,
                zone_at(place, motion(model, before_, place)),
                {values_.data() + place.first, place.size});
}

void SensorArray::read_last_step(const Place& place, const Model& model, const StepReport& report) {
  const FrameMotion frame = motion(model, before_, place);
  switch (place.kind) {
    case SensorKind::touch:
      values_[place.first] =
          h_ > 0.0 ? touch_impulse(report, place.body, zone_at(place, frame)) / h_ : 0.0;
      return;
    case SensorKind::accelerometer:
      return put(place, transpose_times(frame.rotation, frame.acceleration.linear));
    case SensorKind::frame_linear_acceleration:
      return put(place, frame.acceleration.linear);
    case SensorKind::frame_angular_acceleration:
      return put(place, frame.acceleration.angular);
    default:
      assert(false && "a kind whose source is `last_step` is not read");
  }
}

void SensorArray::read_force(const Place& place, const Model& model, const StepReport& report) {
  const FrameMotion frame = motion(model, before_, place);
  const Force<double> force =
      place.part >= 0  ? force_on_part(parts_[index(place.part)], place.body, model, report)
      : place.body < 0 ? Force<double>{}
                       : between_bodies_[index(place.body)];
  // Of a frame of the world, the arm is its position.
  const Vector3<double>& arm = place.body < 0 ? frame.position : frame.arm;
  const bool turns = place.kind == SensorKind::torque;
  assert(turns || place.kind == SensorKind::force);
  const Vector3<double> moment = force.angular - cross(arm, force.linear);
  put(place, transpose_times(frame.rotation, turns ? moment : force.linear));
}

/// What moves a part of a body, less what bodies that hang on it and its contacts do to it.
Force<double> SensorArray::force_on_part(const Part& part, int body, const Model& model,
                                         const StepReport& report) const {
  Motion<double> a{{}, -from_eigen(model.gravity())};
  RigidInertia<double> inertia = part.inertia;
  Vector3<double> w;
  Vector3<double> origin;
  if (body >= 0) {
    const BodyData<double>& entry = before_.bodies[index(body)];
    a = a + entry.drift + entry.acceleration;
    w = entry.velocity.angular;
    origin = entry.position;
    inertia = rotate(entry.rotation, inertia);
  }
  Force<double> sum = needed_force(inertia, w, a);
  for (const int child : part.bodies) {
    sum += shift(between_bodies_[index(child)], before_.bodies[index(child)].position - origin);
  }
  if (!(h_ > 0.0)) return sum;
  for (const StepContact& contact : report.contacts) {
    for (const bool is_b : {false, true}) {
      const int shape = is_b ? contact.shape_b : contact.shape_a;
      if (!std::ranges::binary_search(part.shapes, shape)) continue;
      const Vector3<double> force = ((is_b ? 1.0 : -1.0) / h_) * (contact.axes * contact.impulse);
      sum = sum - Force<double>{cross(contact.point - origin, force), force};
    }
  }
  return sum;
}

namespace {

/// Mass, mass times centre, and momentum about the world's origin.
struct MassSum {
  double mass = 0.0;
  Vector3<double> moment;
  Force<double> momentum;

  void add(const RigidInertia<double>& inertia, const Vector3<double>& origin,
           const Motion<double>& velocity) {
    mass += inertia.mass;
    moment += multiply_add(inertia.mass, origin, inertia.mass_center);
    momentum += shift(inertia * velocity, origin);
  }
  void add(const Model& model, const DynamicsData<double>& data, int first) {
    const std::size_t end = index(model.constants()[index(first)].subtree_end);
    for (std::size_t i = index(first); i < end; ++i) {
      const BodyConstants& body = model.constants()[i];
      if (body.kinematic) continue;
      const BodyData<double>& entry = data.bodies[i];
      add(world_inertia(body, entry), entry.position, entry.velocity);
    }
  }
};

}  // namespace

void SensorArray::read_subtree(const Place& place, const Model& model) {
  MassSum sum;
  if (place.part < 0) {
    sum.add(model, now_, place.body);
  } else {
    const Part& part = parts_[index(place.part)];
    for (const int body : part.bodies) sum.add(model, now_, body);
    if (place.body < 0) {
      sum.add(part.inertia, {}, {});
    } else {
      const BodyData<double>& entry = now_.bodies[index(place.body)];
      sum.add(rotate(entry.rotation, part.inertia), entry.position, entry.velocity);
    }
  }
  const double per_mass = sum.mass > 0.0 ? 1.0 / sum.mass : 0.0;
  const Vector3<double> center = per_mass * sum.moment;
  switch (place.kind) {
    case SensorKind::subtree_center_of_mass:
      return put(place, center);
    case SensorKind::subtree_linear_velocity:
      return put(place, per_mass * sum.momentum.linear);
    case SensorKind::subtree_angular_momentum:
      return put(place, sum.momentum.angular - cross(center, sum.momentum.linear));
    default:
      assert(false && "a kind of sensor is not read");
  }
}

void SensorArray::put(const Place& place, const Vector3<double>& value) {
  assert(place.size == 3);
  const double entries[] = {value.x, value.y, value.z};
  std::copy_n(entries, 3, values_.data() + place.first);
}

void SensorArray::disturb(const Place& place, double deviation, Random& noise) {
  double* out = values_.data() + place.first;
  if (!is_quaternion(place.kind)) {
    for (std::size_t i = 0; i < place.size; ++i) out[i] += deviation * noise.normal();
    return;
  }
  const double x = noise.normal();
  const double y = noise.normal();
  const Vector3<double> turn{deviation * x, deviation * y, deviation * noise.normal()};
  const Quaternion<double> q =
      Quaternion<double>{out[0], out[1], out[2], out[3]} * exp_quaternion(turn);
  const double entries[] = {q.x, q.y, q.z, q.w};
  std::copy_n(entries, 4, out);
}

void SensorArray::cut_off(const Place& place, double largest) {
  if (is_quaternion(place.kind)) return;
  for (std::size_t i = place.first; i < place.first + place.size; ++i) {
    values_[i] = std::clamp(values_[i], -largest, largest);
  }
}

Eigen::Vector3d contact_force(const StepReport& report, int body, double time_step) {
  Vector3<double> sum;
  for (const StepContact& contact : report.contacts) {
    const Vector3<double> impulse = contact.axes * contact.impulse;
    if (contact.body_b == body) sum += impulse;
    if (contact.body_a == body) sum -= impulse;
  }
  return to_eigen((1.0 / time_step) * sum);
}

}  // namespace stiction
