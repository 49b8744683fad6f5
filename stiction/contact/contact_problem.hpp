#pragma once

/// \file
/// A contact problem, `velocity = delassus · impulse + free_velocity`, in blocks of rows. It knows
/// nothing of robots: `sim` builds one from a scene, `io/fclib` reads one from a file.

#include <Eigen/Core>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/index.hpp"
#include "stiction/spatial/linear.hpp"

namespace stiction {

/// What a block of rows requires of its velocity v and impulse λ; w = v − target. How solvers treat
/// each kind is in block_laws.hpp.
enum class BlockKind : std::uint8_t {
  contact,  ///< 3 rows t1, t2, n: 0 ≤ λ_n ⊥ w_n ≥ 0, and the law of friction on t1, t2
  limit,    ///< 1 row, one-sided: 0 ≤ λ ⊥ w ≥ 0
  joint_friction,  ///< 1 row, boxed: |λ| ≤ bound, λ = −bound·sign(w) while w ≠ 0
  lock,            ///< 1 to 6 rows, bilateral: w = 0, any λ
  spin,  ///< 1 row, about the normal of a contact: |λ| ≤ coefficient · λ_n, against w
  roll,  ///< 2 rows, about its tangents: the same with the length of λ
};

std::string_view to_string(BlockKind kind);

struct Block {
  BlockKind kind = BlockKind::contact;
  int row = 0;            ///< first row
  int rows = 3;           ///< number of rows
  int contact = -1;       ///< spin, roll: the first of the blocks whose λ_n bound it
  int contacts = 1;       ///< spin, roll: number of these blocks, one after another
  double friction = 0.0;  ///< contact, spin, roll: coefficient ≥ 0
  double bound = 0.0;     ///< joint friction: largest impulse ≥ 0 [N·s or N·m·s]
};

/// The largest number of rows that a block can have.
inline constexpr int max_block_rows = 6;

/// How the Delassus matrix is stored.
enum class DelassusStorage : std::uint8_t {
  dense,   ///< one symmetric matrix: for contacts that are coupled through a robot
  bodies,  ///< the factors of J M⁻¹ Jᵀ: for many free bodies, where a block touches at most two
};

/// What is wrong with a problem and how to correct it. Both texts are empty if nothing is wrong.
struct ProblemFault {
  std::string what;
  std::string remedy;
  int block = -1;  ///< the block at fault; -1 if the fault is not in one block
  [[nodiscard]] explicit operator bool() const { return !what.empty(); }
};

/// What is checked before a problem is solved.
enum class CheckLevel : std::uint8_t {
  finite,  ///< sizes, coefficients, and that no number is NaN or infinite; costs one read of all
  full,    ///< also that the matrix is symmetric and positive semidefinite; costs one Cholesky
};

/// To build a problem: clear(), add blocks, use_dense() or use_bodies(), fill in the numbers,
/// prepare(). Memory is kept, so a problem that is not larger than an earlier one allocates
/// nothing. A call out of order, or with an index or size out of range, does nothing; the first
/// such call is remembered until clear() and reported by check(). Some const functions use scratch
/// memory of the problem, so two threads must not check or multiply the same problem at the same
/// time.
class ContactProblem {
 public:
  using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, max_block_rows, 6>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using DenseMap = Eigen::Map<Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;
  using ConstDenseMap = Eigen::Map<const Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;
  using VectorMap = Eigen::Map<Eigen::VectorXd>;
  using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

  // ---- building --------------------------------------------------------------------------------

  /// Removes all blocks and numbers, keeps the memory.
  void clear();

  /// Each returns the index of the new block, or -1 if it was refused. Targets are velocities [m/s
  /// or rad/s]: a contact may close no faster than −gap/h, so its target is −gap/h (targets.hpp).
  int add_contact(double friction, double normal_target = 0.0);
  int add_limit(double target = 0.0);
  int add_joint_friction(double bound, double target = 0.0);
  int add_lock(int rows);
  /// Torsional and rolling friction of a contact that was added before. The coefficient is a length
  /// if the rows are angular velocities [rad/s] and impulses are moments [N·m·s]. A user who
  /// multiplies the rows by a length (so that all rows are m/s) divides the coefficient by it.
  /// Points of one pair of bodies with one normal turn alike: they share a block, bounded by the
  /// sum of their normal impulses. `contacts` is their number, one after another from `contact` on.
  int add_spin(int contact, double coefficient, int contacts = 1);
  int add_roll(int contact, double coefficient, int contacts = 1);
  /// Adds a block of the same kind, size and coefficients as `block`; its first row is the next one
  /// of this problem. `last_target` is the target of its last row, those of the others are zero.
  int add_block(const Block& block, double last_target = 0.0);

