#include "stiction/touch/island_assembler.hpp"

#include <algorithm>
#include <utility>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/base_factor.hpp"

namespace stiction {

namespace {

/// From this number of blocks on, free bodies are kept apart instead of multiplied out.
constexpr std::size_t least_sparse_blocks = 12;

/// From this number of entries on, all rows are filled side by side.
constexpr std::size_t least_entries_in_rows = 12;

static_assert(IslandAssembler::most_entries < std::min(least_sparse_blocks, least_entries_in_rows));

/// Whether the bodies are kept apart: many blocks, all of them between free bodies.
bool is_sparse(const SceneLayout& layout, const ContactSet& set, const IslandView& island) {
  if (island.blocks.size() < least_sparse_blocks) return false;
  return std::ranges::all_of(island.trees,
                             [&](int tree) { return layout.trees[index(tree)].single; }) &&
         std::ranges::all_of(island.blocks, [&](int block) {
           if (set.is_contact(block) || !set.constraint(block).acts_on_joints()) return true;
           const RowReach* reach = set.constraint(block).reach;
           return reach != nullptr && reach->trees.size() <= 2;
         });
}

/// Torsional or rolling friction; contacts come before, in ascending order.
void add_turn(const Constraint& turn, std::span<const int> blocks, ContactProblem& problem) {
  const auto place = std::ranges::lower_bound(blocks, turn.index);
  const int contact = static_cast<int>(place - blocks.begin());
  const double coefficient = turn.friction / turn.length;
  if (turn.kind == BlockKind::spin) {
    problem.add_spin(contact, coefficient, turn.contacts);
  } else {
    problem.add_roll(contact, coefficient, turn.contacts);
  }
}

void add_blocks(const ContactSet& set, std::span<const int> blocks, ContactProblem& problem) {
  problem.clear();
  for (const int block : blocks) {
    if (set.is_contact(block)) {
      problem.add_contact(set.contact(block).material.friction);
      continue;
    }
    const Constraint& constraint = set.constraint(block);
    switch (constraint.kind) {
      case BlockKind::limit:
        problem.add_limit();
        break;
      case BlockKind::joint_friction:
        problem.add_joint_friction(constraint.bound);
        break;
      case BlockKind::lock:
      case BlockKind::contact:
        problem.add_lock(constraint.rows);
        break;
      case BlockKind::spin:
      case BlockKind::roll:
        add_turn(constraint, blocks, problem);
        break;
    }
  }
}

bool is_spin_of(const Constraint& constraint, const Constraint& roll) {
  return constraint.kind == BlockKind::spin && constraint.index == roll.index;
}

void fill_free_velocities(const ContactSet& set, const BlockVelocities& velocities,
                          std::span<const int> blocks, ContactProblem& problem) {
  ContactProblem::VectorMap free = problem.edit_free_velocity();
  int row = 0;
  for (const int block : blocks) {
    if (set.is_contact(block)) {
      const Vector3<double>& v = velocities.contacts[index(block)].free;
      free[row] = v.x;
      free[row + 1] = v.y;
      free[row + 2] = v.z;
      row += 3;
      continue;
    }
    const std::size_t i = set.constraint_index(block);
    const bool turn = set.constraints[i].is_turn();
    for (int k = 0; k < set.constraints[i].rows; ++k) {
      const double velocity = velocities.constraints[i][index(k)];
      free[row++] = turn ? set.constraints[i].length * velocity : velocity;
    }
  }
}

/// Writes rows and columns of G and their mirror image where one of both has fewer than three.
[[gnu::noinline]] void write_part(double* G, std::size_t stride, std::size_t row, int rows,
                                  std::size_t column, int columns, const Matrix3<double>& block) {
  const Vector3<double>* values[3] = {&block.c0, &block.c1, &block.c2};
  for (std::size_t j = 0; j < index(columns); ++j) {
    const double entries[3] = {values[j]->x, values[j]->y, values[j]->z};
    for (std::size_t i = 0; i < index(rows); ++i) {
      G[(column + j) * stride + row + i] = entries[i];
      G[(row + i) * stride + column + j] = entries[i];
    }
  }
}

/// M⁻¹ of a free body from its factor, coordinates linear and angular.
ContactProblem::Matrix6 inverse_mass(const BaseFactor<double>& factor) {
  ContactProblem::Matrix6 result;
  for (int half = 0; half < 2; ++half) {
    Vector3<double> x[6];
    x[3 * half].x = 1.0;
    x[3 * half + 1].y = 1.0;
    x[3 * half + 2].z = 1.0;
    solve_lower(factor, x);
    for (int k = 0; k < 6; ++k) x[k] = factor.inverse_diagonal[k] * x[k];
    solve_upper(factor, x);
    for (int k = 0; k < 6; ++k) result.row(k).segment<3>(3 * half) = to_eigen(x[k]);
  }
  return result;
}

/// Rows of a block against one of its bodies: along the axes, and (`turning`) about them.
ContactProblem::Jacobian body_jacobian(const BodyData<double>& body,
                                       const ContactPoint<double>& contact, double sign,
                                       bool turning) {
  ContactProblem::Jacobian J(turning ? 6 : 3, 6);
  const Vector3<double> arm = contact.point - body.position;
  const Vector3<double> axes[3] = {contact.axes.c0, contact.axes.c1, contact.axes.c2};
  for (int k = 0; k < 3; ++k) {
    const Vector3<double> moment = cross(arm, axes[k]);
    J.row(k) << sign * axes[k].x, sign * axes[k].y, sign * axes[k].z, sign * moment.x,
        sign * moment.y, sign * moment.z;
    if (!turning) continue;
    J.row(3 + k) << 0.0, 0.0, 0.0, sign * axes[k].x, sign * axes[k].y, sign * axes[k].z;
  }
  return J;
}

/// The part of a row over many joints that belongs to one free body.
ContactProblem::Jacobian row_jacobian(std::span<const MomentTerm> terms, const Tree& tree) {
  ContactProblem::Jacobian J = ContactProblem::Jacobian::Zero(1, 6);
  for (const MomentTerm& term : terms) {
    if (term.index < tree.velocity_first || term.index >= tree.velocity_end) continue;
    J(0, term.index - tree.velocity_first) += term.coefficient;
  }
  return J;
}

/// The same of torsional or rolling friction.
ContactProblem::Jacobian turn_jacobian(const Constraint& turn, double sign) {
  ContactProblem::Jacobian J(turn.rows, 6);
  const Vector3<double> axes[3] = {turn.contact.axes.c0, turn.contact.axes.c1,
                                   turn.contact.axes.c2};
  const double scale = sign * turn.length;
  for (int k = 0; k < turn.rows; ++k) {
    const Vector3<double>& axis = axes[turn.kind == BlockKind::spin ? 2 : k];
    J.row(k) << 0.0, 0.0, 0.0, scale * axis.x, scale * axis.y, scale * axis.z;
  }
  return J;
}

/// change += impulse · response, six numbers.
[[gnu::always_inline]] inline void add_response(const double* __restrict response, double impulse,
                                                double* __restrict change) {
  for (int k = 0; k < 6; ++k) change[k] += response[k] * impulse;
}

}  // namespace

IslandAssembler::IslandAssembler(const Model& model) : kernel_(model, 8) {}

void IslandAssembler::assemble(const SceneSnapshot& scene, const ContactSet& set,
                               const BlockVelocities& velocities, const IslandView& island,
                               ContactProblem& problem) {
  add_blocks(set, island.blocks, problem);
  if (is_sparse(scene.layout, set, island)) {
    fill_sparse(scene, set, island, problem);
  } else {
    fill_dense(scene, set, island.blocks, problem);
  }
  fill_free_velocities(set, velocities, island.blocks, problem);
}

void IslandAssembler::begin_dense(const ContactSet& set, std::span<const int> blocks,
                                  ContactProblem& problem) {
  add_blocks(set, blocks, problem);
  problem.use_dense_to_fill();
}

void IslandAssembler::end_dense(const ContactSet& set, const BlockVelocities& velocities,
                                std::span<const int> blocks, ContactProblem& problem) {
  fill_free_velocities(set, velocities, blocks, problem);
}

/// Directions of all blocks along the branches of their trees.
void IslandAssembler::propagate(const SceneSnapshot& scene, const ContactSet& set,
                                std::span<const int> blocks) {
  const Model& model = scene.model;
  const DynamicsData<double>& dynamics = scene.dynamics;
  const int most_entries = 2 * static_cast<int>(blocks.size());
  entries_.clear();
  kernel_.reserve(most_entries);
  kernel_.begin(most_entries);
  int row = 0;
  const auto add_entry = [&](int rows) {
    entries_.push_back({row, rows});
    row += rows;
    return static_cast<int>(entries_.size()) - 1;
  };
  bool skips_spin = false;  // the roll before it has propagated its row as well
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int block = blocks[i];
    if (set.is_contact(block)) {
      kernel_.set_point(model, dynamics, add_entry(3), set.contact(block).contact);
      continue;
    }
    const Constraint& constraint = set.constraint(block);
    if (constraint.reach != nullptr) {
      kernel_.set_moment(model, dynamics, add_entry(1), set.terms_of(constraint),
                         constraint.reach->bodies);
      continue;
    }
    if (constraint.is_turn()) {
      if (std::exchange(skips_spin, false)) continue;
      skips_spin = constraint.kind == BlockKind::roll && i + 1 < blocks.size() &&
                   is_spin_of(set.constraint(blocks[i + 1]), constraint);
      propagate_turn(scene, constraint, skips_spin, add_entry(skips_spin ? 3 : constraint.rows));
      continue;
    }
    if (constraint.rows == 1) {
      kernel_.set_joints(model, dynamics, add_entry(1), constraint.direction);
      continue;
    }
    const ContactPoint<double>& contact = constraint.contact;
    kernel_.set_point(model, dynamics, add_entry(3), contact);
    if (constraint.rows == 6) {
      kernel_.set_rotation(model, dynamics, add_entry(3), contact.body_a, contact.body_b,
                           contact.axes);
    }
  }
}

