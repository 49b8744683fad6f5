#include "stiction/dynamics/delassus.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "stiction/core/lane_records.hpp"
#include "stiction/core/unroll.hpp"
#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

namespace {

/// The most bodies and velocities on the way from any body to its root.
std::pair<int, int> longest_path(const Model& model) {
  std::vector<std::pair<int, int>> lengths(static_cast<std::size_t>(model.body_count()), {0, 0});
  std::pair<int, int> longest{0, 0};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    const std::pair<int, int> parent =
        body.parent < 0 ? std::pair{0, 0} : lengths[static_cast<std::size_t>(body.parent)];
    lengths[i] = {parent.first + 1, parent.second + body.velocity_count};
    longest.first = std::max(longest.first, lengths[i].first);
    longest.second = std::max(longest.second, lengths[i].second);
  }
  return longest;
}

/// The body itself if a force can move it, else none.
int movable(const Model& model, int body) {
  if (body < 0 || model.constants()[static_cast<std::size_t>(body)].kinematic) return world_body;
  return body;
}

template <Scalar S>
[[gnu::always_inline]] inline void subtract_outer(Matrix3<S>& m, const Vector3<S>& column,
                                                  const Vector3<S>& row) {
  m.c0 = multiply_subtract(row.x, column, m.c0);
  m.c1 = multiply_subtract(row.y, column, m.c1);
  m.c2 = multiply_subtract(row.z, column, m.c2);
}

}  // namespace

template <Scalar S>
DelassusKernel<S>::DelassusKernel(const Model& model, int capacity) {
  const auto [bodies, velocities] = longest_path(model);
  const auto [tendon_bodies, tendon_velocities] = longest_tendon_row(model);
  steps_per_contact_ = std::max(2 * bodies, tendon_bodies);
  shares_per_contact_ = std::max(2 * velocities, tendon_velocities);
  pushes_.resize(static_cast<std::size_t>(model.velocity_count()), S(0.0));
  pulls_.resize(static_cast<std::size_t>(model.body_count()));
  residuals_.resize(static_cast<std::size_t>(model.velocity_count()));
  accelerations_.resize(static_cast<std::size_t>(model.body_count()));
  velocities_ = residuals_.size();
  impulse_shares_.resize(2 * velocities_, S(0.0));
  changes_.resize(accelerations_.size());
  if constexpr (std::same_as<S, double>) {
    row_changes_.resize(LimbLanes(model, LimbUse::in_lanes).rows.size());
  }
  reserve(capacity);
}

template <Scalar S>
void DelassusKernel<S>::reserve(int capacity) {
  if (capacity <= capacity_) return;
  const std::size_t count = static_cast<std::size_t>(capacity);
  steps_.resize(count * static_cast<std::size_t>(steps_per_contact_));
  paths_.resize(count);
  shares_.resize(count * static_cast<std::size_t>(shares_per_contact_));
  capacity_ = capacity;
}

template <Scalar S>
void DelassusKernel<S>::propagate(const Model& model, const DynamicsData<S>& data,
                                  std::span<const ContactPoint<S>> contacts) {
  if (contacts.size() > static_cast<std::size_t>(capacity_)) {
    throw std::invalid_argument(
        "more contacts than this DelassusKernel was made for: " + std::to_string(contacts.size()) +
        " > " + std::to_string(capacity_));
  }
  count_ = static_cast<int>(contacts.size());
  for (int i = 0; i < count_; ++i) {
    propagate_one(model, data, contacts[static_cast<std::size_t>(i)], i);
  }
}

namespace {

/// What the joint's velocity takes up of the three forces; they lose what it carries.
template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> take_share(const DofData<S>& dof, bool angular_axis,
                                                    Matrix3<S>& angular, Matrix3<S>& linear,
                                                    Vector3<S>& scaled) {
  const Vector3<S> y =
      angular_axis ? transpose_times(angular, dof.axis) : transpose_times(linear, dof.axis);
  scaled = dof.inverse_inertia * y;
  subtract_outer(angular, dof.response.angular, scaled);
  subtract_outer(linear, dof.response.linear, scaled);
  return y;
}

}  // namespace

