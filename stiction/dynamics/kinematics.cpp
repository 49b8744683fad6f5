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

template <Scalar S>
[[gnu::always_inline]] inline void turn(Matrix3<S>& rotation, const BodyConstants& body,
                                        const SineCosine<S>& angle) {
  const SineCosine<S> signed_angle{S(body.axis_sign) * angle.sine, angle.cosine};
  switch (body.axis_kind) {
    case AxisKind::x:
      turn_about_axis<0>(rotation, signed_angle);
      break;
    case AxisKind::y:
      turn_about_axis<1>(rotation, signed_angle);
      break;
    case AxisKind::z:
      turn_about_axis<2>(rotation, signed_angle);
      break;
    case AxisKind::general:
      rotation = rotation * about_axis(broadcast<S>(body.axis), angle);
      break;
  }
}

/// The joint axis in world axes, given the rotation of the joint frame or of the body (alike on
/// it).
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> world_axis(const Matrix3<S>& rotation,
                                                    const BodyConstants& body) {
  switch (body.axis_kind) {
    case AxisKind::x:
      return S(body.axis_sign) * rotation.c0;
    case AxisKind::y:
      return S(body.axis_sign) * rotation.c1;
    case AxisKind::z:
      return S(body.axis_sign) * rotation.c2;
    case AxisKind::general:
      break;
  }
  return rotation * broadcast<S>(body.axis);
}

template <Scalar S>
[[gnu::always_inline]] inline Quaternion<S> read_quaternion(std::span<const S> q,
                                                            std::size_t first) {
  return {q[first], q[first + 1], q[first + 2], q[first + 3]};
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
  Matrix3<S> R;
  if (body.parent >= 0) {
    const BodyData<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)];
    entry.offset = parent.rotation * broadcast<S>(body.joint_translation);
    R = body.rotated ? parent.rotation * broadcast<S>(body.joint_rotation) : parent.rotation;
  } else {
    entry.offset = broadcast<S>(body.joint_translation);
    R = broadcast<S>(body.joint_rotation);
  }
  switch (body.joint) {
    case JointKind::revolute:
    case JointKind::continuous:
      turn(R, body, data.angles[static_cast<std::size_t>(data.angle_of_body[index])]);
      dofs[0].axis = world_axis(R, body);
      break;
    case JointKind::prismatic:
      dofs[0].axis = world_axis(R, body);
      entry.offset = multiply_add(q[first], dofs[0].axis, entry.offset);
      break;
    case JointKind::spherical:
      R = R * to_matrix(read_quaternion(q, first));
      dofs[0].axis = R.c0;
      dofs[1].axis = R.c1;
      dofs[2].axis = R.c2;
      break;
    case JointKind::planar:
      dofs[0].axis = R * broadcast<S>(body.plane_x);
      dofs[1].axis = R * broadcast<S>(body.plane_y);
      dofs[2].axis = world_axis(R, body);
      entry.offset = multiply_add(q[first], dofs[0].axis, entry.offset);
      entry.offset = multiply_add(q[first + 1], dofs[1].axis, entry.offset);
      turn(R, body, data.angles[static_cast<std::size_t>(data.angle_of_body[index])]);
      break;
    case JointKind::fixed:
    case JointKind::floating:
      break;
  }
  entry.rotation = R;
  entry.position = body.parent >= 0
                       ? data.bodies[static_cast<std::size_t>(body.parent)].position + entry.offset
                       : entry.offset;
}

}  // namespace

template <Scalar S>
void update_positions(const Model& model, DynamicsData<S>& data, std::span<const S> q) {
  update_angles(data, q);
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    DofData<S>* dofs = data.dofs.data() + body.velocity_index;
    if (body.joint == JointKind::floating) {
      place_floating(body, entry, dofs, q);
    } else {
      place_on_joint(body, entry, dofs, data, i, q);
    }
    entry.mass_center = entry.rotation * broadcast<S>(body.inertia.mass_center);
    entry.inertia = rotate(entry.rotation, broadcast<S>(body.inertia.inertia));
  }
}