/// The axes of a roll, of a spin, or of a roll and the spin that follows it.
void IslandAssembler::propagate_turn(const SceneSnapshot& scene, const Constraint& turn,
                                     bool with_spin, int entry) {
  const double length = turn.length;
  const Matrix3<double>& axes = turn.contact.axes;
  Matrix3<double> scaled{{}, {}, {}};
  if (turn.kind == BlockKind::spin) {
    scaled.c0 = length * axes.c2;
  } else {
    scaled.c0 = length * axes.c0;
    scaled.c1 = length * axes.c1;
    if (with_spin) scaled.c2 = length * axes.c2;
  }
  kernel_.set_rotation(scene.model, scene.dynamics, entry, turn.contact.body_a, turn.contact.body_b,
                       scaled);
}

void IslandAssembler::fill_dense(const SceneSnapshot& scene, const ContactSet& set,
                                 std::span<const int> blocks, ContactProblem& problem) {
  propagate(scene, set, blocks);
  problem.use_dense_to_fill();
  ContactProblem::DenseMap G = problem.edit_delassus();
  double* const matrix = G.data();
  const std::size_t stride = static_cast<std::size_t>(G.outerStride());
  if (entries_.size() >= least_entries_in_rows) {
    rows_.fill(scene.model, kernel_, entries_, stride, matrix);
    return;
  }
  const int count = static_cast<int>(entries_.size());
  for (int i = 0; i < count; ++i) {
    const KernelEntry row = entries_[index(i)];
    double* const rows = matrix + index(row.first);
    double* const columns = matrix + index(row.first) * stride;
    for (int j = 0; j <= i; ++j) {
      const KernelEntry column = entries_[index(j)];
      if (row.rows == 3 && column.rows == 3) {
        kernel_.write_block(i, j, stride, rows + index(column.first) * stride,
                            columns + index(column.first));
      } else {
        write_part(matrix, stride, index(row.first), row.rows, index(column.first), column.rows,
                   kernel_.block(i, j));
      }
    }
  }
}

