#include "stiction/sim/sensors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/sweep.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

constexpr Vector3<double> magnetic_field{0.0, -0.5, 0.0};

bool reads_forces(SensorKind kind) {
  return kind == SensorKind::force || kind == SensorKind::torque;
}

/// Accelerations and what belongs to them.
bool reads_last_step(SensorKind kind) {
  return reads_forces(kind) || kind == SensorKind::accelerometer ||
         kind == SensorKind::frame_linear_acceleration ||
         kind == SensorKind::frame_angular_acceleration || kind == SensorKind::touch;
}

/// Shepperd's method: divides by the largest of the four.
Quaternion<double> quaternion_of(const Matrix3<double>& R) {
  const Eigen::Quaterniond q(to_eigen(R));
  return from_eigen(q);
}

}  // namespace

int sensor_size(SensorKind kind) {
  switch (kind) {
    case SensorKind::joint_position:
    case SensorKind::joint_velocity:
    case SensorKind::joint_force:
    case SensorKind::actuator_force:
    case SensorKind::touch:
    case SensorKind::rangefinder:
      return 1;
    case SensorKind::ball_quaternion:
    case SensorKind::frame_quaternion:
      return 4;
    case SensorKind::other:
      return 0;
    default:
      return 3;
  }
}

SensorArray::SensorArray(const Model& model)
    : model_(model),
      now_(model),
      before_(model),
      acceleration_(index(model.velocity_count())),
      between_bodies_(index(model.body_count())) {
  std::size_t first = 0;
  for (const Sensor& sensor : model.sensors()) {
    Place place{.kind = sensor.kind, .index = sensor.index, .first = first};
    place.size = index(sensor_size(sensor.kind));
    if (sensor.target == Sensor::Target::frame) {
      const Frame& frame = model.frames()[index(sensor.index)];
      place.body = frame.body;
      place.rotation = from_eigen(Eigen::Matrix3d(frame.pose.linear()));
      place.translation = from_eigen(Eigen::Vector3d(frame.pose.translation()));
    }
    needs_step_ |= reads_last_step(sensor.kind);
    needs_forces_ |= reads_forces(sensor.kind);
    if (sensor.kind == SensorKind::rangefinder && !collider_) collider_.emplace(model);
    first += place.size;
    places_.push_back(place);
  }
  values_.resize(first);
}

