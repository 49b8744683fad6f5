#pragma once

/// \file
/// Lemke's complementary pivoting on a general linear complementarity problem.
///
/// Implements [CottlePangStone, algorithm 4.4.5 with the lexicographic rule of section 4.9].
/// Notation: w = M z + d z₀ + q with d = 1 → `tableau_`, stored as a dictionary: each basic
/// variable is a linear function of the nonbasic ones (columns 0 to n), with constants in column n
/// + 1. Deviations: the inverse of the basis, which the lexicographic rule needs to break ties, is
/// read from the columns of the nonbasic w, so there is no second matrix. Ratios that differ by
/// rounding count as ties. z₀ leaves whenever it ties. The solution is refined with M and q
/// themselves, because the tableau accumulates rounding errors.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/solver/linear_complementarity.hpp"

namespace stiction {

/// The caller makes the steps and keeps the limits. Scale the problem to entries near 1.
class Lemke {
 public:
  enum class State {
    running,
    solved,
    ray,        ///< the entering variable grows without bound: no solution was found
    breakdown,  ///< a pivot was too small, or a number became NaN or infinite
  };

  /// The problem must not be moved until the last solution().
  State start(const LinearComplementarity& problem);

  /// One pivot. Rebuilding the tableau to remove rounding errors takes many steps, which pivots()
  /// does not count.
  State step();

  /// z of the current basis, not negative; exact up to rounding if the state is `solved`.
  void solution(std::span<double> z);

  /// Whether the tableau is being rebuilt. Meanwhile z is not that of the basis.
  [[nodiscard]] bool refreshing() const { return refreshing_ > 0; }

  [[nodiscard]] State state() const { return state_; }
  /// Pivots since start().
  [[nodiscard]] int pivots() const { return pivots_; }

 private:
  using Tableau = Eigen::Map<LinearComplementarity::Matrix>;

  [[nodiscard]] Tableau tableau() { return {tableau_.data(), size_, size_ + 2}; }
  void fill_tableau();
  [[nodiscard]] int complement(int variable) const;
  [[nodiscard]] int first_leaving_row();
  [[nodiscard]] int leaving_row(int column);
  void keep_least_ratios(int column);
  void keep_lexicographic_least(int column);
  void pivot(int row, int column);
  void begin_refresh();
  void refresh_one();
  [[nodiscard]] bool ends_in_solution();
  void read(std::span<double> z);
  void refine(std::span<double> z);

  const LinearComplementarity* problem_ = nullptr;
  State state_ = State::solved;
  int size_ = 0;
  int pivots_ = 0;
  int pivots_since_refresh_ = 0;
  int refreshing_ = 0;  ///< next variable to make basic while the tableau is rebuilt; 0 otherwise
  int entering_ = -1;   ///< variable that enters in the next step

  // Variables: w_i is i, z_i is size + i, z₀ is 2·size.
  std::vector<double> tableau_;  ///< size × (size + 2), row-major
  std::vector<int> basic_;       ///< variable of each row
  std::vector<int> nonbasic_;    ///< variable of each column, size + 1
  std::vector<int> place_;       ///< of each variable: row if basic, −1 − column if not
  std::vector<int> candidates_;  ///< rows that tie in the ratio test
  std::vector<char> wanted_;     ///< of each variable: whether the rebuilt basis contains it
  std::vector<double> candidate_;
  std::vector<double> velocity_;  ///< w while refining
};

}  // namespace stiction
