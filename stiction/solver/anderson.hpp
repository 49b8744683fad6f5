#pragma once

/// \file
/// Anderson's mixing for a fixed point x = F(x): predicts from the last few residuals F(x) − x
/// where they vanish.
///
/// Implements [WalkerNi2011, section 2], in the form by differences.
/// Deviations: the least-squares problem is solved by normal equations with a small regularization,
/// because near the solution the differences become parallel and any combination will do.

#include <Eigen/Core>

#include "stiction/solver/work_array.hpp"

namespace stiction {

class AndersonMixing {
 public:
  static constexpr int memory = 10;  ///< differences kept

  /// Allocates when n is new.
  void resize(Eigen::Index n);
  /// Drops all differences, for example when F has changed.
  void reset() { count_ = 0; }

  /// Adds a pair x, F(x) and writes the next x to `next`, which may be `image` itself. Without
  /// earlier pairs the next x is F(x).
  void mix(const WorkVector& point, const WorkVector& image, WorkVector& next);

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, memory, memory>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, memory, 1>;

  WorkMatrix residual_changes_;  ///< columns: differences of F(x) − x,
                                 ///< newest overwrites oldest
  WorkMatrix image_changes_;     ///< columns: differences of F(x)
  WorkVector last_residual_;
  WorkVector last_image_;
  WorkVector residual_;
  int count_ = 0;  ///< pairs seen since reset
};

}  // namespace stiction