template <Scalar S>
[[gnu::always_inline]] inline void DelassusKernel<S>::pass_body(const Model& model,
                                                                const DynamicsData<S>& data,
                                                                Climb& climb, Track& track) {
  const std::size_t index = static_cast<std::size_t>(climb.body);
  const BodyConstants& body = model.constants()[index];
  const std::size_t first = static_cast<std::size_t>(body.velocity_index);
  Share* shares = shares_.data() + track.share;
  Matrix3<S>& angular = climb.wrench.angular;
  Matrix3<S>& linear = climb.wrench.linear;
  if (body.joint == JointKind::revolute || body.joint == JointKind::continuous) {
    shares[0].y = take_share(data.dofs[first], true, angular, linear, shares[0].scaled);
  } else if (body.joint == JointKind::floating) {
    const BaseFactor<S>& factor =
        data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[index])];
    const Matrix3<S> l = transpose(linear);
    const Matrix3<S> a = transpose(angular);
    Vector3<S> x[6] = {l.c0, l.c1, l.c2, a.c0, a.c1, a.c2};
    solve_lower(factor, x);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      shares[k].y = x[k];
      shares[k].scaled = factor.inverse_diagonal[k] * x[k];
    }
  } else {
    for (int k = body.velocity_count; k-- > 0;) {
      const std::size_t slot = first + static_cast<std::size_t>(k);
      shares[k].y = take_share(data.dofs[slot], model.degrees_of_freedom()[slot].angular, angular,
                               linear, shares[k].scaled);
    }
  }
  steps_[static_cast<std::size_t>(track.step++)] = {climb.body, body.velocity_count,
                                                    body.velocity_index, track.share};
  track.share += body.velocity_count;
  climb.body = movable(model, body.parent);
  if (climb.body >= 0) {
    const Vector3<S>& r = data.bodies[index].offset;
    angular.c0 = cross_add(r, linear.c0, angular.c0);
    angular.c1 = cross_add(r, linear.c1, angular.c1);
    angular.c2 = cross_add(r, linear.c2, angular.c2);
  }
}

/// As pass_body(), where the joint is pushed along `direction` itself, too.
template <Scalar S>
void DelassusKernel<S>::pass_driven_body(const Model& model, const DynamicsData<S>& data,
                                         Climb& climb, Track& track,
                                         const JointDirection<S>& direction) {
  const std::size_t index = static_cast<std::size_t>(climb.body);
  const BodyConstants& body = model.constants()[index];
  Share* shares = shares_.data() + track.share;
  S push[6];
  for (int k = 0; k < body.velocity_count; ++k) {
    push[k] = S(0.0);
    for (int d = 0; d < direction.count; ++d) {
      if (direction.index[d] == body.velocity_index + k) push[k] = direction.coefficient[d];
    }
  }
  Matrix3<S>& angular = climb.wrench.angular;
  Matrix3<S>& linear = climb.wrench.linear;
  if (body.joint == JointKind::floating) {
    const BaseFactor<S>& factor =
        data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[index])];
    const Matrix3<S> l = transpose(linear);
    const Matrix3<S> a = transpose(angular);
    Vector3<S> x[6] = {l.c0, l.c1, l.c2, a.c0, a.c1, a.c2};
    for (int k = 0; k < 6; ++k) x[k].x = x[k].x + push[k];
    solve_lower(factor, x);
    for (int k = 0; k < 6; ++k) {
      shares[k].y = x[k];
      shares[k].scaled = factor.inverse_diagonal[k] * x[k];
    }
  } else {
    for (int k = body.velocity_count; k-- > 0;) {
      const std::size_t slot = static_cast<std::size_t>(body.velocity_index + k);
      const DofData<S>& dof = data.dofs[slot];
      Vector3<S> y =
          transpose_times(model.degrees_of_freedom()[slot].angular ? angular : linear, dof.axis);
      y.x = y.x + push[k];
      const Vector3<S> scaled = dof.inverse_inertia * y;
      subtract_outer(angular, dof.response.angular, scaled);
      subtract_outer(linear, dof.response.linear, scaled);
      shares[k].y = y;
      shares[k].scaled = scaled;
    }
  }
  steps_[static_cast<std::size_t>(track.step++)] = {climb.body, body.velocity_count,
                                                    body.velocity_index, track.share};
  track.share += body.velocity_count;
  climb_on(model, data, climb);
}

