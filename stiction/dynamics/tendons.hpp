#pragma once

/// \file
/// Lengths of tendons, and how they change with the velocities: the moment of a tendon is
/// ∂(length)/∂v, a sparse row. A force f along the tendon gives the joints moment · f.

#include <span>
#include <utility>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/tendon_path.hpp"

namespace stiction {

/// One entry of a row over the velocities.
struct MomentTerm {
  int index = 0;  ///< entry of v
  double coefficient = 0.0;
};

/// Σ coefficient · v.
[[nodiscard]] inline double velocity_along(std::span<const MomentTerm> row,
                                           std::span<const double> v) {
  double sum = 0.0;
  for (const MomentTerm& term : row) {
    sum += term.coefficient * v[static_cast<std::size_t>(term.index)];
  }
  return sum;
}

/// Length of a tendon. Needs update_positions(). In lanes, spatial tendons go one robot after the
/// other.
template <Scalar S>
[[nodiscard]] S tendon_length(const Model& model, const DynamicsData<S>& data, std::span<const S> q,
                              const Tendon& tendon);

/// Lengths and moments of all tendons of a Model at one state; allocated once.
class TendonSet {
 public:
  explicit TendonSet(const Model& model);

  /// Needs update_positions().
  void update(const Model& model, const DynamicsData<double>& data, std::span<const double> q) {
    if (!lengths_.empty()) update_all(model, data, q);
  }

  [[nodiscard]] double length(int tendon) const {
    return lengths_[static_cast<std::size_t>(tendon)];
  }
  /// Entries of v in an order that the structure of the Model fixes; some may be zero.
  [[nodiscard]] std::span<const MomentTerm> moment(int tendon) const {
    const auto [first, count] = ranges_[static_cast<std::size_t>(tendon)];
    return {terms_.data() + first, count};
  }
  [[nodiscard]] double speed(int tendon, std::span<const double> v) const {
    return velocity_along(moment(tendon), v);
  }
  /// tau += force · moment
  void add_along(int tendon, double force, std::span<double> tau) const {
    for (const MomentTerm& term : moment(tendon)) {
      tau[static_cast<std::size_t>(term.index)] += term.coefficient * force;
    }
  }

 private:
  void update_all(const Model& model, const DynamicsData<double>& data, std::span<const double> q);
  /// Adds how the points of two bodies come apart along a line.
  void add_segment(const Model& model, const DynamicsData<double>& data,
                   const TendonSegment& segment);
  /// The share of the velocities of one body in the motion of a point that hangs on it.
  void add_point(const Model& model, const DynamicsData<double>& data, int body,
                 const Vector3<double>& point, const Vector3<double>& direction);

  std::vector<double> lengths_;                              ///< one per tendon
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  ///< first and count into terms_
  std::vector<MomentTerm> terms_;
  std::vector<double> row_;  ///< one per velocity, scratch: the moment that is being summed
};

/// Bodies on which a tendon acts, with all between them and their roots, falling: what impulses
/// along it have to pass. Bodies with prescribed motion are left out.
std::vector<int> bodies_moved_by(const Model& model, const Tendon& tendon);

/// The most bodies and velocities that a row over tendons has to pass: of one tendon, or of two
/// that a coupling ties.
std::pair<int, int> longest_tendon_row(const Model& model);

}  // namespace stiction
