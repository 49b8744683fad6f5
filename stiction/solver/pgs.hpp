#pragma once

/// \file
/// Projected Gauss-Seidel: a step against each row's velocity, then a projection into the cone.
/// Implements [PCI] (17), (18).
///
/// Notation: λ → impulses, α → relaxation, r_n = α/G_nn, r_T = α/max(G_xx, G_yy).
///
/// Deviations: the certificate ends the iteration; the paper's own criterion is an option. Limits,
/// joint friction and locks are swept too, each row with r = α/G_rr; torsional and rolling friction
/// with r = α/max G_rr, then shortened to the bound of the moment.

#include <span>

#include "stiction/contact/velocity_tracker.hpp"
#include "stiction/solver/iterative_solver.hpp"

namespace stiction {

/// One iteration is one sweep over all rows; 20,000 by default, which the paper found necessary at
/// impacts. Supports Coulomb's law and every kind of block.
class PgsSolver final : public IterativeSolver {
 public:
  [[nodiscard]] std::string_view name() const override { return "pgs"; }
  [[nodiscard]] std::string_view refusal(const ContactProblem& problem,
                                         const SolverOptions& options) const override;

 protected:
  Outcome run(const ContactProblem& problem, const SolverOptions& options,
              std::span<double> impulses) override;

 private:
  /// What one sweep did.
  struct Sweep {
    double largest = 0.0;      ///< change of a block, divided by α [N·s]
    double change = 0.0;       ///< Σ |Δλ| of all rows [N·s]
    double penetration = 0.0;  ///< Σ of penetrating velocities before each update [m/s]
  };
  /// 1/G_nn and 1/max(G_xx, G_yy) of a contact; zero where the point cannot move along n.
  struct Steps {
    double normal = 0.0;
    double tangential = 0.0;
  };

  void prepare_steps(const ContactProblem& problem);
  template <DelassusStorage storage>
  Sweep sweep(const ContactProblem& problem, double relaxation, std::span<double> impulses);
  template <DelassusStorage storage>
  double update_contact(int block, const Block& rows, double relaxation, double* impulse,
                        Sweep& sweep);
  template <DelassusStorage storage>
  double clear(int block, double* impulse);
  template <DelassusStorage storage>
  double update_rows(const ContactProblem& problem, int block, double relaxation, double* impulse,
                     Sweep& sweep);

  template <DelassusStorage storage>
  double update_turn(const ContactProblem& problem, int block, double relaxation,
                     std::span<double> impulses, Sweep& sweep);

  VelocityTracker velocities_;
  std::vector<Steps> steps_;  ///< by block
};

}  // namespace stiction
