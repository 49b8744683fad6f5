#pragma once

/// \file
/// M⁻¹Jᵀ and the Delassus matrix G = J M⁻¹ Jᵀ of contacts, by sending the contact directions along
/// the branches that they pass.
///
/// With the articulated-body factors, M⁻¹ = Wᵀ D⁻¹ W, where W carries a force on a body inwards and
/// leaves at each velocity the share y that it takes up. So G_ij = Σ y_ik y_jkᵀ / D_k over the
/// velocities k that both contacts reach: O(depth) per contact, and contacts on different legs meet
/// at the base only. M and J are never formed.

#include <Eigen/Core>
#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/tendons.hpp"

namespace stiction {

/// A contact between two bodies at a point of the world. A positive impulse along an axis pushes
/// `body_b` along it and `body_a` against it.
template <Scalar S>
struct ContactPoint {
  int body_a = world_body;
  int body_b = world_body;
  Vector3<S> point;                  ///< world [m]
  Matrix3<S> axes = identity3<S>();  ///< columns t1, t2, n (from body_a to body_b), world
};

/// A direction in the space of joint velocities: Σ coefficient · v[index] of one to three entries,
/// on at most two bodies.
template <Scalar S>
struct JointDirection {
  int count = 0;
  int index[3] = {0, 0, 0};  ///< entries of v
  S coefficient[3] = {S(0.0), S(0.0), S(0.0)};
};

namespace detail {

/// Whether one robot's kernel keeps the three directions of a contact side by side in a lane.
template <Scalar S>
inline constexpr bool directions_in_lane = std::is_same_v<S, double>&& lane_width == 4;

/// Share of one velocity in the three directions of a contact.
template <Scalar S, bool in_lane = directions_in_lane<S>>
struct ContactShare {
  Vector3<S> y;       ///< what it takes up
  Vector3<S> scaled;  ///< y / D
};
/// The same with room for whole lanes; the fourth numbers are not used.
template <Scalar S>
struct alignas(64) ContactShare<S, true> {
  Vector3<S> y;
  S behind_y;
  Vector3<S> scaled;
  S behind_scaled;
};

/// Σ y_i (y_j / D)ᵀ, columns the directions of contact j.
template <Scalar S, bool in_lane = std::is_same_v<S, double>&& lane_width == 4>
struct ShareSum {
  Matrix3<S> columns;
  [[gnu::always_inline]] void add(const Vector3<S>& y, const Vector3<S>& scaled) {
    columns.c0 = multiply_add(scaled.x, y, columns.c0);
    columns.c1 = multiply_add(scaled.y, y, columns.c1);
    columns.c2 = multiply_add(scaled.z, y, columns.c2);
  }
  [[nodiscard]] Matrix3<S> result() const { return columns; }
  /// Writes the sum into a matrix, column by column, and its mirror image to `above`; where both
  /// are one place, one triangle over the other, so that the matrix is exactly symmetric.
  void write(std::size_t stride, S* below, S* above) const {
    const Vector3<S>* const each[3] = {&columns.c0, &columns.c1, &columns.c2};
    for (std::size_t j = 0; j < 3; ++j, below += stride, ++above) {
      below[0] = each[j]->x;
      below[1] = each[j]->y;
      below[2] = each[j]->z;
      above[0] = each[j]->x;
      above[stride] = each[j]->y;
      above[2 * stride] = each[j]->z;
    }
  }
};

/// The same for one robot with each column in a lane. `y` has a number behind it, which is read and
/// not used.
template <>
struct ShareSum<double, true> {
  Lane c0 = Lane(0.0);
  Lane c1 = Lane(0.0);
  Lane c2 = Lane(0.0);
  [[gnu::always_inline]] void add(const Vector3<double>& y, const Vector3<double>& scaled) {
    const Lane column = Lane::load_unaligned(&y.x);
    c0 = fma(Lane(scaled.x), column, c0);
    c1 = fma(Lane(scaled.y), column, c1);
    c2 = fma(Lane(scaled.z), column, c2);
  }
  [[nodiscard]] Matrix3<double> result() const {
    constexpr std::size_t room = lane_width < 4 ? 4 : lane_width;
    double x[room], y[room], z[room];
    c0.store_unaligned(x);
    c1.store_unaligned(y);
    c2.store_unaligned(z);
    return {{x[0], x[1], x[2]}, {y[0], y[1], y[2]}, {z[0], z[1], z[2]}};
  }
  [[gnu::always_inline]] void write(std::size_t stride, double* below, double* above) const {
#if defined(STICTION_FOUR_DOUBLES)
    // Two numbers and one: a store of three is slow.
    const auto put = [](double* to, __m128d two, __m128d one) {
      _mm_storeu_pd(to, two);
      _mm_store_sd(to + 2, one);
    };
    const __m128d low[3] = {_mm256_castpd256_pd128(c0), _mm256_castpd256_pd128(c1),
                            _mm256_castpd256_pd128(c2)};
    const __m128d high[3] = {_mm256_extractf128_pd(c0, 1), _mm256_extractf128_pd(c1, 1),
                             _mm256_extractf128_pd(c2, 1)};
    const __m128d last = _mm_unpackhi_pd(low[2], low[2]);
    put(above, _mm_unpacklo_pd(low[0], low[1]), low[2]);
    if (below == above) {
      put(above + stride, low[1], last);
      put(above + 2 * stride, low[2], high[2]);
      return;
    }
    put(above + stride, _mm_unpackhi_pd(low[0], low[1]), last);
    put(above + 2 * stride, _mm_unpacklo_pd(high[0], high[1]), high[2]);
    for (std::size_t j = 0; j < 3; ++j) put(below + j * stride, low[j], high[j]);
#else
    ShareSum<double, false>{result()}.write(stride, below, above);
#endif
  }
};

}  // namespace detail

/// Computes G of up to `capacity` contacts; allocates only in its constructor and in reserve().
///
/// Contacts come all at once by propagate(), or one by one, also turning ones and joint directions:
/// begin(), then set_…() for each index below its count.
template <Scalar S>
class DelassusKernel {
 public:
  DelassusKernel(const Model& model, int capacity);