/// To the parent, with the moment about its origin.
template <Scalar S>
void DelassusKernel<S>::climb_on(const Model& model, const DynamicsData<S>& data, Climb& climb) {
  const std::size_t index = static_cast<std::size_t>(climb.body);
  climb.body = movable(model, model.constants()[index].parent);
  if (climb.body < 0) return;
  const Vector3<S>& r = data.bodies[index].offset;
  Wrench3& wrench = climb.wrench;
  wrench.angular.c0 = cross_add(r, wrench.linear.c0, wrench.angular.c0);
  wrench.angular.c1 = cross_add(r, wrench.linear.c1, wrench.angular.c1);
  wrench.angular.c2 = cross_add(r, wrench.linear.c2, wrench.angular.c2);
}

template <Scalar S>
void DelassusKernel<S>::end_path(int index, const Track& track, bool single) {
  Path& path = paths_[static_cast<std::size_t>(index)];
  path.steps = track.step - index * steps_per_contact_;
  path.shares = track.share - index * shares_per_contact_;
  path.branch = -1;
  if (path.steps == 0) return;
  const Step* const end = steps_.data() + track.step;
  path.last = end[-1];
  if (single) path.branch = end[-std::min(path.steps, 2)].body;
}

template <Scalar S>
void DelassusKernel<S>::set_rotation(const Model& model, const DynamicsData<S>& data, int index,
                                     int body_a, int body_b, const Matrix3<S>& axes) {
  const Matrix3<S> against{-axes.c0, -axes.c1, -axes.c2};
  Track track{index * steps_per_contact_, index * shares_per_contact_};
  Climb climb{movable(model, body_b), {}};
  if (climb.body >= 0) climb.wrench.angular = axes;
  Climb other{movable(model, body_a), {}};
  const bool single = climb.body < 0 || other.body < 0;
  if (other.body >= 0) {
    other.wrench.angular = against;
    climb = climb_pair(model, data, other, climb, track);
  }
  while (climb.body >= 0) pass_body(model, data, climb, track);
  end_path(index, track, single);
}

template <Scalar S>
void DelassusKernel<S>::set_joints(const Model& model, const DynamicsData<S>& data, int index,
                                   const JointDirection<S>& direction) {
  const auto body_of = [&](int d) {
    return model.degrees_of_freedom()[static_cast<std::size_t>(direction.index[d])].body;
  };
  Climb a{world_body, {}};
  Climb b{direction.count > 0 ? movable(model, body_of(0)) : world_body, {}};
  for (int d = 1; d < direction.count; ++d) {
    if (body_of(d) != b.body) a.body = movable(model, body_of(d));
  }
  const bool single = a.body < 0 || b.body < 0;
  Track track{index * steps_per_contact_, index * shares_per_contact_};
  while (a.body >= 0 || b.body >= 0) {
    if (a.body == b.body) {
      b.wrench = {b.wrench.angular + a.wrench.angular, b.wrench.linear + a.wrench.linear};
      a = {world_body, {}};
    }
    pass_driven_body(model, data, a.body > b.body ? a : b, track, direction);
  }
  end_path(index, track, single);
}

template <Scalar S>
void DelassusKernel<S>::set_moment(const Model& model, const DynamicsData<S>& data, int index,
                                   std::span<const MomentTerm> terms, std::span<const int> bodies) {
  for (const MomentTerm& term : terms) {
    S& push = pushes_[static_cast<std::size_t>(term.index)];
    push = push + S(term.coefficient);
  }
  for (const int body : bodies) pulls_[static_cast<std::size_t>(body)] = {};
  Track track{index * steps_per_contact_, index * shares_per_contact_};
  for (const int body : bodies) {
    const int parent = movable(model, model.parent(body));
    const std::size_t slot = static_cast<std::size_t>(body);
    pass_pulled_body(model, data, body, track);
    if (parent < 0) continue;
    Force<S>& carried = pulls_[static_cast<std::size_t>(parent)];
    carried += shift(pulls_[slot], data.bodies[slot].offset);
  }
  for (const MomentTerm& term : terms) pushes_[static_cast<std::size_t>(term.index)] = S(0.0);
  end_path(index, track, false);
}

