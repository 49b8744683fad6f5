#pragma once

/// \file
/// Overlaps pushed out of the positions alone: velocities, and the energy in them, stay as they
/// are.

#include <array>
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
  /// Normal velocity that each block is short of, negative where it has some to spare; to be
  /// filled.
  [[nodiscard]] std::span<double> start(int blocks);

  /// At most this number of sweeps. Locks stay as they are.
  void push(const ContactProblem& problem, int sweeps);

  /// Weakens the last push so that ½ wᵀMw of the velocities w that it gave is at most `bound` [J]:
  /// pinched bodies would otherwise be moved by any distance.
  void bound_energy(const ContactProblem& problem, double bound);

  /// What the last push came to, all rows (dense storage only).
  [[nodiscard]] std::span<const double> impulses() const { return impulses_; }
  /// The velocities that it gave, 6 a body (bodies storage only).
  [[nodiscard]] std::span<const double> body_velocities() const { return body_velocity_; }

 private:
  /// A row that is swept, between free bodies: what each sweep reads, side by side. In a large heap
  /// the way to memory is what sweeps wait for.
  struct Row {
    std::array<double, 12> jacobian;  ///< of the first body, then of the second
    std::array<double, 12> response;  ///< M⁻¹Jᵀ
    std::array<int, 2> place;         ///< of the bodies in body_velocity_
    double missing;                   ///< as start() has it [m/s]
    double mobility;                  ///< [1/kg]
    double inertia;                   ///< its inverse
    double impulse;                   ///< so far [N·s]
    bool one_sided;
  };

  void push_dense(const ContactProblem& problem, int sweeps, double enough);
  void push_bodies(const ContactProblem& problem, int sweeps, double enough);
  void gather_rows(const ContactProblem& problem);
  void add_row(const ContactProblem& problem, int block, int row, bool one_sided);

  /// All four return the largest change of a velocity [m/s].
  double sweep_dense(const ContactProblem& problem);
  double update_dense(const ContactProblem& problem, int block, int row, bool one_sided);
  double sweep_rows(double relaxation);
  double update_row(Row& row, double relaxation);

  std::vector<double> missing_;
  std::vector<double> impulses_;
  VelocityTracker velocities_;
  std::vector<Row> rows_;
  std::vector<double> body_velocity_;  ///< 6 a body, and at the end those of the fixed world
};

}  // namespace stiction
