#include "stiction/rigid/overlaps.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Islands up to this number of rows are solved again without pushing overlaps out.
constexpr int retried_rows = 300;
/// Islands up to this number of rows whose overlaps are pushed out at more than this speed are
/// asked whether these contradict each other, by this number of sweeps. A push is possible if all
/// but the first fraction of it is found, and impossible if more than the second is left of what
/// was missing half-way.
constexpr double judged_speed = 1e-6;  // [m/s or rad/s]
constexpr int judging_sweeps = 40;
constexpr double enough_push = 0.05;
constexpr double no_progress = 0.8;
/// Gaps that close at less than this fraction of the free velocities count as closed, where
/// overlaps leave by the positions.
constexpr double closed_speed = 1e-6;
/// Normals with at least this cosine between them open in one direction.
constexpr double least_opening = 0.1;

/// Where the target of a contact or limit stands that pushes an overlap out; -1 for other blocks.
int pushing_row(const IslandInput& input, int block, const Block& rows,
                const StepSolution& solution) {
  if (!input.set.is_contact(block)) {
    return input.set.constraint(block).kind == BlockKind::limit ? rows.row : -1;
  }
  const bool bounces = !solution.restitution.empty() && solution.restitution[index(block)] > 0.0;
  return bounces ? -1 : rows.row + 2;
}

/// How the rows that push move each other.
void fill_push_matrix(const ContactProblem& problem, IslandWorker& worker, std::size_t stride) {
  const std::vector<int>& rows = worker.push_rows;
  double* column = worker.push_matrix.data();
  std::fill_n(column, rows.size() * stride, 0.0);
  if (problem.storage() == DelassusStorage::dense) {
    const ContactProblem::ConstDenseMap G = problem.delassus();
    for (const int row : rows) {
      for (std::size_t i = 0; i < rows.size(); ++i) column[i] = G(rows[i], row);
      column += stride;
    }
    return;
  }
  const std::span<double> unit = std::span(worker.push_unit).first(index(problem.row_count()));
  const std::span<double> moved = std::span(worker.push_velocity).first(unit.size());
  for (const int row : rows) {
    std::ranges::fill(unit, 0.0);
    unit[index(row)] = 1.0;
    problem.multiply(unit, moved);
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = moved[index(rows[i])];
    column += stride;
  }
}

/// Whether one motion opens all overlaps at once, so that they cannot contradict each other: free
/// trees that lie on what does not move lift off in one direction.
bool open_in_one_direction(const IslandInput& input, std::span<const int> blocks,
                           const StepSolution& solution, const ContactProblem& problem) {
  Vector3<double> away;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int row = pushing_row(input, blocks[i], problem.blocks()[i], solution);
    if (row < 0 || !(problem.target()[row] > 0.0)) continue;
    if (!input.set.is_contact(blocks[i])) return false;
    const Candidate& contact = input.set.contact(blocks[i]);
    if (contact.tree_a >= 0 && contact.tree_b >= 0) return false;
    const Tree& tree = input.scene.layout.trees[index(std::max(contact.tree_a, contact.tree_b))];
    if (input.scene.model.constants()[index(tree.root)].joint != JointKind::floating) return false;
    const Vector3<double>& normal = contact.contact.axes.c2;
    const Vector3<double> own = contact.tree_b >= 0 ? normal : -normal;
    if (dot(away, away) == 0.0) away = own;
    if (!(dot(own, away) > least_opening)) return false;
  }
  return true;
}

/// Whether the overlaps of a small island contradict each other: a body between two walls cannot
/// leave both. Sweeps over the normals find the least push; if they do not come nearer, there is
/// none.
bool pushes_contradict(const IslandInput& input, std::span<const int> blocks,
                       const StepSolution& solution, IslandWorker& worker) {
  const ContactProblem& problem = worker.problem;
  if (open_in_one_direction(input, blocks, solution, problem)) return false;
  std::vector<int>& rows = worker.push_rows;
  rows.clear();
  double fastest = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int row = pushing_row(input, blocks[i], problem.blocks()[i], solution);
    if (row < 0) continue;
    rows.push_back(row);
    fastest = std::max(fastest, problem.target()[row]);
  }
  if (rows.size() < 2 || !(fastest > judged_speed)) return false;
  if (rows.size() > IslandWorker::judged_normals) return false;
  const std::size_t count = rows.size();
  const std::size_t stride = (count + lane_width - 1) / lane_width * lane_width;
  std::vector<double>& G = worker.push_matrix;  // column by column, in whole lanes
  fill_push_matrix(problem, worker, stride);
  const std::span<double> impulses = std::span(worker.push_unit).first(stride);
  const std::span<double> speeds = std::span(worker.push_velocity).first(stride);
  std::ranges::fill(impulses, 0.0);
  std::ranges::fill(speeds, 0.0);
  for (std::size_t i = 0; i < count; ++i) speeds[i] = -problem.target()[rows[i]];
  double half_way = 0.0;
  for (int sweep = 1; sweep <= judging_sweeps; ++sweep) {
    double missing = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double* column = G.data() + i * stride;
      if (!(column[i] > 0.0)) continue;
      missing = std::max(missing, -speeds[i]);
      const double impulse = std::max(0.0, impulses[i] - speeds[i] / column[i]);
      const double change = impulse - impulses[i];
      impulses[i] = impulse;
      if (change == 0.0) continue;
      const Lane factor(change);
      for (std::size_t k = 0; k < stride; k += lane_width) {
        double* speed = speeds.data() + k;
        fma(factor, Lane::load_unaligned(column + k), Lane::load_unaligned(speed))
            .store_unaligned(speed);
      }
    }
    if (missing < enough_push * fastest) return false;
    if (sweep == judging_sweeps / 2) half_way = missing;
    if (sweep == judging_sweeps) return missing > no_progress * half_way;
  }
  return false;
}