/// As pass_driven_body() for one direction alone: what the joint does not take up stays in pulls_.
template <Scalar S>
void DelassusKernel<S>::pass_pulled_body(const Model& model, const DynamicsData<S>& data, int body,
                                         Track& track) {
  const std::size_t own = static_cast<std::size_t>(body);
  const BodyConstants& constants = model.constants()[own];
  const std::size_t first = static_cast<std::size_t>(constants.velocity_index);
  const int count = constants.velocity_count;
  Share* shares = shares_.data() + track.share;
  Force<S>& pull = pulls_[own];
  const auto store = [&](int k, const S& y, const S& inverse) {
    shares[k].y = {y, S(0.0), S(0.0)};
    shares[k].scaled = {inverse * y, S(0.0), S(0.0)};
  };
  if (constants.joint == JointKind::floating) {
    const BaseFactor<S>& factor =
        data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[own])];
    S x[6] = {pull.linear.x,  pull.linear.y,  pull.linear.z,
              pull.angular.x, pull.angular.y, pull.angular.z};
    for (std::size_t k = 0; k < 6; ++k) x[k] = x[k] + pushes_[first + k];
    solve_lower(factor, x);
    for (int k = 0; k < 6; ++k) store(k, x[k], factor.inverse_diagonal[k]);
  } else {
    for (int k = count; k-- > 0;) {
      const std::size_t slot = first + static_cast<std::size_t>(k);
      const DofData<S>& dof = data.dofs[slot];
      const bool turns = model.degrees_of_freedom()[slot].angular;
      const S y = dot(turns ? pull.angular : pull.linear, dof.axis) + pushes_[slot];
      store(k, y, dof.inverse_inertia);
      const S scaled = dof.inverse_inertia * y;
      pull.angular = multiply_subtract(scaled, dof.response.angular, pull.angular);
      pull.linear = multiply_subtract(scaled, dof.response.linear, pull.linear);
    }
  }
  steps_[static_cast<std::size_t>(track.step++)] = {body, count, constants.velocity_index,
                                                    track.share};
  track.share += count;
}

template <Scalar S>
void DelassusKernel<S>::clear_impulses(const Model& model, int root) {
  const BodyConstants& first = model.constants()[static_cast<std::size_t>(root)];
  const BodyConstants& last = model.constants()[static_cast<std::size_t>(first.subtree_end - 1)];
  for (int k = first.velocity_index; k < last.velocity_index + last.velocity_count; ++k) {
    impulse_shares_[static_cast<std::size_t>(k)] = S(0.0);
    impulse_shares_[velocities_ + static_cast<std::size_t>(k)] = S(0.0);
  }
}

namespace {

/// Adds the impulse times each of the shares to as many sums.
template <class Share, Scalar S>
[[gnu::always_inline]] inline void add_dots(const Share* shares, const Vector3<S>& impulse,
                                            int count, S* sums) {
  int k = 0;
#if defined(STICTION_FOUR_DOUBLES)
  if constexpr (detail::directions_in_lane<S>) {
    for (; k + 4 <= count; k += 4) {
      lane_detail::Square m;
      unroll<4>([&](auto i) __attribute__((always_inline)) {
        m[i] = Lane::load_unaligned(&shares[k + static_cast<int>(i)].scaled.x);
      });
      lane_detail::transpose(m);
      const Lane dots =
          fma(m[2], Lane(impulse.z), fma(m[1], Lane(impulse.y), m[0] * Lane(impulse.x)));
      (Lane::load_unaligned(sums + k) + dots).store_unaligned(sums + k);
    }
  }
#endif
  for (; k < count; ++k) sums[k] = sums[k] + dot(shares[k].scaled, impulse);
}

}  // namespace

template <Scalar S>
void DelassusKernel<S>::add_impulse(int index, const Vector3<S>& impulse) {
  carry_impulse(index, impulse, impulse_shares_.data());
}

template <Scalar S>
void DelassusKernel<S>::add_impulses(int index, const Vector3<S>& first, const Vector3<S>& second) {
  carry_impulse(index, first, impulse_shares_.data());
  carry_impulse(index, second, impulse_shares_.data() + velocities_);
}

template <Scalar S>
[[gnu::always_inline]] inline void DelassusKernel<S>::carry_impulse(int index,
                                                                    const Vector3<S>& impulse,
                                                                    S* to) {
  const Step* step = steps_.data() + index * steps_per_contact_;
  const Step* const end = step + paths_[static_cast<std::size_t>(index)].steps;
  for (; step != end; ++step) {
    S* const sums = to + step->first_velocity;
    const Share* const shares = shares_.data() + step->first_share;
    if (step->velocities == 1) {
      sums[0] = sums[0] + dot(shares[0].scaled, impulse);
    } else if (step->velocities == 6) {
      add_dots(shares, impulse, 6, sums);
    } else {
      add_dots(shares, impulse, step->velocities, sums);
    }
  }
}

