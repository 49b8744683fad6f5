#pragma once

/// \file
/// Newton's method on the modes of small dense problems: guess which contacts open, stick and
/// slide, solve the linear system of that guess, and take the next guess from its solution.
/// Implements [INC] in another form.
///
/// The same semismooth Newton method as ProximalNewton, but for λ instead of x = w − Rλ and without
/// a line search. A step costs about as much as a sweep of exact answers and squares the error,
/// while a sweep reduces it by about a tenth. If it does not converge within a few steps, the
/// impulses are left unchanged.
///
/// Notation: f(x) is the impulse that the law assigns to x, so the solution satisfies
/// λ = f(w − Rλ). For a sliding contact u is the direction of x_T and p is left of u; its impulse
/// is λ_n (n − µu) + λ_p p with w_n = 0 and w_p + E λ_p = 0, E = (|x_T| − Rm)/m, m = µ max(0,
/// −x_n)/R. Torsional and rolling friction of a contact are known too: where they slip, their
/// impulse −µλ_n u is carried by the unknown λ_n of the contact, and a roll has λ_p besides.

#include <array>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/velocity_tracker.hpp"
#include "stiction/solver/column_lanes.hpp"

namespace stiction {

/// Parameters of ModeNewton. The best values differ from problem to problem.
struct NewtonSettings {
  double scaling = 1.0;  ///< R relative to the mean diagonal
  /// Proximal term relative to the largest trace. It keeps the distribution of hyperstatic loads
  /// near that of the start. A larger term lets faces whose gaps contradict each other open point
  /// by point instead of all at once, and takes more steps.
  double proximal = 1e-9;
  int steps = 6;  ///< at most
  /// Whether the proximal term is relative to each block's own matrix instead. What contradicts
  /// itself is then spread over the blocks as the certificate measures it: for blocks that move far
  /// more easily in one direction than in another.
  bool by_blocks = false;
};

class ModeNewton {
 public:
  /// Whether a step costs about as much as a sweep. Coulomb's law only.
  [[nodiscard]] static bool suits(const ContactProblem& problem);
  /// Whether it can be solved at all: a step costs less than one of the other Newton methods.
  [[nodiscard]] static bool fits(const ContactProblem& problem);

  /// Starts at `impulses` (all rows) and their velocities. The judge must be open on the problem,
  /// and fits() must be true. Returns true once ‖λ − f(x)‖ of every block is below `goal` [N·s];
  /// then `impulses` are the solution, inside their cones. Otherwise they are unchanged.
  [[nodiscard]] bool solve(const ContactProblem& problem, const Judge& judge,
                           const VelocityTracker& velocities, double goal,
                           const NewtonSettings& settings, std::span<double> impulses);

  /// The one step of solve() that is needed where every block is a contact that sticks, from
  /// `impulses` inside their cones: mostly those of the step before. Returns whether all contacts
  /// stick in its solution, too; the caller asks the judge. Otherwise, and where loads could be
  /// shared in many ways, `impulses` are unchanged.
  [[nodiscard]] bool stick(const ContactProblem& problem, std::span<double> impulses);

  /// As solve(), but each step goes only as far as it makes the sum of squares of λ − f(x) smaller.
  /// For where solve() goes to and fro between two guesses; takes more steps.
  [[nodiscard]] bool search(const ContactProblem& problem, const Judge& judge,
                            const VelocityTracker& velocities, double goal,
                            const NewtonSettings& settings, std::span<double> impulses);

  /// Whether the last solve() left open how its loads are shared: some change of the impulses that
  /// may change moves nothing.
  [[nodiscard]] bool is_hyperstatic() const;

  /// After a solve() that has returned true: replaces its solution by the one that bodies of even
  /// stiffness have in the limit of stiff ones. First every row yields a little, w + ρλ, so that
  /// the loads are unique; then they are corrected to the law itself. If no mode changes by that,
  /// the factors of solve() serve for both. Returns whether all blocks are below `goal` again;
  /// otherwise `impulses` are unchanged. Where modes would change but no contact bears what was
  /// left open, they stay as they are as well, and that counts as shared.
  [[nodiscard]] bool share(double goal, std::span<double> impulses);

  /// After a solve() or share() that has returned true: steps on until all blocks are below a
  /// smaller goal. The distribution of the loads stays. Returns whether they are; otherwise
  /// `impulses` are unchanged.
  [[nodiscard]] bool refine(double goal, std::span<double> impulses);

  /// Steps of the last solve(), search(), share() or refine().
  [[nodiscard]] int steps() const { return steps_; }

