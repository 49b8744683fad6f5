#pragma once

/// \file
/// A problem with locks, without them: their impulses follow from those of all other blocks.
///
/// Locks L must not move, w_L = G_LL λ_L + G_LC λ_C + v*_L = 0 (targets subtracted), whatever the
/// other blocks C do. So λ_L = −G_LL⁺ (v*_L + G_LC λ_C), and the other blocks see
/// G' = G_CC − G_CL G_LL⁺ G_LC and v*' = v*_C − G_CL G_LL⁺ v*_L. With Y = L⁻¹ P D G_LC of
/// LockFactor, G' = G_CC − YᵀY.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/lock_factor.hpp"

namespace stiction {

/// Keeps its memory.
class LockElimination {
 public:
  /// Computes the problem of the other blocks. LockFactor::suits() must be true; the problem must
  /// not be moved or changed.
  void eliminate(const ContactProblem& problem);

  /// The other blocks, in their order. Rows that the locks hold have a matrix of zeros.
  [[nodiscard]] const ContactProblem& rest() const { return rest_; }
  /// Counted work of eliminate() [multiply-adds].
  [[nodiscard]] double work() const;

  /// Impulses of the other blocks out of those of all.
  void gather(std::span<const double> impulses, std::span<double> of_rest) const;
  /// Impulses of all blocks from those of the others.
  void complete(std::span<const double> of_rest, std::span<double> impulses);

 private:
  void multiply_out();
  void refine(std::span<double> impulses);

  const ContactProblem* problem_ = nullptr;
  LockFactor factor_;
  ContactProblem rest_;
  std::vector<int> place_;        ///< of each block among the other blocks; -1: a lock
  std::vector<int> rows_;         ///< of the other blocks in the problem
  std::size_t height_ = 0;        ///< of Y: rank, rounded up to whole lanes
  std::vector<double> Y_;         ///< column by column
  std::vector<double> start_;     ///< L⁻¹ P D v*_L
  std::vector<double> side_;      ///< scratch, as long as a column of Y
  std::vector<double> velocity_;  ///< scratch, all rows of the problem
};

}  // namespace stiction
