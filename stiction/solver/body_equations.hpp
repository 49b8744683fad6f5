#pragma once

/// \file
/// What methods through the velocities of many free bodies share: Jacobians in the coordinates in
/// which every mass is 1, and the sparse equations (1 + J̃ᵀ K J̃) dz = g with one 6×6 block a body.
///
/// M⁻¹ = L Lᵀ, J̃ = J L, z = J̃ᵀ λ, w = J̃ z + v* − target. Reuses its memory.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/contact/certificate.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/solver/block_lu.hpp"
#include "stiction/solver/elimination_order.hpp"

namespace stiction {

class BodyEquations {
 public:
  /// A block of the problem: its rows side by side, and what methods need of it.
  struct Part {
    int row = 0;
    int rows = 0;
    std::array<int, 2> body{-1, -1};
    double R = 1.0;  ///< mean diagonal of the block
    double friction = 0.0;
    bool cone = false;
    bool skipped = false;
  };

  /// K = −dλ/dw of a block.
  struct Stiffness {
    enum class Kind : std::uint8_t {
      none,   ///< K = 0
      stick,  ///< K = k
      /// Along u = (x, y): friction k times the normal row; across u: `across`; normal: k.
      slip,
      rows  ///< diagonal, by `row_stiffness`
    };
    Kind kind = Kind::none;
    double k = 0.0;
    double friction = 0.0;
    double x = 0.0;
    double y = 0.0;
    double across = 0.0;
  };

  /// Problems through bodies, without torsional and rolling friction.
  [[nodiscard]] static bool suits(const ContactProblem& problem);

  /// `problem` and `judge`, which is open on it, must not be moved.
  void start(const ContactProblem& problem, const Judge& judge);

  [[nodiscard]] const ContactProblem& problem() const { return *problem_; }
  [[nodiscard]] const Block& block(std::size_t i) const { return problem_->blocks()[i]; }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  [[nodiscard]] std::size_t rows() const { return free_.size(); }
  /// Entries of z.
  [[nodiscard]] std::size_t unknowns() const { return 6 * roots_.size(); }
  /// v* − target.
  [[nodiscard]] std::span<const double> free_velocity() const { return free_; }
  /// Mean of √R.
  [[nodiscard]] double mean_root() const { return mean_root_; }

  /// z = J̃ᵀ λ.
  void apply(std::span<const double> impulses, std::span<double> z) const;
  /// z −= J̃ᵀ λ of one block.
  void take_out(const Part& part, const double* impulse, std::span<double> z) const;
  /// J̃ z.
  void read(std::span<const double> z, std::span<double> velocities) const;
  /// J̃ z of one block.
  void read(const Part& part, std::span<const double> z, double* velocity) const;

  /// x ← (1 + J̃ᵀ K J̃)⁻¹ x, K by blocks. False if a pivot is singular.
  [[nodiscard]] bool solve(std::span<const Stiffness> stiffness,
                           std::span<const double> row_stiffness, std::span<double> x);

  /// −K dw of a block.
  static void respond(const Part& part, const Stiffness& stiffness, const double* row_stiffness,
                      const double* dw, double* impulse);

  /// Of solve() and what methods compute around it [multiply-adds].
  [[nodiscard]] double step_work() const;

 private:
  using Vector = std::vector<double>;
  /// Where a block of two bodies has its blocks of the matrix.
  struct Place {
    std::size_t place = 0;
    bool first_is_earlier = false;  ///< the first body is eliminated before the second
    bool known = false;             ///< the other two hold for the present order
    bool wanted = false;            ///< the order is for this block, too
  };

  void read_parts(const Judge& judge);
  void scale_jacobians();
  [[nodiscard]] const double* jacobian(const Part& part, std::size_t side) const {
    return jacobians_.data() + 12 * index(part.row) + 6 * index(part.rows) * side;
  }
  void make_room(std::span<const Stiffness> stiffness);
  [[nodiscard]] bool has_place(std::size_t block);
  void find_order();
  void add(std::size_t block, const Stiffness& stiffness, std::span<const double> row_stiffness);
  void add_stick(std::size_t block, double k);
  void add_product(std::size_t block, const double* left, const double* right);
  const double* gram(std::size_t block);

  const ContactProblem* problem_ = nullptr;
  std::vector<Part> parts_;
  std::vector<ContactProblem::Matrix6> roots_;  ///< L of each body
  Vector jacobians_;                            ///< J̃, laid out as in the problem
  Vector free_;
  double mean_root_ = 1.0;

  std::vector<Place> places_;
  std::vector<std::array<int, 2>> edges_;  ///< pairs of bodies that `order_` is for
  std::vector<std::array<int, 2>> new_edges_;
  int ordered_bodies_ = -1;
  bool has_order_ = false;  ///< `order_` is for this problem
  EliminationOrder order_;
  BlockLu lu_;
  Vector grams_;  ///< J̃ᵀ J̃ of blocks that stick: of the first body, of the second, of both
  std::vector<char> has_gram_;
};

}  // namespace stiction