void IslandAssembler::fill_sparse(const SceneSnapshot& scene, const ContactSet& set,
                                  const IslandView& island, ContactProblem& problem) {
  const DynamicsData<double>& dynamics = scene.dynamics;
  problem.use_bodies(static_cast<int>(island.trees.size()));
  body_of_tree_.resize(scene.layout.trees.size());
  int next = 0;
  for (const int tree : island.trees) {
    const std::size_t root = index(scene.layout.trees[index(tree)].root);
    const int factor = dynamics.base_factor_of_body[root];
    body_of_tree_[index(tree)] = next;
    problem.set_inverse_mass(next++, inverse_mass(dynamics.base_factors[index(factor)]));
  }
  int number = 0;
  for (const int block : island.blocks) {
    const bool is_contact = set.is_contact(block);
    if (!is_contact && set.constraint(block).reach != nullptr) {
      const Constraint& constraint = set.constraint(block);
      for (const int tree : constraint.reach->trees) {
        problem.couple(number, body_of_tree_[index(tree)],
                       row_jacobian(set.terms_of(constraint), scene.layout.trees[index(tree)]));
      }
      ++number;
      continue;
    }
    const ContactPoint<double>& contact =
        is_contact ? set.contact(block).contact : set.constraint(block).contact;
    const bool turning = !is_contact && set.constraint(block).rows == 6;
    const bool is_turn = !is_contact && set.constraint(block).is_turn();
    const auto couple = [&](int body, double sign) {
      const int tree = scene.layout.tree_of(body);
      if (tree < 0) return;
      problem.couple(number, body_of_tree_[index(tree)],
                     is_turn ? turn_jacobian(set.constraint(block), sign)
                             : body_jacobian(dynamics.bodies[index(body)], contact, sign, turning));
    };
    couple(contact.body_a, -1.0);
    couple(contact.body_b, 1.0);
    ++number;
  }
}