template <Scalar S>
void update_velocities(const Model& model, DynamicsData<S>& data, std::span<const S> v) {
  const std::vector<BodyConstants>& constants = model.constants();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    const DofData<S>* dofs = data.dofs.data() + first;
    if (body.joint == JointKind::floating) {
      entry.velocity.linear = {v[first], v[first + 1], v[first + 2]};
      entry.velocity.angular = {v[first + 3], v[first + 4], v[first + 5]};
      entry.velocity_drift = {};
      continue;
    }
    const bool one_turn = body.joint == JointKind::revolute || body.joint == JointKind::continuous;
    Motion<S> relative;
    if (one_turn) {
      relative.angular = v[first] * dofs[0].axis;
    } else if (body.joint == JointKind::prismatic) {
      relative.linear = v[first] * dofs[0].axis;
    } else if (body.joint == JointKind::spherical) {
      relative.angular = entry.rotation * Vector3<S>{v[first], v[first + 1], v[first + 2]};
    } else {
      relative.linear = multiply_add(v[first + 1], dofs[1].axis, v[first] * dofs[0].axis);
      relative.angular = v[first + 2] * dofs[2].axis;
    }
    if (body.parent < 0) {
      entry.velocity = relative;
      entry.velocity_drift = {};
      continue;
    }
    const Motion<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)].velocity;
    const Vector3<S> swing = cross(parent.angular, entry.offset);
    entry.velocity.angular = parent.angular + relative.angular;
    entry.velocity.linear = parent.linear + swing;
    entry.velocity_drift.angular = cross(parent.angular, relative.angular);
    if (body.joint == JointKind::prismatic || body.joint == JointKind::planar) {
      // centripetal and Coriolis: ω x (ω x r) + 2 ω x ṙ
      entry.velocity.linear = entry.velocity.linear + relative.linear;
      entry.velocity_drift.linear =
          cross(parent.angular, multiply_add(S(2.0), relative.linear, swing));
    } else {
      entry.velocity_drift.linear = cross(parent.angular, swing);
    }
  }
}

template <Scalar S>
void update_kinematics(const Model& model, DynamicsData<S>& data, std::span<const S> q,
                       std::span<const S> v) {
  update_positions(model, data, q);
  update_velocities(model, data, v);
}

namespace {

template <bool with_dv, Scalar S>
void accelerate(const Model& model, DynamicsData<S>& data, std::span<const S> dv) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const BodyConstants& body = constants[i];
    BodyData<S>& entry = data.bodies[i];
    Motion<S> a = entry.velocity_drift;
    if (body.parent >= 0) {
      const Motion<S>& parent = data.bodies[static_cast<std::size_t>(body.parent)].acceleration;
      a.angular = a.angular + parent.angular;
      a.linear = cross_add(parent.angular, entry.offset, a.linear + parent.linear);
    }
    if constexpr (with_dv) {
      for (int k = body.velocity_index; k < body.velocity_index + body.velocity_count; ++k) {
        const std::size_t slot = static_cast<std::size_t>(k);
        Vector3<S>& part = degrees[slot].angular ? a.angular : a.linear;
        part = multiply_add(dv[slot], data.dofs[slot].axis, part);
      }
    }
    entry.acceleration = a;
  }
}

}  // namespace

template <Scalar S>
void update_accelerations(const Model& model, DynamicsData<S>& data, std::span<const S> dv) {
  accelerate<true>(model, data, dv);
}

template <Scalar S>
void update_drift(const Model& model, DynamicsData<S>& data) {
  accelerate<false>(model, data, std::span<const S>{});
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
template void update_drift(const Model&, DynamicsData<double>&);
template void update_drift(const Model&, DynamicsData<Lane>&);

void update_kinematics(const Model& model, DynamicsData<double>& data, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v) {
  update_kinematics<double>(model, data, as_span(q), as_span(v));
}

void update_accelerations(const Model& model, DynamicsData<double>& data,
                          const Eigen::VectorXd& dv) {
  update_accelerations<double>(model, data, as_span(dv));
}

}  // namespace stiction
