#pragma once

/// \file
/// The velocities of all blocks while a sweep changes one impulse after another. Either storage.

#include <span>
#include <utility>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// Updates w = G λ + v* − target whenever λ changes. Each change adds a rounding error, so call
/// refresh() every `refresh_period` sweeps.
///
/// The functions for one contact or one row are templates over the storage, so that a sweep asks
/// for it once. They are in the header to be inlined: a sweep of a small robot takes 100 ns.
class VelocityTracker {
 public:
  /// Sweeps after which the rounding errors are worth a refresh().
  static constexpr int refresh_period = 256;

  /// Allocates when the problem is larger than all before. The problem must not be moved.
  void start(const ContactProblem& problem, std::span<const double> impulse);
  /// Computes w from the impulses of all rows again, without accumulated rounding errors.
  void refresh(std::span<const double> impulse);

  /// w of one block, `rows` numbers.
  void read(int block, double* velocity) const;
  /// Updates w for a change of the block's impulse (`rows` numbers).
  void apply(int block, const double* change);
  /// w of all rows.
  void read_all(std::span<double> velocity) const;

  /// w of one contact.
  template <DelassusStorage storage>
  [[nodiscard]] Vector3<double> read_contact(int block) const;
  /// Updates w for a change of the contact's impulse.
  template <DelassusStorage storage>
  void apply_contact(int block, const Vector3<double>& change);

  /// w of one row of a block.
  template <DelassusStorage storage>
  [[nodiscard]] double read_row(int block, int row) const;
  /// Updates w for a change of the impulse in one row of a block.
  template <DelassusStorage storage>
  void apply_row(int block, int row, double change);

 private:
  using Coupling = ContactProblem::Coupling;
  /// Rows [first, last) of a column that are not zero.
  using Segment = std::pair<int, int>;

  [[nodiscard]] int first_row(int block) const { return problem_->blocks()[index(block)].row; }
  [[nodiscard]] std::span<const Segment> segments(int block) const {
    if (segment_first_.empty()) return {&whole_, 1};
    const std::size_t first = segment_first_[index(block)];
    return {segments_.data() + first, segment_first_[index(block) + 1] - first};
  }
  [[nodiscard]] bool looks_full() const;
  void find_segments();
  void add_segments(int block);

  const ContactProblem* problem_ = nullptr;
  const double* columns_ = nullptr;  ///< dense: of G
  std::size_t stride_ = 0;           ///< dense: rows rounded up to 4, the rest is zero
  std::vector<double> velocity_;     ///< dense: w, `stride_` numbers
  Segment whole_{0, 0};
  std::vector<std::size_t> segment_first_;  ///< dense: by block, into segments_; empty: all whole
  std::vector<Segment> segments_;
  std::vector<double> body_velocity_;  ///< bodies: M⁻¹Jᵀλ, 6 a body
};

namespace detail {

/// w[r] += column[r] · change, r in [first, last).
[[gnu::always_inline]] inline void add_column(int first, int last, double change,
                                              const double* __restrict column,
                                              double* __restrict w) {
  for (int r = first; r < last; ++r) w[r] = fma(column[r], change, w[r]);
}

/// The same with three columns at once.
[[gnu::always_inline]] inline void add_columns(int first, int last, const Vector3<double>& change,
                                               const double* __restrict column, std::size_t stride,
                                               double* __restrict w) {
  const double* __restrict second = column + stride;
  const double* __restrict third = second + stride;
  for (int r = first; r < last; ++r) {
    w[r] = fma(third[r], change.z, fma(second[r], change.y, fma(column[r], change.x, w[r])));
  }
}

/// The same with three whole columns, whose length is a multiple of four.
[[gnu::always_inline]] inline void add_whole_columns(const Vector3<double>& change,
                                                     const double* __restrict column,
                                                     std::size_t stride, double* __restrict w) {
  constexpr std::size_t width = 4 % lane_width == 0 ? lane_width : 1;
  if constexpr (width == 1) {
    add_columns(0, static_cast<int>(stride), change, column, stride, w);
  } else {
    const Lane x(change.x), y(change.y), z(change.z);
    const double* second = column + stride;
    const double* third = second + stride;
    for (std::size_t r = 0; r < stride; r += width) {
      const Lane sum = fma(Lane::load_unaligned(column + r), x, Lane::load_unaligned(w + r));
      const Lane more = fma(Lane::load_unaligned(second + r), y, sum);
      fma(Lane::load_unaligned(third + r), z, more).store_unaligned(w + r);
    }
  }
}

/// a · b as two sums of three that run in parallel: the next contact of a body waits for the
/// result.
[[gnu::always_inline]] inline double dot6(const double* a, const double* b) {
  return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])) +
         fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]));
}

}  // namespace detail

template <DelassusStorage storage>
[[gnu::always_inline]] inline Vector3<double> VelocityTracker::read_contact(int block) const {
  const int row = first_row(block);
  if constexpr (storage == DelassusStorage::dense) {
    const double* w = velocity_.data() + row;
    return {w[0], w[1], w[2]};
  } else {
    const double* start = problem_->shifted_velocity().data() + row;
    Vector3<double> w{start[0], start[1], start[2]};
    for (const Coupling& coupling : problem_->couplings(block)) {
      if (coupling.body < 0) continue;
      const double* J = coupling.jacobian.data();
      const double* u = &body_velocity_[6 * index(coupling.body)];
      w += {detail::dot6(J, u), detail::dot6(J + 6, u), detail::dot6(J + 12, u)};
    }
    return w;
  }
}

template <DelassusStorage storage>
[[gnu::always_inline]] inline void VelocityTracker::apply_contact(int block,
                                                                  const Vector3<double>& change) {
  if constexpr (storage == DelassusStorage::dense) {
    const double* column = columns_ + index(first_row(block)) * stride_;
    if (segment_first_.empty()) {
      detail::add_whole_columns(change, column, stride_, velocity_.data());
      return;
    }
    for (const auto& [first, last] : segments(block)) {
      detail::add_columns(first, last, change, column, stride_, velocity_.data());
    }
  } else {
    for (const Coupling& coupling : problem_->couplings(block)) {
      if (coupling.body < 0) continue;
      detail::add_columns(0, 6, change, coupling.response.data(), 6,
                          &body_velocity_[6 * index(coupling.body)]);
    }
  }
}

template <DelassusStorage storage>
[[gnu::always_inline]] inline double VelocityTracker::read_row(int block, int row) const {
  const int all = first_row(block) + row;
  if constexpr (storage == DelassusStorage::dense) {
    return velocity_[index(all)];
  } else {
    double w = problem_->shifted_velocity()[all];
    for (const Coupling& coupling : problem_->couplings(block)) {
      if (coupling.body < 0) continue;
      w += detail::dot6(coupling.jacobian.data() + 6 * row,
                        &body_velocity_[6 * index(coupling.body)]);
    }
    return w;
  }
}

template <DelassusStorage storage>
[[gnu::always_inline]] inline void VelocityTracker::apply_row(int block, int row, double change) {
  if constexpr (storage == DelassusStorage::dense) {
    const double* column = columns_ + index(first_row(block) + row) * stride_;
    for (const auto& [first, last] : segments(block)) {
      detail::add_column(first, last, change, column, velocity_.data());
    }
  } else {
    for (const Coupling& coupling : problem_->couplings(block)) {
      if (coupling.body < 0) continue;
      detail::add_column(0, 6, change, coupling.response.data() + 6 * row,
                         &body_velocity_[6 * index(coupling.body)]);
    }
  }
}

}  // namespace stiction