 private:
  /// Pivots below this fraction of the largest trace are rounding errors.
  static constexpr double rounding_pivot = 1e-13;
  static constexpr int most_rows = 36;  ///< for more rows, sweeps are cheaper
  /// The same with torsional and rolling friction, which sweeps are slow with: two feet of eight
  /// points each, and the friction of all joints of a humanoid.
  static constexpr int most_turning_rows = 144;
  /// Rows or unknowns, rounded up to whole lanes.
  static constexpr std::size_t room =
      (most_turning_rows + lane_width - 1) / lane_width * lane_width;

  /// The guessed mode of a block.
  struct Guess {
    /// `drag`: a turn that slips, with the direction (ux, uy)
    enum class Kind { fixed, free, slip, drag } kind = Kind::fixed;
    int freedom = 0;          ///< index of its first unknown, set by gather()
    double ux = 0.0;          ///< slip, drag: direction of x_T
    double uy = 0.0;          ///<
    double compliance = 0.0;  ///< slip, drag: E [1/kg]
  };

  struct Point {
    std::array<double, room> impulse;
    std::array<double, room> velocity;
  };
  void shorten_step(const Point& from, double merit);
  void open(const ContactProblem& problem, const Judge& judge, const VelocityTracker& velocities,
            std::span<const double> impulses);
  /// Steps until the residual is below the goal; `yielding`: of the rows that yield by w + ρλ.
  [[nodiscard]] bool iterate(double goal, bool yielding);
  [[nodiscard]] bool same_modes() const;
  void add_to_velocity(double factor);
  void guess();
  void guess_contact(int block);
  void guess_row(int block);
  void guess_bilateral(int block);
  void guess_turn(int block);
  void hold(int block);
  void slide(int block);
  void drag(int block);
  void fix(int block, double value);
  /// Adds a residual to the largest so far; NaN counts as the largest.
  void note(double residual) {
    residual_ = residual <= residual_ ? residual_ : residual;
    merit_ += residual * residual;
  }
  void gather();
  void multiply_out();
  void damp();
  void damp_by_blocks();
  void clear_surplus();
  [[nodiscard]] column_lanes::ColumnSystem factors();
  /// False if a pivot is smaller than this fraction of the largest trace.
  [[nodiscard]] bool eliminate(double least_pivot = rounding_pivot);
  void substitute();
  /// Forward substitution of another right-hand side, with the factors of eliminate().
  void reduce();
  /// share() with the modes and factors of the last step. `needless`: modes would change,
  /// but nothing that contacts bear was left open.
  enum class Sharing { done, needless, failed };
  [[nodiscard]] Sharing share_in_same_modes(double goal);
  void keep_motionless_part();
  [[nodiscard]] bool loads_contacts(const double* motionless) const;
  [[nodiscard]] Sharing take_back(Sharing sharing);
  [[nodiscard]] bool all_stick_or_open() const;
  [[nodiscard]] bool keeps_modes_yielding(double goal);
  void take();
  void write(std::span<double> impulses) const;

  NewtonSettings settings_;
  const ContactProblem* problem_ = nullptr;
  const Judge* judge_ = nullptr;
  const double* matrix_ = nullptr;  ///< columns of G
  std::size_t stride_ = 0;          ///< of them
  std::size_t count_ = 0;           ///< number of unknowns
  std::size_t side_ = 0;            ///< of the system: unknowns, rounded up to whole lanes
  int steps_ = 0;
  double residual_ = 0.0;  ///< largest |λ − f(x)| of a row [N·s]
  double merit_ = 0.0;     ///< sum of squares of |λ − f(x)| [N²·s²]
  std::vector<Guess> guesses_;
  std::vector<Guess> solved_guesses_;  ///< those that the system was made with
  std::vector<Guess> kept_guesses_;    ///< of turns, while all rows yield
  bool keeps_turns_ = false;
  std::array<const double*, room + 1> columns_{};  ///< G times each unknown's direction; base_
  std::array<double, room * room> own_columns_{};  ///< those that are not columns of G
  /// Column by column; the last one is the right-hand side, later the solution.
  std::array<double, room*(room + 1)> system_{};
  std::array<double, room> pivots_{};  ///< inverse pivots
  std::array<double, room> base_{};    ///< w without the unknowns
  std::array<double, room> velocity_{};
  std::array<double, room> impulse_{};
  std::array<double, room> before_{};      ///< value of each unknown before the step
  std::array<double, room> motionless_{};  ///< scratch of share_in_same_modes()
  std::array<double, room> corrected_{};   ///<
};

}  // namespace stiction
