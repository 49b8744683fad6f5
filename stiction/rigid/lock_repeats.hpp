#pragma once

/// \file
/// Rows of locks that repeat others, by geometry alone.
///
/// Pivots of G cannot tell: a light ring between two heavy bodies has as small ones as two rods of
/// nearly the same length. So the rows of the Jacobian are compared, with each velocity measured by
/// the largest motion that it gives any row: masses and units do not count.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// The locks of an island.
struct LockScene {
  const SceneSnapshot& scene;
  const ContactSet& set;
  std::span<const int> blocks;  ///< of the island, in the order of its problem
};

/// Keeps its memory.
class LockRepeats {
 public:
  /// Rows of the island's problem that repeat rows before them up to an angle of 0.6 degrees, or
  /// that move by less than a thousandth of the others of their lock.
  [[nodiscard]] std::span<const int> find(const LockScene& locks);

 private:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void add_lock(const LockScene& locks, const Constraint& lock);
  void add_motions(const LockScene& locks, const Constraint& lock, int body, double sign,
                   int first);
  void measure_by_largest_motion();

  RowMatrix jacobian_;       ///< one row per row of a lock
  std::vector<int> row_;     ///< of each: in the problem
  std::vector<int> triple_;  ///< of each: the first of the rows that it is compared with
  int count_ = 0;
  std::vector<double> squares_;  ///< of the lengths of the rows
  std::vector<int> kept_;        ///< rows of `jacobian_` that are orthonormal
  std::vector<int> found_;
};

}  // namespace stiction
