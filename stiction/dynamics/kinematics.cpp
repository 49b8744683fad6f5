#include "stiction/dynamics/kinematics.hpp"

#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Sines and cosines of all joint angles. A lone robot packs its joints into lanes, which gives the
/// same bits as one by one.
void update_angles(DynamicsData<double>& data, std::span<const double> q) {
  alignas(Lane) double packed[lane_width];
  alignas(Lane) double sines[lane_width];
  alignas(Lane) double cosines[lane_width];
  const std::size_t count = data.angle_positions.size();
  for (std::size_t first = 0; first < count; first += lane_width) {
    for (std::size_t k = 0; k < lane_width; ++k) {
      packed[k] =
          first + k < count ? q[static_cast<std::size_t>(data.angle_positions[first + k])] : 0.0;
    }
    const SineCosine<Lane> result = sine_cosine(Lane::load_aligned(packed));
    result.sine.store_aligned(sines);
    result.cosine.store_aligned(cosines);
    for (std::size_t k = 0; k < lane_width; ++k) data.angles[first + k] = {sines[k], cosines[k]};
  }
}

void update_angles(DynamicsData<Lane>& data, std::span<const Lane> q) {
  for (std::size_t k = 0; k < data.angle_positions.size(); ++k) {
    data.angles[k] = sine_cosine(q[static_cast<std::size_t>(data.angle_positions[k])]);
  }
}

/// Rotation and joint axis (both in world axes) of a body that a joint has turned; `base` is the
/// joint frame.
template <Scalar S>
[[gnu::always_inline]] inline void turn(const Matrix3<S>& base, const BodyConstants& body,
                                        const SineCosine<S>& angle, Matrix3<S>& rotation,
                                        Vector3<S>& axis) {
  const S sign(body.axis_sign);
  const SineCosine<S> signed_angle{sign * angle.sine, angle.cosine};
  switch (body.axis_kind) {
    case AxisKind::x:
      axis = sign * base.c0;
      rotation = turned_about_axis<0>(base, signed_angle);
      return;
    case AxisKind::y:
      axis = sign * base.c1;
      rotation = turned_about_axis<1>(base, signed_angle);
      return;
    case AxisKind::z:
      axis = sign * base.c2;
      rotation = turned_about_axis<2>(base, signed_angle);
      return;
    case AxisKind::general:
      axis = base * broadcast<S>(body.axis);
      rotation = base * about_axis(broadcast<S>(body.axis), angle);
      return;
  }
}

/// Pose and axes of a floating body: q says it all.
template <Scalar S>
[[gnu::always_inline]] inline void place_floating(const BodyConstants& body, BodyData<S>& entry,
                                                  DofData<S>* dofs, std::span<const S> q) {
  const std::size_t first = static_cast<std::size_t>(body.position_index);
  entry.position = {q[first], q[first + 1], q[first + 2]};
  entry.offset = entry.position;
  entry.rotation = to_matrix(read_quaternion(q, first + 3));
  const Matrix3<S> axes = identity3<S>();
  for (int half = 0; half < 2; ++half) {
    dofs[3 * half].axis = axes.c0;
    dofs[3 * half + 1].axis = axes.c1;
    dofs[3 * half + 2].axis = axes.c2;
  }
}

/// Pose and axes of a body on any other joint, from its parent's pose.
template <Scalar S>
[[gnu::always_inline]] inline void place_on_joint(const BodyConstants& body, BodyData<S>& entry,
                                                  DofData<S>* dofs, const DynamicsData<S>& data,
                                                  std::size_t index, std::span<const S> q) {
  const std::size_t first = static_cast<std::size_t>(body.position_index);
  Matrix3<S> joint_frame;
  const Matrix3<S>* base = &joint_frame;
  if (body.parent >= 0) {
    const BodyData<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)];
    entry.offset = parent.rotation * broadcast<S>(body.joint_translation);
    if (body.rotated) {
      joint_frame = parent.rotation * broadcast<S>(body.joint_rotation);
    } else {
      base = &parent.rotation;
    }
  } else {
    entry.offset = broadcast<S>(body.joint_translation);
    joint_frame = broadcast<S>(body.joint_rotation);
  }
  switch (body.joint) {
    case JointKind::revolute:
    case JointKind::continuous:
      turn(*base, body, data.angles[static_cast<std::size_t>(data.angle_of_body[index])],
           entry.rotation, dofs[0].axis);
      break;
    case JointKind::prismatic:
      entry.rotation = *base;
      dofs[0].axis = *base * broadcast<S>(body.axis);
      entry.offset = multiply_add(q[first], dofs[0].axis, entry.offset);
      break;
    case JointKind::spherical:
      entry.rotation = *base * to_matrix(read_quaternion(q, first));
      dofs[0].axis = entry.rotation.c0;
      dofs[1].axis = entry.rotation.c1;
      dofs[2].axis = entry.rotation.c2;
      break;
    case JointKind::planar:
      dofs[0].axis = *base * broadcast<S>(body.plane_x);
      dofs[1].axis = *base * broadcast<S>(body.plane_y);
      entry.offset = multiply_add(q[first], dofs[0].axis, entry.offset);
      entry.offset = multiply_add(q[first + 1], dofs[1].axis, entry.offset);
      turn(*base, body, data.angles[static_cast<std::size_t>(data.angle_of_body[index])],
           entry.rotation, dofs[2].axis);
      break;
    case JointKind::fixed:
    case JointKind::floating:
      break;
  }
  entry.position = body.parent >= 0
                       ? data.bodies[static_cast<std::size_t>(body.parent)].position + entry.offset
                       : entry.offset;
}