namespace {

/// What impulses change of a body's own velocities, given the `shares` that these took, each
/// written with `write(k, value)`, and what they add to the body's change `a`.
template <Scalar S, class Share, class Write>
[[gnu::always_inline]] inline void change_joint(const DegreeOfFreedom* degrees,
                                                const DofData<S>* dofs, int count,
                                                const Share& share, const Write& write,
                                                Motion<S>& a) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const DofData<S>& dof = dofs[k];
    const S value = share(k) - dof.inverse_inertia * dot(dof.response, a);
    write(k, value);
    if (degrees[k].angular) {
      a.angular = multiply_add(value, dof.axis, a.angular);
    } else {
      a.linear = multiply_add(value, dof.axis, a.linear);
    }
  }
}

}  // namespace

template <Scalar S>
template <std::size_t count>
void DelassusKernel<S>::change(const Model& model, const DynamicsData<S>& data, int root,
                               const std::array<std::span<S>, count>& dv) {
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  const int end = model.constants()[static_cast<std::size_t>(root)].subtree_end;
  const int* const stop =
      data.limbs.alone.data() + data.limbs.alone_before[static_cast<std::size_t>(end)];
  Motion<S> a[count];
  for (const int* at =
           data.limbs.alone.data() + data.limbs.alone_before[static_cast<std::size_t>(root)];
       at != stop; ++at) {
    const std::size_t i = static_cast<std::size_t>(*at);
    const BodyConstants& body = model.constants()[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    for (std::size_t set = 0; set < count; ++set) {
      const S* const shares = impulse_shares_.data() + set * velocities_ + first;
      S* const to = dv[set].data() + first;
      if (body.kinematic) {
        a[set] = {};
        for (std::size_t k = 0; k < 6; ++k) to[k] = S(0.0);
      } else if (body.joint == JointKind::floating) {
        const BaseFactor<S>& factor =
            data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])];
        S x[6];
        for (std::size_t k = 0; k < 6; ++k) x[k] = shares[k];
        solve_upper(factor, x);
        for (std::size_t k = 0; k < 6; ++k) to[k] = x[k];
        a[set] = {{x[3], x[4], x[5]}, {x[0], x[1], x[2]}};
      } else {
        if (body.parent < 0) {
          a[set] = {};
        } else {
          if (static_cast<std::size_t>(body.parent) + 1 != i) {
            a[set] = changes_[static_cast<std::size_t>(body.parent)][set];
          }
          a[set].linear = cross_add(a[set].angular, data.bodies[i].offset, a[set].linear);
        }
        change_joint(
            degrees + first, data.dofs.data() + first, body.velocity_count,
            [&](std::size_t k) __attribute__((always_inline)) { return shares[k]; },
            [&](std::size_t k, const S& value) __attribute__((always_inline)) { to[k] = value; },
            a[set]);
      }
      changes_[i][set] = a[set];
    }
  }
  change_limbs<count>(model, data, root, dv);
}

template <Scalar S>
void DelassusKernel<S>::velocity_change(const Model& model, const DynamicsData<S>& data, int root,
                                        std::span<S> dv) {
  change<1>(model, data, root, {dv});
}

template <Scalar S>
void DelassusKernel<S>::velocity_changes(const Model& model, const DynamicsData<S>& data, int root,
                                         std::span<S> first, std::span<S> second) {
  change<2>(model, data, root, {first, second});
}

