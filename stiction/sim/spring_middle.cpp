#include "stiction/sim/spring_middle.hpp"

#include <algorithm>

#include "stiction/compliant/springs.hpp"
#include "stiction/core/index.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Keys of accelerations come after those of locks (touch/find_constraints.cpp). The rest of a key
/// is the first of up to three velocities.
constexpr std::uint64_t first_acceleration_key = std::uint64_t{7} << 61;

/// Adds h/2 times the accelerations that the State remembers.
void add_remembered(const State& state, double half, std::span<double> velocity) {
  auto entry =
      std::ranges::lower_bound(state.memory, first_acceleration_key, {}, &ImpulseMemory::key);
  for (; entry != state.memory.end(); ++entry) {
    const std::uint64_t first = entry->key - first_acceleration_key;
    for (std::uint64_t k = 0; k < 3 && first + k < velocity.size(); ++k) {
      velocity[first + k] += half * entry->impulse[k];
    }
  }
}

/// q ⊕ h v for half a step: turns are exact to second order, which is enough there.
void integrate_half(const Model& model, std::span<const double> q, std::span<const double> v,
                    double half, std::span<double> result) {
  const auto turn = [&](const Quaternion<double>& product, std::size_t at) {
    const Quaternion<double> to = normalized(product);
    result[at] = to.x;
    result[at + 1] = to.y;
    result[at + 2] = to.z;
    result[at + 3] = to.w;
  };
  const auto pure = [&](std::size_t at) {
    const double quarter = 0.5 * half;
    return Quaternion<double>{quarter * v[at], quarter * v[at + 1], quarter * v[at + 2], 1.0};
  };
  for (const BodyConstants& body : model.constants()) {
    const std::size_t iq = index(body.position_index);
    const std::size_t iv = index(body.velocity_index);
    if (body.joint == JointKind::spherical) {
      turn(read_quaternion(q, iq) * pure(iv), iq);
      continue;
    }
    const bool floats = body.joint == JointKind::floating;
    const std::size_t count = floats ? 3 : index(body.velocity_count);
    for (std::size_t k = 0; k < count; ++k) result[iq + k] = fma(half, v[iv + k], q[iq + k]);
    if (floats) turn(pure(iv + 3) * read_quaternion(q, iq + 3), iq + 3);
  }
}

}  // namespace

bool has_middle(const Model& model) {
  return std::ranges::none_of(model.couplings(), [](const Coupling& coupling) {
    return coupling.kind == Coupling::Kind::connect || coupling.kind == Coupling::Kind::weld;
  });
}

void foresee_middle(const Model& model, const State& state, double time_step, SpringMiddle& middle,
                    DynamicsData<double>& there) {
  const std::span<const double> before = as_span(state.v);
  const double half = 0.5 * time_step;
  middle.position.resize(index(model.position_count()));
  middle.velocity.assign(before.begin(), before.end());
  middle.rate.resize(before.size());
  add_remembered(state, half, middle.velocity);
  for (std::size_t k = 0; k < before.size(); ++k) {
    middle.rate[k] = 0.5 * (before[k] + middle.velocity[k]);
  }
  integrate_half(model, as_span(state.q), middle.rate, half, middle.position);
  update_kinematics<double>(model, there, middle.position, middle.velocity);
}

void find_middle_points(const SceneSnapshot& scene, const DynamicsData<double>& there,
                        std::span<const ShapeGeometry> geometries,
                        std::span<const Candidate> contacts, SpringMiddle& middle) {
  middle.points.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint<double>& at = contacts[i].contact;
    const ContactCenters centers = contact_centers(geometries, contacts[i]);
    const auto way = [&](int body, const Vector3<double>& center) -> Vector3<double> {
      if (body < 0) return {};
      const BodyData<double>& start = scene.dynamics.bodies[index(body)];
      const BodyData<double>& end = there.bodies[index(body)];
      const Vector3<double> arm = transpose_times(start.rotation, center - start.position);
      return multiply_add(end.rotation, arm, end.position) - center;
    };
    const Vector3<double> way_a = way(at.body_a, centers.a);
    const Vector3<double> way_b = way(at.body_b, centers.b);
    const double share = at.body_a < 0 || at.body_b < 0 ? 1.0 : 0.5;
    const Vector3<double> along = share * (way_a + way_b);
    const Vector3<double>& normal = at.axes.c2;
    const double up = centers.share_a * dot(way_a, normal) +
                      (1.0 - centers.share_a) * dot(way_b, normal) - dot(along, normal);
    middle.points[i] = multiply_add(up, normal, at.point + along);
  }
}

void exchange_points(SpringMiddle& middle, std::span<Candidate> contacts) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    std::swap(middle.points[i], contacts[i].contact.point);
  }
}

void remember_accelerations(const SceneLayout& layout, std::span<const char> is_smooth,
                            std::span<const double> velocity_before,
                            std::span<const double> next_velocity, double time_step,
                            std::vector<ImpulseMemory>& memory) {
  const double per_time = 1.0 / time_step;
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    if (is_smooth[t] == 0) continue;
    const std::size_t end = index(layout.trees[t].velocity_end);
    for (std::size_t k = index(layout.trees[t].velocity_first); k < end; k += 3) {
      ImpulseMemory& entry = memory.emplace_back();
      entry.key = first_acceleration_key + k;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, end - k); ++i) {
        entry.impulse[i] = per_time * (next_velocity[k + i] - velocity_before[k + i]);
      }
    }
  }
}

}  // namespace stiction
