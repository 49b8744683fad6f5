#include "stiction/dynamics/kinematics.hpp"

#include "stiction/dynamics/limb_transfer.hpp"
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
template <Scalar S, class Constants>
[[gnu::always_inline]] inline void turn(const Matrix3<S>& base, const Constants& body,
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

/// Pose and axes of a body on any other joint, from its parent's pose (null: the world) and its
/// own positions `q`; `angle` where one of them is an angle.
template <Scalar S, class Constants>
[[gnu::always_inline]] inline void place_on_joint(const Constants& body, const BodyData<S>* parent,
                                                  const SineCosine<S>* angle, const S* q,
                                                  BodyData<S>& entry, DofData<S>* dofs) {
  Matrix3<S> joint_frame;
  const Matrix3<S>* base = &joint_frame;
  if (parent != nullptr) {
    if (body.coincident) {
      entry.offset = {};
    } else {
      entry.offset = parent->rotation * broadcast<S>(body.joint_translation);
    }
    if (body.rotated) {
      joint_frame = parent->rotation * broadcast<S>(body.joint_rotation);
    } else {
      base = &parent->rotation;
    }
  } else {
    entry.offset = broadcast<S>(body.joint_translation);
    joint_frame = broadcast<S>(body.joint_rotation);
  }
  switch (body.joint) {
    case JointKind::revolute:
    case JointKind::continuous:
      turn(*base, body, *angle, entry.rotation, dofs[0].axis);
      break;
    case JointKind::prismatic:
      entry.rotation = *base;
      dofs[0].axis = *base * broadcast<S>(body.axis);
      entry.offset = multiply_add(q[0], dofs[0].axis, entry.offset);
      break;
    case JointKind::spherical:
      entry.rotation = *base * to_matrix(Quaternion<S>{q[0], q[1], q[2], q[3]});
      dofs[0].axis = entry.rotation.c0;
      dofs[1].axis = entry.rotation.c1;
      dofs[2].axis = entry.rotation.c2;
      break;
    case JointKind::planar:
      dofs[0].axis = *base * broadcast<S>(body.plane_x);
      dofs[1].axis = *base * broadcast<S>(body.plane_y);
      entry.offset = multiply_add(q[0], dofs[0].axis, entry.offset);
      entry.offset = multiply_add(q[1], dofs[1].axis, entry.offset);
      turn(*base, body, *angle, entry.rotation, dofs[2].axis);
      break;
    case JointKind::fixed:
    case JointKind::floating:
      break;
  }
  entry.position = parent != nullptr ? parent->position + entry.offset : entry.offset;
}

/// The body on which this one hangs; null for the world.
template <Scalar S>
[[gnu::always_inline]] inline const BodyData<S>* parent_of(const BodyConstants& body,
                                                           const DynamicsData<S>& data) {
  return body.parent < 0 ? nullptr : &data.bodies[static_cast<std::size_t>(body.parent)];
}

template <Scalar S>
[[gnu::always_inline]] inline void place(const BodyConstants& body, DynamicsData<S>& data,
                                         std::size_t index, std::span<const S> q) {
  BodyData<S>& entry = data.bodies[index];
  DofData<S>* dofs = data.dofs.data() + body.velocity_index;
  if (body.joint == JointKind::floating) {
    place_floating(body, entry, dofs, q);
  } else {
    const int angle = data.angle_of_body[index];
    place_on_joint(body, parent_of(body, data), angle < 0 ? nullptr : data.angles.data() + angle,
                   q.data() + body.position_index, entry, dofs);
  }
}

/// Velocity of a body against its parent, world axes.
template <Scalar S, class Constants>
[[gnu::always_inline]] inline Motion<S> relative_velocity(const Constants& body,
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

/// Velocity and drift of a body from its parent's (null: the world) and its own velocities `v`.
template <Scalar S, class Constants>
[[gnu::always_inline]] inline void move(const Constants& body, const BodyData<S>* base,
                                        const DofData<S>* dofs, const S* v, BodyData<S>& entry) {
  const Motion<S> relative = relative_velocity(body, entry, dofs, v);
  if (base == nullptr) {
    entry.velocity = relative;
    entry.drift = {};
    return;
  }
  const BodyData<S>& parent = *base;
  const Vector3<S>& spin = parent.velocity.angular;
  entry.velocity.angular = spin + relative.angular;
  if (body.coincident) {
    entry.velocity.linear = parent.velocity.linear;
    entry.drift.angular = cross_add(spin, relative.angular, parent.drift.angular);
    entry.drift.linear = parent.drift.linear;
    return;
  }
  const Vector3<S>& r = entry.offset;
  Vector3<S> swing = cross(spin, r);
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

template <Scalar S>
[[gnu::always_inline]] inline void move(const BodyConstants& body, DynamicsData<S>& data,
                                        std::size_t index, std::span<const S> v) {
  move(body, parent_of(body, data), data.dofs.data() + body.velocity_index,
       v.data() + body.velocity_index, data.bodies[index]);
}

/// What the first bodies of limbs read of their common parent.
[[gnu::always_inline]] inline BodyData<Lane> spread_parent(const BodyData<double>& parent) {
  BodyData<Lane> lanes;
  lanes.rotation = broadcast<Lane>(parent.rotation);
  lanes.position = broadcast<Lane>(parent.position);
  lanes.velocity = {broadcast<Lane>(parent.velocity.angular),
                    broadcast<Lane>(parent.velocity.linear)};
  lanes.drift = {broadcast<Lane>(parent.drift.angular), broadcast<Lane>(parent.drift.linear)};
  return lanes;
}

[[gnu::always_inline]] inline void place_row(LimbRow& row, const BodyData<Lane>& parent,
                                             DofData<Lane>* dofs, std::span<const double> q) {
  const RowConstants& body = row.constants;
  Lane positions[4];
  for (std::size_t k = 0; k < static_cast<std::size_t>(position_size(body.joint)); ++k) {
    positions[k] = gather(q.data(), row.positions, k);
  }
  SineCosine<Lane> angle{};
  if (body.joint == JointKind::revolute || body.joint == JointKind::continuous) {
    angle = sine_cosine(positions[0]);
  } else if (body.joint == JointKind::planar) {
    angle = sine_cosine(positions[2]);
  }
  place_on_joint(body, &parent, &angle, positions, row.entry, dofs);
}

[[gnu::always_inline]] inline void move_row(LimbRow& row, const BodyData<Lane>& parent,
                                            const DofData<Lane>* dofs, std::span<const double> v) {
  Lane velocities[3];
  for (std::size_t k = 0; k < static_cast<std::size_t>(row.constants.velocity_count); ++k) {
    velocities[k] = gather(v.data(), row.velocities, k);
  }
  move(row.constants, &parent, dofs, velocities, row.entry);
}

/// To the bodies' own records: rotation, position and offset, velocity and drift, and the axes.
[[gnu::always_inline]] inline void scatter_kinematics(const LimbRow& row,
                                                      DynamicsData<double>& data) {
  constexpr std::size_t count = offsetof(BodyData<double>, acceleration) / sizeof(double);
  scatter_records<count>(numbers(row.entry), for_slots(row.bodies, [&](std::size_t i) {
                           return numbers(data.bodies[i]);
                         }));
  for (std::size_t k = 0; k < static_cast<std::size_t>(row.constants.velocity_count); ++k) {
    // One number more than the axis, to write whole lanes; it is the same on both sides.
    scatter_records<4>(
        numbers(data.limbs.dofs[static_cast<std::size_t>(row.first_dof) + k]),
        for_slots(row.velocities, [&](std::size_t i) { return numbers(data.dofs[i + k]); }));
  }
}

/// Poses (with `positions`) and velocities (with `velocities`) of all limbs that go side by side,
/// once the bodies on which they hang have theirs.
template <bool positions, bool velocities>
void update_limbs(DynamicsData<double>& data, std::span<const double> q,
                  std::span<const double> v) {
  LimbLanes& limbs = data.limbs;
  for (const LimbGroup& group : limbs.groups) {
    const BodyData<Lane> common =
        spread_parent(data.bodies[static_cast<std::size_t>(group.parent)]);
    LimbRow* const rows = limbs.rows.data() + group.first_row;
    LimbRow* const end = limbs.rows.data() + group.end_row;
    for (LimbRow* row = rows; row != end; ++row) {
      const int above = row->constants.parent;
      const BodyData<Lane>& parent = above < 0 ? common : rows[above].entry;
      DofData<Lane>* dofs = limbs.dofs.data() + row->first_dof;
      if constexpr (positions) place_row(*row, parent, dofs, q);
      if constexpr (velocities) move_row(*row, parent, dofs, v);
      scatter_kinematics(*row, data);
    }
  }
}

/// A robot per lane has no lanes left for its limbs.
template <bool positions, bool velocities>
void update_limbs(DynamicsData<Lane>&, std::span<const Lane>, std::span<const Lane>) {}

}  // namespace

template <Scalar S>
void update_positions(const Model& model, DynamicsData<S>& data, std::span<const S> q) {
  update_angles(data, q);
  const std::vector<BodyConstants>& constants = model.constants();
  for (const int body : data.limbs.alone) {
    const std::size_t i = static_cast<std::size_t>(body);
    place(constants[i], data, i, q);
  }
  update_limbs<true, false>(data, q, {});
}

template <Scalar S>
void update_velocities(const Model& model, DynamicsData<S>& data, std::span<const S> v) {
  const std::vector<BodyConstants>& constants = model.constants();
  for (const int body : data.limbs.alone) {
    const std::size_t i = static_cast<std::size_t>(body);
    move(constants[i], data, i, v);
  }
  update_limbs<false, true>(data, {}, v);
}

template <Scalar S>
void update_kinematics(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                       std::span<const S> v) {
  update_angles(data, q);
  const std::vector<BodyConstants>& constants = model.constants();
  for (const int body : data.limbs.alone) {
    const std::size_t i = static_cast<std::size_t>(body);
    place(constants[i], data, i, q);
    move(constants[i], data, i, v);
  }
  update_limbs<true, true>(data, q, v);
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