/// The part of change() of limbs that go side by side, once their parents have theirs.
template <Scalar S>
template <std::size_t count>
void DelassusKernel<S>::change_limbs(const Model& model, const DynamicsData<S>& data, int root,
                                     const std::array<std::span<S>, count>& dv) {
  if constexpr (std::same_as<S, double>) {
    const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
    const LimbLanes& limbs = data.limbs;
    const int end = model.constants()[static_cast<std::size_t>(root)].subtree_end;
    const int stop = limbs.groups_before[static_cast<std::size_t>(end)];
    for (int g = limbs.groups_before[static_cast<std::size_t>(root)]; g < stop; ++g) {
      const LimbGroup& group = limbs.groups[static_cast<std::size_t>(g)];
      const std::array<Motion<double>, 2>& base = changes_[static_cast<std::size_t>(group.parent)];
      std::array<Motion<Lane>, 2>* const changes = row_changes_.data() + group.first_row;
      for (int r = 0; r < group.end_row - group.first_row; ++r) {
        const LimbRow& row = limbs.rows[static_cast<std::size_t>(group.first_row + r)];
        for (std::size_t set = 0; set < count; ++set) {
          Motion<Lane> a = row.constants.parent < 0
                               ? Motion<Lane>{broadcast<Lane>(base[set].angular),
                                              broadcast<Lane>(base[set].linear)}
                               : changes[row.constants.parent][set];
          a.linear = cross_add(a.angular, row.entry.offset, a.linear);
          const double* const shares = impulse_shares_.data() + set * velocities_;
          change_joint(
              degrees + row.velocities[0], limbs.dofs.data() + row.first_dof,
              row.constants.velocity_count,
              [&](std::size_t k)
                  __attribute__((always_inline)) { return gather(shares, row.velocities, k); },
              [&](std::size_t k, const Lane& value) __attribute__((always_inline)) {
                scatter(value, dv[set].data(), row.velocities, k);
              },
              a);
          changes[r][set] = a;
        }
      }
    }
  }
}

namespace {

/// A contact's force on its way inwards, one direction in each number of the lane.
struct LaneClimb {
  int body;
  Force<Lane> wrench;
};

[[gnu::always_inline]] inline Lane lane_of(double a, double b, double c) {
  if constexpr (lane_width == 4) {
    return {a, b, c, 0.0};  // in registers: a lane read from single numbers just written is slow
  } else {
    const double values[lane_width < 4 ? 4 : lane_width] = {a, b, c};
    return Lane::load_unaligned(values);
  }
}

[[gnu::always_inline]] inline LaneClimb start_in_lane(const DynamicsData<double>& data, int body,
                                                      const Vector3<double>& point,
                                                      const Matrix3<double>& axes, double sign) {
  if (body < 0) return {world_body, {}};
  const Vector3<double> arm = point - data.bodies[static_cast<std::size_t>(body)].position;
  const Lane side(sign);
  const Vector3<Lane> linear{side * lane_of(axes.c0.x, axes.c1.x, axes.c2.x),
                             side * lane_of(axes.c0.y, axes.c1.y, axes.c2.y),
                             side * lane_of(axes.c0.z, axes.c1.z, axes.c2.z)};
  return {body, {cross(broadcast<Lane>(arm), linear), linear}};
}

template <class Share>
[[gnu::always_inline]] inline void store_share(Share& share, const Lane& y, const Lane& scaled) {
  y.store_unaligned(&share.y.x);
  scaled.store_unaligned(&share.scaled.x);
}

template <class Share>
[[gnu::always_inline]] inline void take_share(const DofData<double>& dof, bool angular,
                                              Force<Lane>& wrench, Share& share) {
  const Vector3<Lane> axis = broadcast<Lane>(dof.axis);
  // Not dot(angular ? … : …, axis), whose address would keep the wrench in memory.
  const Lane y = angular ? dot(wrench.angular, axis) : dot(wrench.linear, axis);
  const Lane scaled = Lane(dof.inverse_inertia) * y;
  wrench.angular = multiply_subtract(scaled, broadcast<Lane>(dof.response.angular), wrench.angular);
  wrench.linear = multiply_subtract(scaled, broadcast<Lane>(dof.response.linear), wrench.linear);
  store_share(share, y, scaled);
}

template <class Share>
[[gnu::always_inline]] inline void take_base_shares(const BaseFactor<double>& factor,
                                                    const Force<Lane>& wrench, Share* shares) {
  Lane x[6] = {wrench.linear.x,  wrench.linear.y,  wrench.linear.z,
               wrench.angular.x, wrench.angular.y, wrench.angular.z};
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) x[i] = fnma(Lane(factor.lower[packed_index(i, j)]), x[j], x[i]);
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    store_share(shares[k], x[k], Lane(factor.inverse_diagonal[k]) * x[k]);
  }
}

