// The contact problem of one island, dense through the articulated-body factors or block-sparse
// through the velocities of free bodies.

#include <algorithm>

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/sim/assembly.hpp"

namespace stiction {

namespace {

/// From so many blocks on, free bodies are kept apart instead of multiplied out.
constexpr int least_sparse_blocks = 12;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

bool is_sparse(const Workspace::Memory& memory, const Island& island) {
  if (island.block_count < least_sparse_blocks) return false;
  for (int i = 0; i < island.tree_count; ++i) {
    const int tree = memory.island_trees[index(island.tree_first + i)];
    if (!memory.trees[index(tree)].single) return false;
  }
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    if (!memory.is_contact(block) && memory.constraint_of(block).rows == 1) return false;
  }
  return true;
}

std::span<const int> blocks_of(const Workspace::Memory& memory, const Island& island) {
  return std::span(memory.island_blocks)
      .subspan(index(island.block_first), index(island.block_count));
}

std::span<const int> trees_of(const Workspace::Memory& memory, const Island& island) {
  return std::span(memory.island_trees).subspan(index(island.tree_first), index(island.tree_count));
}

void add_blocks(const Workspace::Memory& memory, const Island& island, ContactProblem& problem) {
  problem.clear();
  for (const int block : blocks_of(memory, island)) {
    if (memory.is_contact(block)) {
      const Candidate& candidate = memory.candidates[index(block)];
      problem.add_contact(candidate.friction, candidate.target);
      continue;
    }
    const Constraint& constraint = memory.constraint_of(block);
    switch (constraint.kind) {
      case BlockKind::limit:
        problem.add_limit(constraint.target[0]);
        break;
      case BlockKind::joint_friction:
        problem.add_joint_friction(constraint.bound, constraint.target[0]);
        break;
      case BlockKind::lock:
      case BlockKind::contact:
        problem.add_lock(constraint.rows);
        break;
    }
  }
}

/// Free velocities, and the targets of locks, which add_lock() does not take.
void fill_velocities(const Workspace::Memory& memory, const Island& island,
                     ContactProblem& problem) {
  ContactProblem::VectorMap free = problem.edit_free_velocity();
  ContactProblem::VectorMap target = problem.edit_target();
  int row = 0;
  for (const int block : blocks_of(memory, island)) {
    if (memory.is_contact(block)) {
      const Vector3<double>& v = memory.candidates[index(block)].free;
      free[row] = v.x;
      free[row + 1] = v.y;
      free[row + 2] = v.z;
      row += 3;
      continue;
    }
    const Constraint& constraint = memory.constraint_of(block);
    for (int k = 0; k < constraint.rows; ++k) {
      free[row] = constraint.free[index(k)];
      if (constraint.kind == BlockKind::lock) target[row] = constraint.target[index(k)];
      ++row;
    }
  }
}

/// Directions of all blocks along the branches of their trees.
void propagate(const Workspace::Memory& memory, const Island& island, IslandWorker& worker) {
  DelassusKernel<double>& kernel = worker.kernel;
  const Model& model = memory.model;
  worker.entry_first.clear();
  worker.entry_rows.clear();
  kernel.reserve(2 * island.block_count);
  kernel.begin(2 * island.block_count);
  int row = 0;
  const auto add_entry = [&](int rows) {
    worker.entry_first.push_back(row);
    worker.entry_rows.push_back(rows);
    row += rows;
    return static_cast<int>(worker.entry_first.size()) - 1;
  };
  for (const int block : blocks_of(memory, island)) {
    if (memory.is_contact(block)) {
      kernel.set_point(model, memory.data, add_entry(3), memory.candidates[index(block)].contact);
      continue;
    }
    const Constraint& constraint = memory.constraint_of(block);
    if (constraint.rows == 1) {
      kernel.set_joints(model, memory.data, add_entry(1), constraint.direction);
      continue;
    }
    const ContactPoint<double>& contact = constraint.contact;
    kernel.set_point(model, memory.data, add_entry(3), contact);
    if (constraint.rows == 6) {
      kernel.set_rotation(model, memory.data, add_entry(3), contact.body_a, contact.body_b,
                          contact.axes);
    }
  }
}

/// Writes three rows and columns of G and their mirror image; on the diagonal one triangle over the
/// other, so that the matrix is exactly symmetric.
[[gnu::always_inline]] inline void write_block(double* G, std::size_t stride, std::size_t row,
                                               std::size_t column, const Matrix3<double>& block) {
  const auto write = [&](std::size_t j, const Vector3<double>& values) {
    double* below = G + (column + j) * stride + row;
    below[0] = values.x;
    below[1] = values.y;
    below[2] = values.z;
    double* above = G + row * stride + column + j;
    above[0] = values.x;
    above[stride] = values.y;
    above[2 * stride] = values.z;
  };
  write(0, block.c0);
  write(1, block.c1);
  write(2, block.c2);
}

/// The same where one of both has a single row.
void write_part(double* G, std::size_t stride, std::size_t row, int rows, std::size_t column,
                int columns, const Matrix3<double>& block) {
  const Vector3<double>* values[3] = {&block.c0, &block.c1, &block.c2};
  for (std::size_t j = 0; j < index(columns); ++j) {
    const double entries[3] = {values[j]->x, values[j]->y, values[j]->z};
    for (std::size_t i = 0; i < index(rows); ++i) {
      G[(column + j) * stride + row + i] = entries[i];
      G[(row + i) * stride + column + j] = entries[i];
    }
  }
}

void fill_dense(const Workspace::Memory& memory, const Island& island, IslandWorker& worker) {
  propagate(memory, island, worker);
  worker.problem.use_dense();
  ContactProblem::DenseMap G = worker.problem.edit_delassus();
  double* const matrix = G.data();
  const std::size_t stride = static_cast<std::size_t>(G.outerStride());
  const int entries = static_cast<int>(worker.entry_first.size());
  for (int i = 0; i < entries; ++i) {
    const std::size_t row = index(worker.entry_first[index(i)]);
    const int rows = worker.entry_rows[index(i)];
    for (int j = 0; j <= i; ++j) {
      const std::size_t column = index(worker.entry_first[index(j)]);
      const int columns = worker.entry_rows[index(j)];
      const Matrix3<double> block = worker.kernel.block(i, j);
      if (rows == 3 && columns == 3) {
        write_block(matrix, stride, row, column, block);
      } else {
        write_part(matrix, stride, row, rows, column, columns, block);
      }
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

void fill_sparse(const Workspace::Memory& memory, const Island& island, IslandWorker& worker) {
  ContactProblem& problem = worker.problem;
  problem.use_bodies(island.tree_count);
  worker.body_of_tree.resize(memory.trees.size());
  int next = 0;
  for (const int tree : trees_of(memory, island)) {
    const std::size_t root = index(memory.trees[index(tree)].root);
    const int factor = memory.data.base_factor_of_body[root];
    worker.body_of_tree[index(tree)] = next;
    problem.set_inverse_mass(next++, inverse_mass(memory.data.base_factors[index(factor)]));
  }
  int number = 0;
  for (const int block : blocks_of(memory, island)) {
    const bool is_contact = memory.is_contact(block);
    const ContactPoint<double>& contact =
        is_contact ? memory.candidates[index(block)].contact : memory.constraint_of(block).contact;
    const bool turning = !is_contact && memory.constraint_of(block).rows == 6;
    const auto couple = [&](int body, double sign) {
      if (body < 0 || memory.tree_of_body[index(body)] < 0) return;
      problem.couple(number, worker.body_of_tree[index(memory.tree_of_body[index(body)])],
                     body_jacobian(memory.data.bodies[index(body)], contact, sign, turning));
    };
    couple(contact.body_a, -1.0);
    couple(contact.body_b, 1.0);
    ++number;
  }
}

/// change += impulse · response, six numbers.
[[gnu::always_inline]] inline void add_response(const double* __restrict response, double impulse,
                                                double* __restrict change) {
  for (int k = 0; k < 6; ++k) change[k] += response[k] * impulse;
}

}  // namespace

void assemble_island(Workspace::Memory& memory, const Island& island, IslandWorker& worker) {
  ContactProblem& problem = worker.problem;
  add_blocks(memory, island, problem);
  if (is_sparse(memory, island)) {
    fill_sparse(memory, island, worker);
  } else {
    fill_dense(memory, island, worker);
  }
  fill_velocities(memory, island, problem);
  problem.prepare();
  worker.impulses.resize(index(problem.row_count()));
  double* impulse = worker.impulses.data();
  for (const int block : blocks_of(memory, island)) {
    const int rows = memory.is_contact(block) ? 3 : memory.constraint_of(block).rows;
    impulse = std::copy_n(memory.impulse_of(block), rows, impulse);
  }
}

void velocity_change(Workspace::Memory& memory, const Island& island, IslandWorker& worker,
                     std::span<const double> impulses, std::span<double> dv) {
  const ContactProblem& problem = worker.problem;
  if (problem.storage() == DelassusStorage::dense) {
    DelassusKernel<double>& kernel = worker.kernel;
    const Model& model = memory.model;
    for (const int tree : trees_of(memory, island)) {
      kernel.clear_impulses(model, memory.trees[index(tree)].root);
    }
    for (std::size_t i = 0; i < worker.entry_first.size(); ++i) {
      const double* impulse = impulses.data() + worker.entry_first[i];
      const Vector3<double> part = worker.entry_rows[i] == 1
                                       ? Vector3<double>{impulse[0], 0.0, 0.0}
                                       : Vector3<double>{impulse[0], impulse[1], impulse[2]};
      kernel.add_impulse(model, static_cast<int>(i), part);
    }
    for (const int tree : trees_of(memory, island)) {
      kernel.velocity_change(model, memory.data, memory.trees[index(tree)].root, dv);
    }
    return;
  }
  for (const int tree : trees_of(memory, island)) {
    std::fill_n(dv.data() + memory.trees[index(tree)].velocity_first, 6, 0.0);
  }
  const std::span<const int> trees = trees_of(memory, island);
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    const double* impulse = impulses.data() + block.row;
    for (const ContactProblem::Coupling& coupling : problem.couplings(i)) {
      if (coupling.body < 0) continue;
      double* change = dv.data() + memory.trees[index(trees[index(coupling.body)])].velocity_first;
      const double* response = coupling.response.data();
      for (int r = 0; r < block.rows; ++r, response += 6) {
        if (impulse[r] == 0.0) continue;
        add_response(response, impulse[r], change);
      }
    }
  }
}

}  // namespace stiction