std::span<const double> SensorArray::evaluate(const State& state, Workspace& workspace,
                                              const StepReport& report, Random* noise) {
  prepare(state, workspace);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Sensor& sensor = model_.sensors()[i];
    read(place, state, workspace, report);
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

void SensorArray::prepare(const State& state, Workspace& workspace) {
  if (state.q.size() != model_.position_count() || state.v.size() != model_.velocity_count()) {
    throw std::invalid_argument("sensors: the state is not one of this model");
  }
  update_kinematics<double>(model_, now_, as_span(state.q), as_span(state.v));
  if (collider_) place_shapes();
  if (!needs_step_) return;
  h_ = workspace.memory().h;
  if (h_ > 0.0) {
    before_.bodies = workspace.dynamics().bodies;
    before_.dofs = workspace.dynamics().dofs;
    std::ranges::copy(workspace.accelerations(), acceleration_.begin());
  } else {
    update_kinematics<double>(model_, before_, as_span(state.q), as_span(state.v));
  }
  update_accelerations<double>(model_, before_, acceleration_);
  if (needs_forces_) sum_forces(workspace);
}

/// Newton and Euler from the leaves to the roots, less what acts on the bodies from elsewhere.
void SensorArray::sum_forces(Workspace& workspace) {
  const Vector3<double> gravity = from_eigen(model_.gravity());
  std::ranges::fill(between_bodies_, Force<double>{});
  const std::span<const Force<double>> impulses =
      h_ > 0.0 ? workspace.constraint_impulses() : std::span<const Force<double>>{};
  for (std::size_t i = between_bodies_.size(); i-- > 0;) {
    const BodyConstants& body = model_.constants()[i];
    const BodyData<double>& entry = before_.bodies[i];
    Motion<double> a = entry.drift + entry.acceleration;
    a.linear -= gravity;
    Force<double>& sum = between_bodies_[i];
    sum += needed_force(world_inertia(body, entry), entry.velocity.angular, a);
    if (!impulses.empty()) {
      sum.linear = multiply_subtract(1.0 / h_, impulses[i].linear, sum.linear);
      sum.angular = multiply_subtract(1.0 / h_, impulses[i].angular, sum.angular);
      if (workspace.memory().has_external) sum = sum - workspace.memory().external[i];
    }
    if (body.parent >= 0) between_bodies_[index(body.parent)] += shift(sum, entry.offset);
  }
}

void SensorArray::place_shapes() {
  for (const int i : collider_->moving_shapes()) {
    const Shape& shape = model_.shapes()[index(i)];
    const BodyData<double>& body = now_.bodies[index(shape.body)];
    Placement& placement = collider_->placements()[index(i)];
    placement.rotation = body.rotation * from_eigen(Eigen::Matrix3d(shape.pose.linear()));
    placement.position = multiply_add(
        body.rotation, from_eigen(Eigen::Vector3d(shape.pose.translation())), body.position);
  }
}

SensorArray::FrameMotion SensorArray::motion(const DynamicsData<double>& data,
                                             const Place& place) const {
  FrameMotion frame;
  frame.acceleration.linear = -from_eigen(model_.gravity());
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

void SensorArray::read(const Place& place, const State& state, Workspace& workspace,
                       const StepReport& report) {
  switch (place.kind) {
    case SensorKind::joint_position:
    case SensorKind::joint_velocity:
    case SensorKind::joint_force:
    case SensorKind::actuator_force:
    case SensorKind::ball_quaternion:
    case SensorKind::ball_angular_velocity:
      return read_joint(place, state, workspace);
    case SensorKind::subtree_center_of_mass:
    case SensorKind::subtree_linear_velocity:
    case SensorKind::subtree_angular_momentum:
      return read_subtree(place);
    case SensorKind::other:
      return;
    default:
      return reads_last_step(place.kind) ? read_last_step(place, report) : read_frame(place);
  }
}

void SensorArray::read_joint(const Place& place, const State& state, Workspace& workspace) {
  double* out = values_.data() + place.first;
  if (place.kind == SensorKind::actuator_force) {
    *out = workspace.memory().forces.actuator_force(place.index, workspace.memory().v_next);
    return;
  }
  const Joint& joint = model_.joint(place.index);
  switch (place.kind) {
    case SensorKind::joint_position:
      *out = state.q[joint.position_index];
      return;
    case SensorKind::joint_velocity:
      *out = state.v[joint.velocity_index];
      return;
    case SensorKind::joint_force:
      *out = workspace.actuator_forces()[index(joint.velocity_index)];
      return;
    case SensorKind::ball_quaternion:
      std::copy_n(state.q.data() + joint.position_index, 4, out);
      return;
    default:
      std::copy_n(state.v.data() + joint.velocity_index, 3, out);
  }
}

void SensorArray::read_frame(const Place& place) {
  const FrameMotion frame = motion(now_, place);
  switch (place.kind) {
    case SensorKind::frame_position:
      return put(place, frame.position);
    case SensorKind::frame_quaternion: {
      const Quaternion<double> q = quaternion_of(frame.rotation);
      const double entries[] = {q.x, q.y, q.z, q.w};
      std::copy_n(entries, 4, values_.data() + place.first);
      return;
    }
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
    default: {
      const std::optional<RayHit> hit = collider_->cast_ray(
          frame.position, frame.rotation.c2, std::numeric_limits<double>::infinity(), place.body);
      values_[place.first] = hit ? hit->distance : -1.0;
    }
  }
}

void SensorArray::read_last_step(const Place& place, const StepReport& report) {
  if (place.kind == SensorKind::touch) {
    double sum = 0.0;
    for (const StepContact& contact : report.contacts) {
      if (contact.body_a == place.body || contact.body_b == place.body) sum += contact.impulse.z;
    }
    values_[place.first] = h_ > 0.0 ? sum / h_ : 0.0;
    return;
  }
  const FrameMotion frame = motion(before_, place);
  const Force<double> force = place.body < 0 ? Force<double>{} : between_bodies_[index(place.body)];
  switch (place.kind) {
    case SensorKind::accelerometer:
      return put(place, transpose_times(frame.rotation, frame.acceleration.linear));
    case SensorKind::frame_linear_acceleration:
      return put(place, frame.acceleration.linear);
    case SensorKind::frame_angular_acceleration:
      return put(place, frame.acceleration.angular);
    case SensorKind::force:
      return put(place, transpose_times(frame.rotation, force.linear));
    default:
      return put(place,
                 transpose_times(frame.rotation, force.angular - cross(frame.arm, force.linear)));
  }
}

void SensorArray::read_subtree(const Place& place) {
  const std::size_t first = place.body < 0 ? 0 : index(place.body);
  const std::size_t end =
      place.body < 0 ? now_.bodies.size() : index(model_.constants()[first].subtree_end);
  double mass = 0.0;
  Vector3<double> moment;
  Force<double> momentum;  // angular part about the world's origin
  for (std::size_t i = first; i < end; ++i) {
    const BodyConstants& body = model_.constants()[i];
    if (body.kinematic) continue;
    const BodyData<double>& entry = now_.bodies[i];
    const RigidInertia<double> inertia = world_inertia(body, entry);
    mass += inertia.mass;
    moment += multiply_add(inertia.mass, entry.position, inertia.mass_center);
    momentum += shift(inertia * entry.velocity, entry.position);
  }
  const double per_mass = mass > 0.0 ? 1.0 / mass : 0.0;
  const Vector3<double> center = per_mass * moment;
  if (place.kind == SensorKind::subtree_center_of_mass) return put(place, center);
  if (place.kind == SensorKind::subtree_linear_velocity) {
    return put(place, per_mass * momentum.linear);
  }
  put(place, momentum.angular - cross(center, momentum.linear));
}

void SensorArray::put(const Place& place, const Vector3<double>& value) {
  const double entries[] = {value.x, value.y, value.z};
  std::copy_n(entries, 3, values_.data() + place.first);
}

void SensorArray::disturb(const Place& place, double deviation, Random& noise) {
  double* out = values_.data() + place.first;
  if (place.size != 4) {
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
  if (place.size == 4) return;
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