  /// After the last block: allocates a zero matrix of all rows, to be filled by edit_delassus().
  void use_dense();
  /// The same for a caller who writes every entry of the matrix: before, they are anything.
  void use_dense_to_fill();
  /// After the last block: allocates `count` bodies with M⁻¹ = 0 that no block touches, to be
  /// filled by set_inverse_mass() and couple().
  void use_bodies(int count);

  /// The matrix to fill, both triangles. Dense storage only; otherwise it has no rows.
  [[nodiscard]] DenseMap edit_delassus();
  /// M⁻¹ of a body in the coordinates of the Jacobians: 6×6, symmetric, positive semidefinite.
  void set_inverse_mass(int body, const Matrix6& inverse_mass);
  /// The block's velocity contains `jacobian` (rows × 6) times the body's velocity. A block has at
  /// most two bodies, each once.
  void couple(int block, int body, const Jacobian& jacobian);

  /// v*, all rows [m/s or rad/s]; no rows before use_dense() or use_bodies().
  [[nodiscard]] VectorMap edit_free_velocity();
  [[nodiscard]] VectorMap edit_target();  ///< zero for the tangential rows of contacts

  /// Computes what solvers need: diagonal blocks, neighbours, M⁻¹Jᵀ. Call it after the last change
  /// of any number, free velocities and targets included.
  void prepare();

  // ---- reading ---------------------------------------------------------------------------------

  [[nodiscard]] bool prepared() const { return prepared_; }
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  [[nodiscard]] int block_count() const { return static_cast<int>(blocks_.size()); }
  [[nodiscard]] int row_count() const { return rows_; }
  [[nodiscard]] int contact_count() const;
  [[nodiscard]] bool contains(BlockKind kind) const;
  /// Whether there is torsional or rolling friction.
  [[nodiscard]] bool has_turns() const { return turn_count_ > 0; }

  [[nodiscard]] DelassusStorage storage() const { return storage_; }
  /// Dense storage only.
  [[nodiscard]] ConstDenseMap delassus() const {
    assert(storage_ == DelassusStorage::dense);
    const int rows = has_storage_ && storage_ == DelassusStorage::dense ? rows_ : 0;
    return {dense_.data(), rows, rows, Eigen::OuterStride<>(stride_)};
  }
  /// Bodies storage only.
  [[nodiscard]] int body_count() const { return static_cast<int>(inverse_mass_.size()); }
  [[nodiscard]] const Matrix6& inverse_mass(int body) const { return inverse_mass_[index(body)]; }

  /// One body of a block: its Jacobian J, and M⁻¹Jᵀ transposed to the same shape. A view that is
  /// valid until the problem is changed. Without a body, the numbers must not be read.
  struct Coupling {
    int body = -1;  ///< -1: none, such as the fixed world
    Eigen::Map<const Jacobian> jacobian;
    Eigen::Map<const Jacobian> response;  ///< row r: the body's motion by a unit impulse in row r
  };
  [[nodiscard]] std::array<Coupling, 2> couplings(int block) const {
    const Block& b = blocks_[index(block)];
    const double* J = jacobians_.data() + 12 * index(b.row);
    const double* R = responses_.data() + 12 * index(b.row);
    const auto& [first, second] = coupled_[index(block)];
    const int half = 6 * b.rows;
    return {Coupling{first, {J, b.rows, 6}, {R, b.rows, 6}},
            Coupling{second, {J + half, b.rows, 6}, {R + half, b.rows, 6}}};
  }

  [[nodiscard]] ConstVectorMap free_velocity() const { return map(free_velocity_); }
  [[nodiscard]] ConstVectorMap target() const { return {target_.data(), rows_}; }
  /// v* − target. With it in place of v*, every target is zero.
  [[nodiscard]] ConstVectorMap shifted_velocity() const { return map(shifted_velocity_); }