/// The body's velocities take their shares; the rest goes on to its parent.
template <class Share>
[[gnu::always_inline]] inline void pass_in_lane(const Model& model,
                                                const DynamicsData<double>& data,
                                                const BodyConstants& body, LaneClimb& climb,
                                                Share* shares) {
  const std::size_t index = static_cast<std::size_t>(climb.body);
  const std::size_t first = static_cast<std::size_t>(body.velocity_index);
  if (body.joint == JointKind::revolute || body.joint == JointKind::continuous) {
    take_share(data.dofs[first], true, climb.wrench, shares[0]);
  } else if (body.joint == JointKind::floating) {
    take_base_shares(data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[index])],
                     climb.wrench, shares);
  } else {
    for (int k = body.velocity_count; k-- > 0;) {
      const std::size_t slot = first + static_cast<std::size_t>(k);
      take_share(data.dofs[slot], model.degrees_of_freedom()[slot].angular, climb.wrench,
                 shares[k]);
    }
  }
  climb.body = movable(model, body.parent);
  if (climb.body < 0) return;
  climb.wrench.angular = cross_add(broadcast<Lane>(data.bodies[index].offset), climb.wrench.linear,
                                   climb.wrench.angular);
}

}  // namespace

/// As propagate_one(), a third of the instructions, and the same bits.
template <Scalar S>
void DelassusKernel<S>::propagate_in_lane(const Model& model, const DynamicsData<S>& data,
                                          const ContactPoint<S>& contact, int index) {
  if constexpr (detail::directions_in_lane<S>) {
    Step* step = steps_.data() + index * steps_per_contact_;
    int share = index * shares_per_contact_;
    const auto pass = [&](LaneClimb & climb) __attribute__((always_inline)) {
      const BodyConstants& body = model.constants()[static_cast<std::size_t>(climb.body)];
      *step++ = {climb.body, body.velocity_count, body.velocity_index, share};
      pass_in_lane(model, data, body, climb, shares_.data() + share);
      share += body.velocity_count;
    };
    const int body_a = movable(model, contact.body_a);
    const int body_b = movable(model, contact.body_b);
    const bool single = body_a < 0 || body_b < 0;
    LaneClimb last;
    if (single) {
      const bool is_a = body_b < 0;
      last = start_in_lane(data, is_a ? body_a : body_b, contact.point, contact.axes,
                           is_a ? -1.0 : 1.0);
    } else {
      LaneClimb a = start_in_lane(data, body_a, contact.point, contact.axes, -1.0);
      LaneClimb b = start_in_lane(data, body_b, contact.point, contact.axes, 1.0);
      // Always the one further out, so that the bodies come in falling order and both paths meet.
      while (a.body >= 0 && a.body != b.body) pass(a.body > b.body ? a : b);
      if (a.body >= 0) {
        b.wrench = {b.wrench.angular + a.wrench.angular, b.wrench.linear + a.wrench.linear};
      }
      last = b;
    }
    // A copy of its own, whose address no other code sees, stays in registers.
    for (LaneClimb climb = last; climb.body >= 0;) pass(climb);
    end_path(index, {static_cast<int>(step - steps_.data()), share}, single);
  }
}

template <Scalar S>
void DelassusKernel<S>::propagate_one(const Model& model, const DynamicsData<S>& data,
                                      const ContactPoint<S>& contact, int index) {
  if constexpr (detail::directions_in_lane<S>) {
    propagate_in_lane(model, data, contact, index);
    return;
  }
  const auto start = [&](int body, const Matrix3<S>& axes) -> Climb {
    if (body < 0) return {world_body, {}};
    const Vector3<S> arm = contact.point - data.bodies[static_cast<std::size_t>(body)].position;
    return {body, {{cross(arm, axes.c0), cross(arm, axes.c1), cross(arm, axes.c2)}, axes}};
  };
  const int body_a = movable(model, contact.body_a);
  const Matrix3<S> against{-contact.axes.c0, -contact.axes.c1, -contact.axes.c2};
  Track track{index * steps_per_contact_, index * shares_per_contact_};
  // Its own variable, whose address no other function sees, can stay in registers.
  Climb climb = start(movable(model, contact.body_b), contact.axes);
  const bool single = body_a < 0 || climb.body < 0;
  if (body_a >= 0) climb = climb_pair(model, data, start(body_a, against), climb, track);
  while (climb.body >= 0) pass_body(model, data, climb, track);
  end_path(index, track, single);
}

template <Scalar S>
auto DelassusKernel<S>::climb_pair(const Model& model, const DynamicsData<S>& data, Climb a,
                                   Climb b, Track& track) -> Climb {
  // Always the one further out, so that the bodies come in falling order and both paths meet.
  while (a.body >= 0 && a.body != b.body) pass_body(model, data, a.body > b.body ? a : b, track);
  if (a.body < 0) return b;
  return {b.body, {b.wrench.angular + a.wrench.angular, b.wrench.linear + a.wrench.linear}};
}