  /// Makes room for more contacts; keeps nothing.
  void reserve(int capacity);
  /// Starts anew with `count` entries, at most `capacity`.
  void begin(int count) { count_ = count; }
  /// Three directions in which two bodies slide along each other at a point.
  void set_point(const Model& model, const DynamicsData<S>& data, int index,
                 const ContactPoint<S>& contact) {
    propagate_one(model, data, contact, index);
  }
  /// Three axes about which two bodies turn against each other.
  void set_rotation(const Model& model, const DynamicsData<S>& data, int index, int body_a,
                    int body_b, const Matrix3<S>& axes);
  /// One direction of joint velocities, in the first of the three columns; the others are zero.
  void set_joints(const Model& model, const DynamicsData<S>& data, int index,
                  const JointDirection<S>& direction);
  /// The same for a direction of many joints, such as the moment of a tendon. `bodies`: all that it
  /// acts on, with those between them and their roots, falling (bodies_moved_by()).
  void set_moment(const Model& model, const DynamicsData<S>& data, int index,
                  std::span<const MomentTerm> terms, std::span<const int> bodies);
  /// G_ij: rows the directions of i, columns those of j.
  [[nodiscard, gnu::always_inline]] Matrix3<S> block(int contact_i, int contact_j) const {
    return sum_of(contact_i, contact_j).result();
  }
  /// Writes it to `below`, part of a matrix of columns `stride` apart, and its mirror image to
  /// `above`, which is the same place for j = i. The matrix is exactly symmetric.
  [[gnu::always_inline]] void write_block(int contact_i, int contact_j, std::size_t stride,
                                          S* below, S* above) const {
    sum_of(contact_i, contact_j).write(stride, below, above);
  }

