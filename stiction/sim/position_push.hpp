#pragma once

/// \file
/// Overlaps pushed out of the positions alone: velocities, and the energy in them, stay as they
/// are.

#include <span>
#include <vector>

#include "stiction/contact/velocity_tracker.hpp"

namespace stiction {

/// The least impulses, nearly, by which all contacts of an island move apart as far as they need,
/// by Gauss-Seidel sweeps over the normals. They last for the step's change of position only, and
/// are never a warm start: with those, sweeps that are cut short would feed an overlap into the
/// impulses of all later steps, and heaps would tremble.
class PositionPush {
 public:
  /// Normal velocity that each block lacks, negative where it has some to spare; to be filled.
  [[nodiscard]] std::span<double> start(int blocks);

  /// The impulses, all rows, after at most so many sweeps. Locks stay as they are.
  [[nodiscard]] std::span<const double> push(const ContactProblem& problem, int sweeps);

 private:
  /// Both return the largest change of a velocity [m/s].
  template <DelassusStorage storage>
  double sweep(const ContactProblem& problem);
  template <DelassusStorage storage>
  double update(const ContactProblem& problem, int block, int row, bool one_sided);

  std::vector<double> lack_;
  std::vector<double> impulses_;
  VelocityTracker velocities_;
};

}  // namespace stiction