bool has_locks(const ContactSet& set, std::span<const int> blocks) {
  return std::ranges::any_of(blocks, [&](int block) {
    return !set.is_contact(block) && set.constraint(block).kind == BlockKind::lock;
  });
}

/// The fastest push that the targets ask for [m/s or rad/s].
double fastest_push(const IslandInput& input, std::span<const int> blocks,
                    const ContactProblem& problem, const StepSolution& solution) {
  double fastest = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int row = pushing_row(input, blocks[i], problem.blocks()[i], solution);
    if (row >= 0) fastest = std::max(fastest, problem.target()[row]);
  }
  return fastest;
}

/// Whether overlaps leave by the positions: where rows outnumber velocities, velocities hardly ever
/// push one overlap out without another, or without friction that holds them. Robots without
/// constraints may share lanes (sim/lane_touch.hpp), which move by velocities alone.
bool leave_by_positions(const IslandInput& input, const IslandView& view,
                        const ContactProblem& problem) {
  if (input.set.constraints.empty() || view.trees.size() != 1 ||
      problem.storage() != DelassusStorage::dense) {
    return false;
  }
  const Tree& tree = input.scene.layout.trees[index(view.trees[0])];
  if (problem.row_count() <= tree.velocity_end - tree.velocity_first) return false;
  return !has_locks(input.set, view.blocks) &&
         !std::ranges::all_of(view.blocks, [&](int i) { return input.set.is_contact(i); });
}

/// Changes the targets that gaps make by `change`.
template <class Change>
void set_targets(const IslandInput& input, std::span<const int> blocks, ContactProblem& problem,
                 StepSolution& solution, const Change& change) {
  ContactProblem::VectorMap target = problem.edit_target();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int row = pushing_row(input, blocks[i], problem.blocks()[i], solution);
    if (row < 0) continue;
    target[row] = change(target[row]);
    if (input.set.is_contact(blocks[i])) solution.normal_target[index(blocks[i])] = target[row];
  }
  problem.prepare();
}

}  // namespace

void leave_overlaps(const IslandInput& input, std::span<const int> blocks, ContactProblem& problem,
                    StepSolution& solution) {
  set_targets(input, blocks, problem, solution,
              [](double target) { return std::min(target, 0.0); });
}

void judge_overlaps(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                    StepSolution& solution) {
  ContactProblem& problem = worker.problem;
  if (problem.row_count() > retried_rows) return;
  const bool by_positions = leave_by_positions(input, view, problem);
  const double fastest = fastest_push(input, view.blocks, problem, solution);
  if (!(fastest > 0.0) && !by_positions) return;
  const int most =
      view.trees.size() == 1 ? IslandWorker::judged_rows : IslandWorker::judged_rows_of_many;
  const bool judged =
      fastest > judged_speed && problem.row_count() <= most && !has_locks(input.set, view.blocks);
  if (judged && pushes_contradict(input, view.blocks, solution, worker)) {
    leave_overlaps(input, view.blocks, problem, solution);
    worker.overlaps = Overlaps::left;
  } else if (by_positions) {
    const double closed = -closed_speed * problem.free_velocity().cwiseAbs().maxCoeff();
    set_targets(input, view.blocks, problem, solution,
                [closed](double target) { return target > closed ? 0.0 : target; });
    worker.overlaps = fastest > 0.0 ? Overlaps::left_to_positions : Overlaps::none;
  } else if (fastest > judged_speed) {
    worker.overlaps = judged ? Overlaps::pushed_and_judged : Overlaps::pushed;
  }
}

}  // namespace stiction