template <Scalar S>
void DelassusKernel<S>::delassus(std::span<S> G) const {
  const std::size_t n = 3 * static_cast<std::size_t>(count_);
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j <= i; ++j) {
      const Matrix3<S> b = block(i, j);
      const std::size_t row = 3 * static_cast<std::size_t>(i);
      const std::size_t column = 3 * static_cast<std::size_t>(j);
      const auto write = [&](std::size_t k, const Vector3<S>& values) {
        S* below = G.data() + row * n + column + k;
        below[0] = values.x;
        below[n] = values.y;
        below[2 * n] = values.z;
        // Mirrored; on the diagonal it writes one triangle over the other: exactly symmetric.
        S* above = G.data() + (column + k) * n + row;
        above[0] = values.x;
        above[1] = values.y;
        above[2] = values.z;
      };
      write(0, b.c0);
      write(1, b.c1);
      write(2, b.c2);
    }
  }
}

template <Scalar S>
void DelassusKernel<S>::inverse_mass_times_transpose(const Model& model,
                                                     const DynamicsData<S>& data, int contact,
                                                     std::span<S> columns) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  for (Vector3<S>& residual : residuals_) residual = {};
  const Step* steps = steps_.data() + contact * steps_per_contact_;
  for (int s = 0; s < paths_[static_cast<std::size_t>(contact)].steps; ++s) {
    const int first = steps[s].first_velocity;
    for (int k = 0; k < steps[s].velocities; ++k) {
      residuals_[static_cast<std::size_t>(first + k)] =
          shares_[static_cast<std::size_t>(steps[s].first_share + k)].scaled;
    }
  }
  const std::size_t n = degrees.size();
  const auto write = [&columns, n](std::size_t k, const Vector3<S>& value) {
    columns[k] = value.x;
    columns[n + k] = value.y;
    columns[2 * n + k] = value.z;
  };
  for (std::size_t i = 0; i < accelerations_.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    Wrench3 a;  // angular and linear acceleration, one column per direction
    if (body.kinematic) {
      for (std::size_t k = first; k < first + 6; ++k) write(k, {});
    } else if (body.joint == JointKind::floating) {
      const BaseFactor<S>& factor =
          data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])];
      Vector3<S> x[6];
      for (std::size_t k = 0; k < 6; ++k) x[k] = residuals_[first + k];
      solve_upper(factor, x);
      for (std::size_t k = 0; k < 6; ++k) write(first + k, x[k]);
      a = {transpose(Matrix3<S>{x[3], x[4], x[5]}), transpose(Matrix3<S>{x[0], x[1], x[2]})};
    } else {
      if (body.parent >= 0) {
        a = accelerations_[static_cast<std::size_t>(body.parent)];
        const Vector3<S>& r = data.bodies[i].offset;
        a.linear.c0 = cross_add(a.angular.c0, r, a.linear.c0);
        a.linear.c1 = cross_add(a.angular.c1, r, a.linear.c1);
        a.linear.c2 = cross_add(a.angular.c2, r, a.linear.c2);
      }
      for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
        const DofData<S>& dof = data.dofs[k];
        const Vector3<S> carried = transpose_times(a.angular, dof.response.angular) +
                                   transpose_times(a.linear, dof.response.linear);
        const Vector3<S> value = multiply_subtract(dof.inverse_inertia, carried, residuals_[k]);
        write(k, value);
        subtract_outer(degrees[k].angular ? a.angular : a.linear, -dof.axis, value);
      }
    }
    accelerations_[i] = a;
  }
}

template class DelassusKernel<double>;
template class DelassusKernel<Lane>;

Eigen::MatrixXd delassus(const Model& model, const DynamicsData<double>& data,
                         std::span<const ContactPoint<double>> contacts) {
  DelassusKernel<double> kernel(model, static_cast<int>(contacts.size()));
  kernel.propagate(model, data, contacts);
  const Eigen::Index n = 3 * static_cast<Eigen::Index>(contacts.size());
  Eigen::MatrixXd G(n, n);
  kernel.delassus({G.data(), static_cast<std::size_t>(G.size())});
  return G;
}

}  // namespace stiction
