#pragma once

/// \file
/// Newton's method for small dense problems: who opens, holds and slides is
/// guessed, the linear system of that guess is solved, and its answer gives the
/// next guess. Implements [INC] by other means.
///
/// The same semismooth Newton as ProximalNewton, but for λ instead of x = w −
/// Rλ and without a line search: a step costs about as much as a sweep of exact
/// answers and squares the error, where a sweep takes a tenth of it off. Where
/// it does not settle within a few steps, nothing is changed.
///
/// Notation: f(x) is the impulse that the law gives for x, so that λ = f(w −
/// Rλ) is the solution. Of a sliding contact u is the direction of x_T and p is
/// left of it; its impulse is λ_n (n − µu) + λ_p p with w_n = 0 and w_p + E λ_p
/// = 0, E = (|x_T| − Rm)/m, m = µ max(0, −x_n)/R.

#include <array>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/velocity_tracker.hpp"

namespace stiction {

class ModeNewton {
 public:
  /// Whether a step is hardly more than a sweep. Coulomb's law only.
  [[nodiscard]] static bool suits(const ContactProblem& problem);

  /// How it goes about it; what is best differs from problem to problem.
  struct Manner {
    double scaling = 1.0;  ///< R in parts of the mean diagonal
    /// What keeps loads as they are that can be shared in many ways, in parts
    /// of the largest trace. More of it lets faces whose gaps contradict each
    /// other open point by point instead of all at once, in more steps.
    double proximal = 1e-9;
    int steps = 6;  ///< at most
  };

  /// From `impulses` (all rows) and their velocities towards the answer; the
  /// judge is open on the problem, which suits(). True once ‖λ − f(x)‖ of every
  /// block is below `goal` [N·s]: then the impulses are the answer, inside
  /// their cones. Else they stay as they are.
  [[nodiscard]] bool solve(const ContactProblem& problem, const Judge& judge,
                           const VelocityTracker& velocities, double goal, const Manner& manner,
                           std::span<double> impulses);

  /// Steps of the last solve().
  [[nodiscard]] int steps() const { return steps_; }

 private:
  static constexpr int most_rows = 36;  ///< beyond, sweeps are cheaper
  /// Rows and freedoms in whole lanes.
  static constexpr std::size_t room = (most_rows + lane_width - 1) / lane_width * lane_width;

  /// What a block is guessed to do.
  struct Guess {
    enum class Kind { fixed, free, slip } kind = Kind::fixed;
    int freedom = 0;    ///< its first one, for gather() and later
    double ux = 0.0;    ///< slip: direction of x_T
    double uy = 0.0;    ///<
    double give = 0.0;  ///< slip: E [1/kg]
  };

  void open(const ContactProblem& problem, const Judge& judge, const VelocityTracker& velocities,
            std::span<const double> impulses);
  void guess();
  void guess_contact(int block);
  void guess_row(int block);
  void hold(int block);
  void slide(int block);
  void fix(int block, double value);
  /// A NaN is the worst of all.
  void note(double residual) { residual_ = residual <= residual_ ? residual_ : residual; }
  void gather();
  void multiply_out();
  [[nodiscard]] bool eliminate();
  void substitute();
  void take();
  void write(std::span<double> impulses) const;

  Manner manner_;
  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  const double* matrix_ = nullptr;  ///< columns of G
  std::size_t stride_ = 0;          ///< of them
  std::size_t count_ = 0;           ///< freedoms
  std::size_t side_ = 0;            ///< of the system: freedoms in whole lanes
  int steps_ = 0;
  double residual_ = 0.0;  ///< largest |λ − f(x)| of a row [N·s]
  std::vector<Guess> guesses_;
  std::array<const double*, room + 1> columns_{};  ///< G times each freedom; last: base_
  std::array<double, room * room> own_columns_{};  ///< those that are no columns of G
  /// Column by column; the right-hand side, later the answer, is the last one.
  std::array<double, room*(room + 1)> system_{};
  std::array<double, room> pivots_{};  ///< their inverses
  std::array<double, room> base_{};    ///< w without the freedoms
  std::array<double, room> velocity_{};
  std::array<double, room> impulse_{};
  std::array<double, room> before_{};  ///< impulse of each freedom before the step
};

}  // namespace stiction