template <Scalar S>
[[gnu::always_inline]] inline void place(const BodyConstants& body, DynamicsData<S>& data,
                                         std::size_t index, std::span<const S> q) {
  BodyData<S>& entry = data.bodies[index];
  DofData<S>* dofs = data.dofs.data() + body.velocity_index;
  if (body.joint == JointKind::floating) {
    place_floating(body, entry, dofs, q);
  } else {
    place_on_joint(body, entry, dofs, data, index, q);
  }
}

/// Velocity of a body against its parent, world axes.
template <Scalar S>
[[gnu::always_inline]] inline Motion<S> relative_velocity(const BodyConstants& body,
                                                          const BodyData<S>& entry,
                                                          const DofData<S>* dofs, const S* v) {
  switch (body.joint) {
    case JointKind::revolute:
    case JointKind::continuous:
      return {v[0] * dofs[0].axis, {}};
    case JointKind::prismatic:
      return {{}, v[0] * dofs[0].axis};
    case JointKind::spherical:
      return {entry.rotation * Vector3<S>{v[0], v[1], v[2]}, {}};
    case JointKind::planar:
      return {v[2] * dofs[2].axis, multiply_add(v[1], dofs[1].axis, v[0] * dofs[0].axis)};
    case JointKind::floating:
      return {{v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
    case JointKind::fixed:
      break;
  }
  return {};
}

template <Scalar S>
[[gnu::always_inline]] inline void move(const BodyConstants& body, DynamicsData<S>& data,
                                        std::size_t index, std::span<const S> v) {
  BodyData<S>& entry = data.bodies[index];
  const std::size_t first = static_cast<std::size_t>(body.velocity_index);
  const Motion<S> relative =
      relative_velocity(body, entry, data.dofs.data() + first, v.data() + first);
  if (body.parent < 0) {
    entry.velocity = relative;
    entry.drift = {};
    return;
  }
  const BodyData<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)];
  const Vector3<S>& spin = parent.velocity.angular;
  const Vector3<S>& r = entry.offset;
  Vector3<S> swing = cross(spin, r);
  entry.velocity.angular = spin + relative.angular;
  entry.velocity.linear = parent.velocity.linear + swing;
  if (body.joint == JointKind::prismatic || body.joint == JointKind::planar) {
    entry.velocity.linear = entry.velocity.linear + relative.linear;
    swing = multiply_add(S(2.0), relative.linear, swing);
  }
  // α = α_p + ω_p x ω_rel,  a = a_p + α_p x r + ω_p x (ω_p x r + 2 ṙ)
  entry.drift.angular = cross_add(spin, relative.angular, parent.drift.angular);
  entry.drift.linear =
      cross_add(parent.drift.angular, r, cross_add(spin, swing, parent.drift.linear));
}

}  // namespace

template <Scalar S>
void update_positions(const Model& model, DynamicsData<S>& data, std::span<const S> q) {
  update_angles(data, q);
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) place(constants[i], data, i, q);
}

template <Scalar S>
void update_velocities(const Model& model, DynamicsData<S>& data, std::span<const S> v) {
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) move(constants[i], data, i, v);
}

template <Scalar S>
void update_kinematics(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                       std::span<const S> v) {
  update_angles(data, q);
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    place(constants[i], data, i, q);
    move(constants[i], data, i, v);
  }
}

template <Scalar S>
void update_accelerations(const Model& model, DynamicsData<S>& data, std::span<const S> dv) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    Motion<S> a;
    if (body.parent >= 0) {
      a = data.bodies[static_cast<std::size_t>(body.parent)].acceleration;
      a.linear = cross_add(a.angular, entry.offset, a.linear);
    }
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
      Vector3<S>& part = degrees[k].angular ? a.angular : a.linear;
      part = multiply_add(dv[k], data.dofs[k].axis, part);
    }
    entry.acceleration = a;
  }
}

template void update_positions(const Model&, DynamicsData<double>&, std::span<const double>);
template void update_positions(const Model&, DynamicsData<Lane>&, std::span<const Lane>);
template void update_velocities(const Model&, DynamicsData<double>&, std::span<const double>);
template void update_velocities(const Model&, DynamicsData<Lane>&, std::span<const Lane>);
template void update_kinematics(const Model&, DynamicsData<double>&, std::span<const double>,
                                std::span<const double>);
template void update_kinematics(const Model&, DynamicsData<Lane>&, std::span<const Lane>,
                                std::span<const Lane>);
template void update_accelerations(const Model&, DynamicsData<double>&, std::span<const double>);
template void update_accelerations(const Model&, DynamicsData<Lane>&, std::span<const Lane>);

void update_kinematics(const Model& model, DynamicsData<double>& data, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v) {
  require_size(q, model.position_count(), "q");
  require_size(v, model.velocity_count(), "v");
  update_kinematics<double>(model, data, as_span(q), as_span(v));
}

void update_accelerations(const Model& model, DynamicsData<double>& data,
                          const Eigen::VectorXd& dv) {
  require_size(dv, model.velocity_count(), "dv");
  update_accelerations<double>(model, data, as_span(dv));
}

}  // namespace stiction
