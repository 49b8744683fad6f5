#pragma once

/// \file
/// The part of a contact problem that acts: without contacts and limits that open.
///
/// A step looks for contacts that may close within it, and most of them stay open: a gripper has 28
/// of which five press. Methods that factorize are fast on the few. What was left out is looked at
/// afterwards, and joins if it closes.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Keeps its memory.
class ActiveBlocks {
 public:
  /// Chooses the blocks of a prepared dense problem that act: all but contacts and limits without
  /// impulse whose w (all rows) is larger than `slow`, and turns of such contacts alone. The
  /// problem must not be moved while the functions below are used.
  void choose(const ContactProblem& problem, std::span<const double> impulses,
              std::span<const double> velocity, double slow);
  /// Adds those that were left out and close; whether there are any.
  bool add_closing(std::span<const double> velocity);

  [[nodiscard]] int left_out_rows() const { return left_out_rows_; }

  /// The chosen blocks as a problem of their own, dense and prepared. Made anew by each call.
  const ContactProblem& extract();
  void gather(std::span<const double> whole, std::vector<double>& part) const;
  /// Writes the rows of the part; the others become zero.
  void scatter(std::span<const double> part, std::span<double> whole) const;

 private:
  void finish_choice();

  const ContactProblem* problem_ = nullptr;
  std::vector<char> acts_;   ///< by block
  std::vector<int> blocks_;  ///< that act, ascending
  int left_out_rows_ = 0;
  ContactProblem part_;
};

}  // namespace stiction
