#pragma once

/// \file
/// What each kind of block requires of its impulses and velocities.
///
/// This is the one place that tells the kinds of blocks apart. Solvers ask here which set the
/// impulses of a block belong to, what the bounds of a row are and what the nearest admissible
/// impulse is. To add a kind of block, add it to BlockKind, to ContactProblem and to the functions
/// below. Only a kind whose set is not in ImpulseSet yet needs more: the solvers that treat each
/// set by its own formula (interior_point, pyramid).
///
/// A block is one of three sorts: a friction cone that couples three rows, rows that are bounded
/// each by itself, or the torsional and rolling friction of a contact, whose bound follows the
/// normal impulse of that contact. The functions on rows are for the second sort, turn_laws.hpp has
/// those for the third.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/law.hpp"

namespace stiction {

/// The set of impulses that a block may have.
enum class ImpulseSet : std::uint8_t {
  cone,       ///< 3 rows t1, t2, n: |λ_T| ≤ µλ_n
  half_line,  ///< 1 row: λ ≥ 0
  interval,   ///< 1 row: |λ| ≤ bound
  all,        ///< 1 to 6 rows without bounds
  disc,       ///< 1 or 2 rows: |λ| ≤ µλ_n of another block
};

[[nodiscard]] constexpr ImpulseSet impulse_set(const Block& block) {
  switch (block.kind) {
    case BlockKind::contact:
      return ImpulseSet::cone;
    case BlockKind::limit:
      return ImpulseSet::half_line;
    case BlockKind::joint_friction:
      return ImpulseSet::interval;
    case BlockKind::lock:
      return ImpulseSet::all;
    case BlockKind::spin:
    case BlockKind::roll:
      return ImpulseSet::disc;
  }
  return ImpulseSet::all;
}

/// Whether a friction cone couples the rows of the block.
[[nodiscard]] constexpr bool has_cone(const Block& block) {
  return block.kind == BlockKind::contact;
}

/// Whether the block is one-sided: its last row n obeys 0 ≤ λ_n ⊥ w_n ≥ 0.
[[nodiscard]] constexpr bool is_one_sided(const Block& block) {
  return block.kind == BlockKind::contact || block.kind == BlockKind::limit;
}

/// Whether the block takes any impulse, so that its rows are solved together for w = 0.
[[nodiscard]] constexpr bool is_bilateral(const Block& block) {
  return block.kind == BlockKind::lock;
}

/// Whether an impulse is bounded alike on both sides: joint friction.
[[nodiscard]] constexpr bool is_boxed(const Block& block) {
  return block.kind == BlockKind::joint_friction;
}

/// Whether the block is torsional or rolling friction: its bound follows the normal impulse of a
/// contact.
[[nodiscard]] constexpr bool is_turn(const Block& block) {
  return block.kind == BlockKind::spin || block.kind == BlockKind::roll;
}

/// The row of a one-sided block that may not become negative.
[[nodiscard]] constexpr int normal_row(const Block& block) { return block.row + block.rows - 1; }

// ---- rows that are bounded each by itself ------------------------------------------------------

/// Smallest and largest impulse of a row; infinite where there is no bound.
struct RowBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

[[nodiscard]] constexpr RowBounds row_bounds(const Block& block) {
  if (block.kind == BlockKind::limit) return {.lower = 0.0};
  if (block.kind == BlockKind::joint_friction) return {-block.bound, block.bound};
  return {};
}

/// The nearest impulse within the bounds.
[[nodiscard]] inline double project_row(const Block& block, double impulse) {
  if (block.kind == BlockKind::limit) return std::max(0.0, impulse);
  if (block.kind == BlockKind::joint_friction) {
    return std::clamp(impulse, -block.bound, block.bound);
  }
  return impulse;
}

/// Whether the impulse is inside its bounds, not on them: it may change either way.
[[nodiscard]] inline bool is_inside(const Block& block, double impulse) {
  if (block.kind == BlockKind::limit) return impulse > 0.0;
  if (block.kind == BlockKind::joint_friction) return std::abs(impulse) < block.bound;
  return true;
}

/// How far the impulse is outside its bounds; not positive inside.
[[nodiscard]] inline double row_excess(const Block& block, double impulse) {
  if (block.kind == BlockKind::limit) return -impulse;
  if (block.kind == BlockKind::joint_friction) return std::abs(impulse) - block.bound;
  return 0.0;
}

// ---- whole blocks ------------------------------------------------------------------------------

/// The factor that makes a tangential impulse of the size `tangential` as long as friction allows
/// at the normal impulse `normal`; 1 if it is not longer.
[[nodiscard, gnu::always_inline]] inline double friction_scale(const Block& contact,
                                                               double tangential, double normal) {
  const double largest = contact.friction * normal;
  return tangential > largest ? largest / tangential : 1.0;
}

/// Brings the impulse of a block (`rows` numbers) into its set. A contact keeps its normal impulse,
/// unless that is negative, and its friction is shortened to what the normal impulse allows. This
/// is not the nearest impulse of the cone: see project().
inline void clip(const Block& block, double* impulse) {
  if (has_cone(block)) {
    impulse[2] = std::max(0.0, impulse[2]);
    const double tangential = std::sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]);
    const double scale = friction_scale(block, tangential, impulse[2]);
    impulse[0] *= scale;
    impulse[1] *= scale;
    return;
  }
  for (int k = 0; k < block.rows; ++k) impulse[k] = project_row(block, impulse[k]);
}

/// Replaces the impulse of a block (`rows` numbers) by the nearest one in its set.
inline void project(const Block& block, double* impulse) {
  if (has_cone(block)) {
    const Vector3<double> inside =
        FrictionCone<double>{block.friction}.project({impulse[0], impulse[1], impulse[2]});
    impulse[0] = inside.x;
    impulse[1] = inside.y;
    impulse[2] = inside.z;
    return;
  }
  for (int k = 0; k < block.rows; ++k) impulse[k] = project_row(block, impulse[k]);
}

/// The block for impulses in another unit, λ/scale: bounds are divided by the scale too, cones stay
/// as they are.
[[nodiscard]] inline Block in_unit(Block block, double scale) {
  if (block.kind == BlockKind::joint_friction) block.bound /= scale;
  return block;
}

/// What a block does (other than a turn): a one-sided one opens without impulse; a contact slips on
/// the edge of its cone if it is faster than `least_slip` [m/s]; joint friction slips at its bound;
/// a lock sticks.
[[nodiscard]] inline ContactMode mode_of(const Block& block, const double* impulse,
                                         const double* velocity, double least_slip) {
  if (is_one_sided(block) && !(impulse[block.rows - 1] > 0.0)) return ContactMode::open;
  if (!has_cone(block)) {
    const bool sticks = is_one_sided(block) || is_inside(block, impulse[0]);
    return sticks ? ContactMode::stick : ContactMode::slip;
  }
  const double tangential = std::sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1]);
  if (tangential < (1.0 - 1e-9) * block.friction * impulse[2]) return ContactMode::stick;
  const double slip = std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  return slip <= least_slip ? ContactMode::stick : ContactMode::slip;
}

}  // namespace stiction