  /// The diagonal block of G in the upper-left `rows` rows and columns; the rest is zero.
  [[nodiscard]] const Matrix6& diagonal_block(int block) const { return diagonal_[index(block)]; }
  /// The diagonal block of a contact (3 rows).
  [[nodiscard]] Symmetric3<double> contact_matrix(int block) const;
  /// Blocks k ≠ i with G_ik ≠ 0, in ascending order (dense storage only).
  [[nodiscard]] std::span<const int> neighbours(int block) const;
  /// Largest trace of a diagonal block [1/kg]; 0 without blocks.
  [[nodiscard]] double largest_trace() const { return largest_trace_; }

  /// velocity = G · impulse, without the free velocity. Does not allocate.
  void multiply(std::span<const double> impulse, std::span<double> velocity) const;
  /// The two halves of multiply(), for the velocities of some blocks only (bodies storage only):
  /// move_bodies() computes M⁻¹Jᵀλ, read_velocity() the velocity of one block (`rows` numbers) that
  /// follows from it.
  void move_bodies(std::span<const double> impulse) const;
  void read_velocity(int block, double* velocity) const;
  /// G as a matrix, in either storage (see dense_delassus.hpp).
  void to_dense(Eigen::MatrixXd& result) const;

  /// Looks for faults that no solver can handle.
  [[nodiscard]] ProblemFault check(CheckLevel level) const;

 private:
  /// A call that was refused; the first one is kept.
  enum class Misuse : std::uint8_t {
    none,
    no_storage,  ///< numbers were given, or prepare() called, without use_dense() or use_bodies()
    late_block,
    block_rows,
    wrong_storage,
    block_index,
    body_index,
    jacobian_rows,
    third_body,
    turn_contact,
  };
  /// Remembers a misuse if `wrong`; returns `wrong`.
  bool refuse(bool wrong, Misuse misuse, int which, int block = -1) {
    if (wrong) note_misuse(misuse, which, block);
    return wrong;
  }
  void note_misuse(Misuse misuse, int which, int block);
  [[nodiscard]] static ConstVectorMap map(const std::vector<double>& numbers) {
    return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
  }
  [[nodiscard]] ProblemFault misuse_fault() const;
  [[nodiscard]] bool is_semidefinite(const Eigen::Ref<const Eigen::MatrixXd>& matrix) const;
  void prepare_dense();
  void find_neighbours() const;
  void prepare_bodies();
  template <class Rows>
  void prepare_block(int block, Rows rows);
  [[nodiscard]] ProblemFault check_numbers() const;
  [[nodiscard]] ProblemFault check_matrix() const;

  std::vector<Block> blocks_;
  int rows_ = 0;
  int turn_count_ = 0;  ///< blocks of the kinds spin and roll
  DelassusStorage storage_ = DelassusStorage::dense;
  bool prepared_ = false;
  bool has_storage_ = false;  ///< use_dense() or use_bodies() came after the last block
  Misuse misuse_ = Misuse::none;
  int misuse_number_ = 0;  ///< the index, count or size that was wrong
  int misuse_block_ = -1;

  int stride_ = 0;  ///< of dense_: rows rounded up to 4, so that columns can be read as SIMD lanes
  std::vector<double> dense_;  ///< at least stride_ numbers for each row
  std::vector<double> free_velocity_;
  std::vector<double> target_;
  std::vector<double> shifted_velocity_;

  std::vector<Matrix6> inverse_mass_;
  std::vector<std::array<int, 2>> coupled_;  ///< bodies of each block; -1: none
  /// By block: `rows` × 6 numbers of its first body, then those of its second. Without gaps, so
  /// that sweeps read memory in order.
  std::vector<double> jacobians_;
  std::vector<double> responses_;              ///< the same for M⁻¹Jᵀ
  mutable std::vector<double> body_velocity_;  ///< scratch of multiply
  mutable std::vector<double> factor_;         ///< scratch of check

  std::vector<Matrix6> diagonal_;
  std::vector<int> diagonal_rows_;            ///< by block: rows and columns beyond are zero
  mutable bool has_neighbours_ = false;       ///< the two below are of this matrix
  mutable std::vector<int> neighbour_first_;  ///< block_count + 1 offsets into neighbours_
  mutable std::vector<int> neighbours_;
  double largest_trace_ = 0.0;
};

}  // namespace stiction