void IslandAssembler::velocity_change(const SceneSnapshot& scene, std::span<const int> trees,
                                      const ContactProblem& problem,
                                      std::span<const double> impulses, std::span<double> dv) {
  if (problem.storage() == DelassusStorage::dense) {
    change_dense(scene, trees, impulses, dv);
  } else {
    change_sparse(scene.layout, trees, problem, impulses, dv);
  }
}

void IslandAssembler::velocity_changes(const SceneSnapshot& scene, std::span<const int> trees,
                                       const ContactProblem& problem,
                                       const std::array<std::span<const double>, 2>& impulses,
                                       const std::array<std::span<double>, 2>& dv) {
  if (problem.storage() != DelassusStorage::dense) {
    change_sparse(scene.layout, trees, problem, impulses[0], dv[0]);
    change_sparse(scene.layout, trees, problem, impulses[1], dv[1]);
    return;
  }
  const auto root_of = [&](int tree) { return scene.layout.trees[index(tree)].root; };
  for (const int tree : trees) kernel_.clear_impulses(scene.model, root_of(tree));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto part = [&](std::size_t set) {
      const double* impulse = impulses[set].data() + entries_[i].first;
      Vector3<double> result{impulse[0], 0.0, 0.0};
      if (entries_[i].rows > 1) result.y = impulse[1];
      if (entries_[i].rows > 2) result.z = impulse[2];
      return result;
    };
    const Vector3<double> first = part(0);
    const Vector3<double> second = part(1);
    const auto is_zero = [](const Vector3<double>& v) {
      return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
    };
    if (is_zero(first) && is_zero(second)) continue;
    kernel_.add_impulses(static_cast<int>(i), first, second);
  }
  for (const int tree : trees) {
    kernel_.velocity_changes(scene.model, scene.dynamics, root_of(tree), dv[0], dv[1]);
  }
}

void IslandAssembler::change_dense(const SceneSnapshot& scene, std::span<const int> trees,
                                   std::span<const double> impulses, std::span<double> dv) {
  const auto root_of = [&](int tree) { return scene.layout.trees[index(tree)].root; };
  for (const int tree : trees) kernel_.clear_impulses(scene.model, root_of(tree));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const double* impulse = impulses.data() + entries_[i].first;
    const int rows = entries_[i].rows;
    const Vector3<double> part = rows == 3   ? Vector3<double>{impulse[0], impulse[1], impulse[2]}
                                 : rows == 2 ? Vector3<double>{impulse[0], impulse[1], 0.0}
                                             : Vector3<double>{impulse[0], 0.0, 0.0};
    if (part.x == 0.0 && part.y == 0.0 && part.z == 0.0) continue;
    kernel_.add_impulse(static_cast<int>(i), part);
  }
  for (const int tree : trees) {
    kernel_.velocity_change(scene.model, scene.dynamics, root_of(tree), dv);
  }
}

void IslandAssembler::change_sparse(const SceneLayout& layout, std::span<const int> trees,
                                    const ContactProblem& problem, std::span<const double> impulses,
                                    std::span<double> dv) {
  const auto first_of = [&](int tree) { return layout.trees[index(tree)].velocity_first; };
  for (const int tree : trees) std::fill_n(dv.data() + first_of(tree), 6, 0.0);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const double* impulse = impulses.data() + block.row;
    for (const ContactProblem::Coupling& coupling : problem.couplings(i)) {
      if (coupling.body < 0) continue;
      double* change = dv.data() + first_of(trees[index(coupling.body)]);
      const double* response = coupling.response.data();
      for (int r = 0; r < block.rows; ++r, response += 6) {
        if (impulse[r] == 0.0) continue;
        add_response(response, impulse[r], change);
      }
    }
  }
}

}  // namespace stiction