  /// Calls `visit(velocity, y, y / D)` for each velocity on the way of an entry: G_ij is the sum of
  /// y_i (y_j / D)ᵀ over the velocities that both have in common.
  template <class Visit>
  void visit_shares(int entry, const Visit& visit) const {
    const Step* step = steps_.data() + entry * steps_per_contact_;
    const Step* const end = step + paths_[static_cast<std::size_t>(entry)].steps;
    for (; step != end; ++step) {
      for (int k = 0; k < step->velocities; ++k) {
        const Share& share = shares_[static_cast<std::size_t>(step->first_share + k)];
        visit(step->first_velocity + k, share.y, share.scaled);
      }
    }
  }

  /// Forgets impulses on the tree that begins with body `root`.
  void clear_impulses(const Model& model, int root);
  /// Adds an impulse along the three directions of an entry, to be carried by its trees.
  void add_impulse(int index, const Vector3<S>& impulse);
  /// M⁻¹Jᵀλ of the impulses that were added, for the entries of `dv` that belong to this tree.
  void velocity_change(const Model& model, const DynamicsData<S>& data, int root, std::span<S> dv);
  /// The same for two sets of impulses, in less time than one after the other.
  void add_impulses(int index, const Vector3<S>& first, const Vector3<S>& second);
  void velocity_changes(const Model& model, const DynamicsData<S>& data, int root,
                        std::span<S> first, std::span<S> second);

  /// Needs factorize(). Fills the paths of all contacts; then G and M⁻¹Jᵀ may be asked for.
  /// At most `capacity` contacts.
  void propagate(const Model& model, const DynamicsData<S>& data,
                 std::span<const ContactPoint<S>> contacts);

  /// G, 3n x 3n entries row by row, both triangles.
  void delassus(std::span<S> G) const;

  /// M⁻¹Jᵀ of one contact: 3 columns of velocity_count entries, one column behind the other.
  void inverse_mass_times_transpose(const Model& model, const DynamicsData<S>& data, int contact,
                                    std::span<S> columns);

  [[nodiscard]] int capacity() const { return capacity_; }
  [[nodiscard]] int contact_count() const { return count_; }

 private:
  using Share = detail::ContactShare<S>;
  /// One body on the way of a contact.
  struct Step {
    int body = 0;
    int velocities = 0;
    int first_velocity = 0;
    int first_share = 0;  ///< index into shares_
  };
  /// What most blocks of G need of the way of a contact.
  struct Path {
    int steps = 0;
    int shares = 0;
    /// Of a path to a root the body before it, the root itself if there is none; -1 for two paths.
    /// Paths on different branches have at most the root in common.
    int branch = -1;
    Step last;  ///< at the root
  };
  struct Wrench3 {
    Matrix3<S> angular;  ///< one column per direction
    Matrix3<S> linear;
  };

  /// Where a contact's force has got to.
  struct Climb {
    int body;
    Wrench3 wrench;
  };
  /// Where the next step and share of a contact are written.
  struct Track {
    int step;
    int share;
  };

  void propagate_one(const Model& model, const DynamicsData<S>& data,
                     const ContactPoint<S>& contact, int index);
  /// Climbs with both until one is left, or both have met and go on as one.
  Climb climb_pair(const Model& model, const DynamicsData<S>& data, Climb a, Climb b, Track& track);
  [[gnu::always_inline]] void pass_body(const Model& model, const DynamicsData<S>& data,
                                        Climb& climb, Track& track);
  void propagate_in_lane(const Model& model, const DynamicsData<S>& data,
                         const ContactPoint<S>& contact, int index);
  void pass_driven_body(const Model& model, const DynamicsData<S>& data, Climb& climb, Track& track,
                        const JointDirection<S>& direction);
  void pass_pulled_body(const Model& model, const DynamicsData<S>& data, int body, Track& track);
  void climb_on(const Model& model, const DynamicsData<S>& data, Climb& climb);
  /// After the last step of an entry; `single`: it pushed one movable body only.
  void end_path(int index, const Track& track, bool single);
  [[nodiscard, gnu::always_inline]] detail::ShareSum<S> sum_of(int contact_i, int contact_j) const;
  [[gnu::always_inline]] void add_shares(const Step& a, const Step& b,
                                         detail::ShareSum<S>& sum) const;
  void carry_impulse(int index, const Vector3<S>& impulse, S* shares);
  template <std::size_t count>
  void change(const Model& model, const DynamicsData<S>& data, int root,
              const std::array<std::span<S>, count>& dv);
  template <std::size_t count>
  void change_limbs(const Model& model, const DynamicsData<S>& data, int root,
                    const std::array<std::span<S>, count>& dv);

