#pragma once

/// \file
/// Quadratic programs: the data of one, and a solver that keeps its memory.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// min ½ xᵀHx + gᵀx  such that  A x = b,  lower ≤ C x ≤ upper,  least ≤ x ≤ largest.
/// H is symmetric and positive definite; only its lower triangle is read. Bounds may be infinite.
/// The data belongs to the caller. Blocks of larger matrices are used in place.
struct QuadraticProgram {
  using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
  using Vector = Eigen::Ref<const Eigen::VectorXd>;

  Matrix H;        ///< n × n
  Vector g;        ///< n
  Matrix A;        ///< equalities × n
  Vector b;        ///< equalities
  Matrix C;        ///< inequalities × n
  Vector lower;    ///< inequalities
  Vector upper;    ///< inequalities
  Vector least;    ///< n, or empty for none
  Vector largest;  ///< n, or empty for none
};

/// One constraint of a program.
struct ProgramRow {
  enum class Kind : std::uint8_t {
    equality,    ///< a row of A
    inequality,  ///< a row of C
    bound,       ///< an entry of x
  };
  Kind kind = Kind::equality;
  int row = -1;
  bool upper = false;  ///< its upper side; equalities: not used
  friend bool operator==(const ProgramRow&, const ProgramRow&) = default;
};
/// Such as `upper side of inequality 3`.
std::string to_string(const ProgramRow& row);

enum class ProgramStatus : std::uint8_t {
  solved,
  infeasible,       ///< no x meets all constraints: see violated() and conflict()
  not_convex,       ///< H is not positive definite
  iteration_limit,  ///< rounding kept the method from an end; x is the last point
};
std::string_view to_string(ProgramStatus status);

/// Solves dense, strictly convex programs by the dual active-set method. Starts at the minimum of
/// the objective and adds violated constraints one by one, so that an infeasible program shows
/// itself by the constraint that cannot be added. Allocates only while it meets larger programs
/// than before.
///
/// Implements [Goldfarb1983]: their N⁺ is R⁻¹Qᵀ of L⁻¹N = QR, and J = L⁻ᵀQ.
/// Deviations: equalities enter at once by Householder reflections, not one by one; a constraint
/// enters by one reflection instead of rotations; both sides of a row are one constraint; the rows
/// that were active in the last program of the same size enter first, if they are violated.
class QuadraticProgramSolver {
 public:
  using View = Eigen::Map<const Eigen::VectorXd>;

  /// Throws std::invalid_argument if sizes do not fit or numbers are not finite.
  ProgramStatus solve(const QuadraticProgram& program);

  /// Forgets the active rows of the last program. The next answer does not depend on programs
  /// before it, down to the last bit.
  void forget() { hint_size_ = {}; }

  [[nodiscard]] View x() const { return {x_.data(), n_}; }
  [[nodiscard]] double objective() const { return objective_; }
  /// \name Multipliers, with Hx + g = Aᵀ y_A + Cᵀ y_C + y_bounds
  /// Those of inequalities and bounds are positive at the lower side and negative at the upper one.
  /// @{
  [[nodiscard]] View equality_multipliers() const { return {y_equality_.data(), equalities_}; }
  [[nodiscard]] View inequality_multipliers() const { return {y_inequality_.data(), rows_}; }
  [[nodiscard]] View bound_multipliers() const { return {y_inequality_.data() + rows_, bounds_}; }
  /// @}
  [[nodiscard]] int iterations() const { return iterations_; }  ///< rows added and dropped
  /// Rows that hold with equality at the end, those of A first.
  [[nodiscard]] std::span<const ProgramRow> active() const { return active_; }
  /// infeasible: the row that cannot be met …
  [[nodiscard]] const ProgramRow& violated() const { return violated_; }
  /// … together with these.
  [[nodiscard]] std::span<const ProgramRow> conflict() const { return conflict_; }

 private:
  void reserve(const QuadraticProgram& program);
  bool start(const QuadraticProgram& program);
  bool enter_equalities(const QuadraticProgram& program);
  bool most_violated(const QuadraticProgram& program, ProgramRow& row, double& violation);
  bool enter(const QuadraticProgram& program, const ProgramRow& row, double violation);
  void normal_of(const QuadraticProgram& program, const ProgramRow& row);
  void directions();
  void append(const ProgramRow& row, double multiplier);
  void drop(Eigen::Index position);
  void finish(const QuadraticProgram& program);
  void report_conflict(const ProgramRow& row);
  [[nodiscard]] double side(const QuadraticProgram& program, const ProgramRow& row) const;

  /// Largest sizes met so far are the sizes of the arrays; each program uses their beginnings.
  Eigen::MatrixXd L_, J_, R_, reflectors_;
  Eigen::VectorXd x_, z_, d_, r_, normal_, work_, multipliers_;
  Eigen::VectorXd row_norms_, values_, y_equality_, y_inequality_;
  std::vector<ProgramRow> active_, conflict_;
  std::vector<std::int8_t> state_;  ///< of inequalities and bounds: 1 active
  std::vector<std::int8_t> hint_;   ///< the same after the last program: 1 lower, 2 upper
  std::array<Eigen::Index, 3> hint_size_{};
  ProgramRow violated_;
  Eigen::Index n_ = 0, equalities_ = 0, rows_ = 0, bounds_ = 0;
  Eigen::Index fixed_ = 0;  ///< equalities among the active rows; they come first
  double objective_ = 0.0;
  int iterations_ = 0;
};

}  // namespace stiction
