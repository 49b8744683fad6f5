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
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"

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

/// Computes G of up to `capacity` contacts; allocates only in its constructor.
template <Scalar S>
class DelassusKernel {
 public:
  DelassusKernel(const Model& model, int capacity);

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
  /// Share of one velocity in the three directions of a contact.
  struct Share {
    Vector3<S> y;       ///< what it takes up
    Vector3<S> scaled;  ///< y / D
  };
  /// One body on the way of a contact.
  struct Step {
    int body = 0;
    int velocities = 0;
    int first_share = 0;  ///< index into shares_
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
  [[nodiscard, gnu::always_inline]] Matrix3<S> block(int contact_i, int contact_j) const;

  int capacity_ = 0;
  int count_ = 0;
  int steps_per_contact_ = 0;
  int shares_per_contact_ = 0;
  std::vector<Step> steps_;             ///< steps_per_contact_ per contact, bodies in falling order
  std::vector<int> step_counts_;        ///< one per contact
  std::vector<Share> shares_;           ///< shares_per_contact_ per contact
  std::vector<Vector3<S>> residuals_;   ///< one per velocity, scratch
  std::vector<Wrench3> accelerations_;  ///< one per body, scratch
};

extern template class DelassusKernel<double>;
extern template class DelassusKernel<Lane>;

/// G of some contacts of one robot in Eigen's matrix; needs factorize(). Allocates: for tests and
/// notebooks, not for a step.
Eigen::MatrixXd delassus(const Model& model, const DynamicsData<double>& data,
                         std::span<const ContactPoint<double>> contacts);

}  // namespace stiction