  int capacity_ = 0;
  int count_ = 0;
  int steps_per_contact_ = 0;
  int shares_per_contact_ = 0;
  std::vector<Step> steps_;             ///< steps_per_contact_ per contact, bodies in falling order
  std::vector<Path> paths_;             ///< one per contact
  std::vector<Share> shares_;           ///< shares_per_contact_ per contact
  std::vector<Vector3<S>> residuals_;   ///< one per velocity, scratch
  std::vector<Wrench3> accelerations_;  ///< one per body, scratch
  std::vector<S> pushes_;               ///< one per velocity, scratch of set_moment(): zero
  std::vector<Force<S>> pulls_;         ///< one per body, scratch of set_moment()
  std::size_t velocities_ = 0;
  /// One per velocity, and again for the second set: Σ y/D λ.
  std::vector<S> impulse_shares_;
  std::vector<std::array<Motion<S>, 2>> changes_;  ///< one per body, scratch of velocity_change()
  /// The same, one per row of limbs side by side.
  std::vector<std::array<Motion<Lane>, 2>> row_changes_;
};

template <Scalar S>
[[gnu::always_inline]] inline void DelassusKernel<S>::add_shares(const Step& a, const Step& b,
                                                                 detail::ShareSum<S>& sum) const {
  const Share* u = shares_.data() + a.first_share;
  const Share* w = shares_.data() + b.first_share;
  if (a.velocities == 6) {
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) sum.add(u[k].y, w[k].scaled);
  } else {
    for (int k = 0; k < a.velocities; ++k) sum.add(u[k].y, w[k].scaled);
  }
}

template <Scalar S>
[[gnu::always_inline]] inline detail::ShareSum<S> DelassusKernel<S>::sum_of(int contact_i,
                                                                            int contact_j) const {
  const Path& p = paths_[static_cast<std::size_t>(contact_i)];
  const Path& q = paths_[static_cast<std::size_t>(contact_j)];
  detail::ShareSum<S> sum;
  const bool share_root_only = p.branch != q.branch || p.branch == p.last.body;
  if (p.branch >= 0 && q.branch >= 0 && share_root_only) {
    if (p.last.body == q.last.body) add_shares(p.last, q.last, sum);
    return sum;
  }
  if (contact_i == contact_j) {
    const Share* const shares = shares_.data() + contact_i * shares_per_contact_;
    for (int k = 0; k < p.shares; ++k) sum.add(shares[k].y, shares[k].scaled);
    return sum;
  }
  const Step* a = steps_.data() + contact_i * steps_per_contact_;
  const Step* b = steps_.data() + contact_j * steps_per_contact_;
  const Step* const a_end = a + p.steps;
  const Step* const b_end = b + q.steps;
  while (a != a_end && b != b_end) {
    if (a->body > b->body) {
      ++a;
    } else if (b->body > a->body) {
      ++b;
    } else {
      add_shares(*a++, *b++, sum);
    }
  }
  return sum;
}

extern template class DelassusKernel<double>;
extern template class DelassusKernel<Lane>;

/// G of some contacts of one robot in Eigen's matrix; needs factorize(). Allocates: for tests and
/// notebooks, not for a step.
Eigen::MatrixXd delassus(const Model& model, const DynamicsData<double>& data,
                         std::span<const ContactPoint<double>> contacts);

}  // namespace stiction
