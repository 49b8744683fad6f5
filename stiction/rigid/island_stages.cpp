#include "stiction/rigid/island_stages.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/stop_request.hpp"
#include "stiction/rigid/impacts.hpp"
#include "stiction/rigid/overlaps.hpp"
#include "stiction/rigid/push_out_energy.hpp"

namespace stiction {

namespace {

/// Restitution is weakened this number of times, the last time to nothing, before a gain of energy
/// is accepted.
constexpr int bounce_attempts = 5;
/// Steps that spread a load evenly, where contacts are new and where they are not.
constexpr int first_spreading = 40;
constexpr int later_spreading = 4;
/// Impulses squeeze if they are larger by this factor than what stops the bodies. Without the push
/// they must be smaller by the other factor.
constexpr double squeezing = 1e6;
constexpr double easing = 0.1;
/// Work of a solve that pushes overlaps out, in multiply-adds: as much, and as many dense
/// factorizations of its rows.
constexpr double least_pushing_work = 1e6;
constexpr double pushing_factors = 120.0;
/// Sweeps that push deep overlaps out of the positions, where the options have none.
constexpr int deep_push_sweeps = 20;

void prepare_solver(const RigidSettings& settings, IslandWorker& worker) {
  if (worker.solver != nullptr && worker.solver_name == settings.solver) return;
  worker.solver = make_solver(settings.solver);
  worker.solver->measure_time(false);
  worker.solver_name = settings.solver;
}

void fill_targets(const ContactSet& set, const BlockTargets& targets, std::span<const int> blocks,
                  ContactProblem& problem) {
  ContactProblem::VectorMap target = problem.edit_target();
  int row = 0;
  for (const int block : blocks) {
    if (set.is_contact(block)) {
      target[row + 2] = targets.normal[index(block)];
      row += 3;
      continue;
    }
    const std::size_t i = set.constraint_index(block);
    for (int k = 0; k < set.constraints[i].rows; ++k) {
      target[row++] = targets.constraints[i][index(k)];
    }
  }
}

/// Torsional and rolling friction from the unit of the contact problem to that of the step: its
/// rows are multiplied by a length there, its impulses divided by it.
void to_moments(const ContactSet& set, std::span<const int> blocks, StepSolution& solution) {
  for (const int block : blocks) {
    if (set.is_contact(block) || !set.constraint(block).is_turn()) continue;
    const Constraint& turn = set.constraint(block);
    for (std::size_t k = set.place(block); k < set.place(block) + index(turn.rows); ++k) {
      solution.impulses[k] *= turn.length;
      solution.velocities[k] /= turn.length;
    }
  }
}

/// The way back, of impulses.
void from_moments(const ContactSet& set, std::span<const int> blocks, const ContactProblem& problem,
                  std::span<double> impulses) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_turn(problem.blocks()[i])) continue;
    const Block& rows = problem.blocks()[i];
    for (int k = 0; k < rows.rows; ++k) {
      impulses[index(rows.row + k)] /= set.constraint(blocks[i]).length;
    }
  }
}

/// Rows of torsional and rolling friction. They follow the load of their contact, and are not
/// counted where that is spread.
int turn_rows(const ContactProblem& problem) {
  if (!problem.has_turns()) return 0;
  int rows = 0;
  for (const Block& block : problem.blocks()) rows += block.contact >= 0 ? block.rows : 0;
  return rows;
}

/// Locks that contradict each other, or a contact or limit, ask for what they can have. Returns the
/// rows that were left out.
std::span<const int> reconcile_locks(const LockScene& locks, IslandWorker& worker) {
  if (!LockFactor::suits(worker.problem)) return {};
  if (worker.lock_targets == nullptr) worker.lock_targets = std::make_unique<LockTargets>();
  worker.lock_targets->reconcile(locks, worker.problem);
  return worker.lock_targets->released();
}

bool bounces(const IslandInput& input, std::span<const int> blocks) {
  return std::ranges::any_of(blocks, [&](int block) {
    return input.set.is_contact(block) && input.targets.restitution[index(block)] > 0.0;
  });
}

/// Work of the contacts at the start of the step; `w` is after it [J].
double contact_work(const IslandInput& input, std::span<const int> blocks,
                    const StepSolution& solution, std::span<const double> impulses,
                    std::span<const double> w) {
  double work = 0.0;
  std::size_t row = 0;
  for (const int block : blocks) {
    if (!input.set.is_contact(block)) {
      row += index(input.set.constraint(block).rows);
      continue;
    }
    const ContactVelocity& v = input.velocities.contacts[index(block)];
    const Vector3<double> impulse{impulses[row], impulses[row + 1], impulses[row + 2]};
    const Vector3<double> after{w[row], w[row + 1],
                                w[row + 2] + solution.normal_target[index(block)]};
    const Vector3<double> middle = multiply_add(0.5, after - v.free, v.before);
    work += dot(impulse, middle);
    row += 3;
  }
  return work;
}

/// Lowers what contacts return, so that the impacts of the island lose energy.
void weaken_bounce(const IslandInput& input, std::span<const int> blocks, double factor,
                   ContactProblem& problem, StepSolution& solution) {
  ContactProblem::VectorMap target = problem.edit_target();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!input.set.is_contact(blocks[i])) continue;
    const std::size_t contact = index(blocks[i]);
    double& restitution = solution.restitution[contact];
    if (restitution == 0.0) continue;
    double& normal = solution.normal_target[contact];
    const double less = restitution * (1.0 - factor);
    restitution *= factor;
    normal = std::max(normal + less * input.velocities.contacts[contact].before.z,
                      -std::max(input.set.contacts[contact].gap, 0.0) / input.settings.time_step);
    target[problem.blocks()[i].row + 2] = normal;
  }
  problem.prepare();
}

/// Energy that rounding and the solver's tolerance may feign at each contact [J].
double energy_noise(const SolverReport& report) {
  const Scales& scales = report.certificate.scales;
  return std::max(1e-12, 10.0 * report.certificate.residual()) * scales.velocity * scales.impulse;
}

/// Steps down the gradient before a solve: many where a contact that closes is new, some where the
/// load has changed, none where there are fewer rows than velocities, because then a load can be
/// spread in one way only.
int spreading_steps(const IslandInput& input, const IslandView& view, int rows) {
  int velocities = 0;
  for (const int i : view.trees) {
    const Tree& tree = input.scene.layout.trees[index(i)];
    velocities += tree.velocity_end - tree.velocity_first;
  }
  if (rows <= velocities) return 0;
  const bool any_new = !input.is_repeated && std::ranges::any_of(view.blocks, [&](int block) {
    if (!input.set.is_contact(block) || input.recalled.is_new[index(block)] == 0) return false;
    return input.velocities.contacts[index(block)].free.z < input.targets.normal[index(block)];
  });
  return any_new ? first_spreading : later_spreading;
}

double largest_impulse(std::span<const double> impulses) {
  double largest = 0.0;
  for (const double impulse : impulses) largest = std::max(largest, std::abs(impulse));
  return largest;
}

/// Whether impulses are far larger than what stops the bodies: they press against each other.
bool squeezes(const ContactProblem& problem, std::span<const double> impulses) {
  const double speed = problem.shifted_velocity().cwiseAbs().maxCoeff();
  return largest_impulse(impulses) * problem.largest_trace() > squeezing * speed;
}

/// Overlaps that can be pushed out need little work: what needs more is tried without pushing.
double pushing_work(const ContactProblem& problem) {
  const double rows = problem.row_count();
  return least_pushing_work + pushing_factors * rows * rows * rows / 3.0;
}

/// Solves. Overlaps on two sides of a body cannot both be pushed out. If the solver fails on
/// islands with overlaps, or squeezes, it solves again without pushing; the latter counts if it
/// takes far smaller impulses.
void solve_or_leave_overlaps(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                             StepSolution& solution) {
  const SolverOptions& options = input.settings.solver_options;
  ContactProblem& problem = worker.problem;
  const bool judged = worker.overlaps == Overlaps::pushed_and_judged;
  const bool pushes = judged || worker.overlaps == Overlaps::pushed;
  SolverOptions first = options;
  if (pushes) {
    first.work_limit = std::min(first.work_limit, pushing_work(problem));
  }
  worker.report = worker.solver->attempt(problem, first, worker.impulses);
  if (!pushes || stop_requested()) return;
  if (worker.report.certified() && !(judged && squeezes(problem, worker.impulses))) return;
  const SolverReport pushed = worker.report;
  worker.pushed_impulses = worker.impulses;
  leave_overlaps(input, view.blocks, problem, solution);
  worker.overlaps = Overlaps::left;
  std::ranges::fill(worker.impulses, 0.0);
  worker.report = worker.solver->attempt(problem, options, worker.impulses);
  const bool eases =
      largest_impulse(worker.impulses) < easing * largest_impulse(worker.pushed_impulses);
  if (pushed.certified() && !(worker.report.certified() && eases)) {
    fill_targets(input.set, input.targets, view.blocks, problem);
    problem.prepare();
    for (const int block : view.blocks) {
      if (!input.set.is_contact(block)) continue;
      solution.normal_target[index(block)] = input.targets.normal[index(block)];
    }
    worker.overlaps = Overlaps::pushed;
    worker.impulses = worker.pushed_impulses;
    worker.report = worker.solver->attempt(problem, options, worker.impulses);
  }
  worker.report.iterations += pushed.iterations;
}

/// Solves, and again with less restitution as long as bounces bring energy in.
void solve_without_gain(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                        StepSolution& solution) {
  const SolverOptions& options = input.settings.solver_options;
  const bool may_gain = input.scene.model.has_restitution() && bounces(input, view.blocks);
  if (may_gain) worker.warm_start = worker.impulses;
  solve_or_leave_overlaps(input, view, worker, solution);
  if (!may_gain) return;
  for (int i = 1; i <= bounce_attempts; ++i) {
    worker.solver->certify(worker.problem, options, worker.impulses, worker.report);
    const double work = contact_work(input, view.blocks, solution, worker.impulses,
                                     worker.solver->last_judge().velocity());
    const double noise = static_cast<double>(view.blocks.size()) * energy_noise(worker.report);
    if (!(work > noise)) return;
    weaken_bounce(input, view.blocks, i == bounce_attempts ? 0.0 : 0.7, worker.problem, solution);
    worker.impulses = worker.warm_start;
    worker.report = worker.solver->attempt(worker.problem, options, worker.impulses);
  }
}

/// Impulses, velocities and modes from the worker to where the blocks have theirs; whether any
/// impulse is not zero.
bool store_results(const ContactSet& set, std::span<const int> blocks, const IslandWorker& worker,
                   StepSolution& solution) {
  const Judge& judge = worker.solver->last_judge();
  const std::span<const double> w = judge.velocity();
  const bool judged = w.size() == worker.impulses.size();
  const double* target = worker.problem.target().data();
  bool any = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int block = blocks[i];
    const Block& rows = worker.problem.blocks()[i];
    const std::size_t row = index(rows.row);
    const auto store = [&](auto count) __attribute__((always_inline)) {
      double* impulse = solution.impulses.data() + set.place(block);
      double* velocity = solution.velocities.data() + set.place(block);
      for (std::size_t k = 0; k < count; ++k) {
        impulse[k] = worker.impulses[row + k];
        velocity[k] = judged ? w[row + k] + target[row + k] : 0.0;
        any |= impulse[k] != 0.0;
      }
    };
    if (!set.is_contact(block)) {
      store(index(rows.rows));
      continue;
    }
    store(std::integral_constant<std::size_t, 3>{});
    solution.modes[index(block)] =
        judged ? judge.mode(static_cast<int>(i), worker.impulses, w) : ContactMode::open;
  }
  if (worker.problem.has_turns()) to_moments(set, blocks, solution);
  return any;
}

/// The same for an island that was solved impact by impact: no single solve knows its velocities.
bool store_impacts(const IslandInput& input, std::span<const int> blocks,
                   const IslandWorker& worker, StepSolution& solution) {
  bool any = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t contact = index(blocks[i]);
    const Vector3<double> v =
        input.velocities.contacts[contact].free + worker.impacts.contacts[i].gained;
    double* impulse = solution.impulses.data() + input.set.place(blocks[i]);
    double* velocity = solution.velocities.data() + input.set.place(blocks[i]);
    std::copy_n(worker.impulses.data() + 3 * i, 3, impulse);
    velocity[0] = v.x;
    velocity[1] = v.y;
    velocity[2] = v.z;
    const bool pushed = impulse[2] > 0.0;
    const double bound = input.set.contacts[contact].material.friction * impulse[2];
    const bool slips = std::hypot(impulse[0], impulse[1]) >= (1.0 - 1e-9) * bound;
    solution.modes[contact] = !pushed ? ContactMode::open
                              : slips ? ContactMode::slip
                                      : ContactMode::stick;
    any |= pushed;
  }
  return any;
}

/// Without impulses the trees move freely; but a free motion that bends into an obstacle counts as
/// one in contact.
bool would_overlap(const IslandInput& input, std::span<const int> blocks) {
  if (!input.settings.free_path_bends) return false;
  return std::ranges::any_of(blocks, [&](int block) {
    if (!input.set.is_contact(block)) return false;
    const ContactVelocity& v = input.velocities.contacts[index(block)];
    const double travel = 0.5 * input.settings.time_step * (v.before.z + v.free.z);
    return travel < 0.0 && input.set.contact(block).gap + travel < 0.0;
  });
}

/// Calls `visit(k)` for the entries of v of the trees.
template <class Visit>
void visit_velocities(const SceneLayout& layout, std::span<const int> trees, const Visit& visit) {
  for (const int i : trees) {
    const Tree& tree = layout.trees[index(i)];
    for (int k = tree.velocity_first; k < tree.velocity_end; ++k) visit(index(k));
  }
}

/// q⁺ of an island of impacts: free motion, and each impulse from its impact on.
void piece_together(const IslandInput& input, std::span<const int> trees, IslandWorker& worker,
                    StepMotion& motion) {
  worker.assembler.velocity_change(input.scene, trees, worker.problem, worker.impacts.time_weighted,
                                   worker.velocity_change);
  visit_velocities(input.scene.layout, trees, [&](std::size_t k) {
    motion.position_rate[k] =
        0.5 * (input.velocity[k] + motion.free_velocity[k]) + worker.velocity_change[k];
  });
}

/// Asks how fast each contact and limit would have to open besides, so that it does not overlap
/// after the step; whether any would by more than the solver may leave.
bool find_missing_distance(const IslandInput& input, std::span<const int> blocks,
                           const StepSolution& solution, const IslandResult& result,
                           IslandWorker& worker) {
  const RigidSettings& settings = input.settings;
  const std::span<double> missing = worker.position_push.start(static_cast<int>(blocks.size()));
  const bool has_locks = worker.lock_targets != nullptr && LockFactor::suits(worker.problem);
  double largest = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int block = blocks[i];
    const bool is_contact = input.set.is_contact(block);
    if (!is_contact && input.set.constraint(block).kind != BlockKind::limit) continue;
    if (has_locks && worker.lock_targets->holds(static_cast<int>(i))) continue;
    const double gap = is_contact ? input.set.contact(block).gap : input.set.constraint(block).gap;
    const double velocity = solution.velocities[input.set.place(block) + (is_contact ? 2 : 0)];
    const double rate = gap / settings.time_step + velocity;
    missing[i] =
        rate >= 0.0 ? -rate : std::min(-settings.push_out_fraction * rate, settings.push_out_speed);
    largest = std::max(largest, missing[i]);
  }
  return largest > settings.solver_options.tolerance * result.certificate.scales.velocity;
}

/// Whether an overlap is too deep to be pushed out by velocities: bodies would fly off.
bool is_deep(const RigidSettings& settings, double gap) {
  return -settings.push_out_fraction * gap > settings.velocity_push_speed * settings.time_step;
}

/// Whether the options or the depth of some overlap ask for a push out of the positions.
bool pushes_positions(const IslandInput& input, std::span<const int> blocks) {
  const RigidSettings& settings = input.settings;
  if (settings.push_out_sweeps > 0) return true;
  if (settings.gap_rule == GapRule::velocity) return false;
  return std::ranges::any_of(blocks, [&](int block) {
    if (input.set.is_contact(block)) return is_deep(settings, input.set.contact(block).gap);
    const Constraint& constraint = input.set.constraint(block);
    return constraint.kind == BlockKind::limit && is_deep(settings, constraint.gap);
  });
}

void push_positions(const IslandInput& input, std::span<const int> trees, IslandWorker& worker,
                    StepMotion& motion) {
  PositionPush& push = worker.position_push;
  const RigidSettings& settings = input.settings;
  const bool by_wish = settings.push_out_sweeps > 0;
  push.push(worker.problem, by_wish ? settings.push_out_sweeps : deep_push_sweeps);
  if (!by_wish) {
    push.bound_energy(worker.problem, energy_at_speed(input.scene, trees, settings.push_out_speed));
  }
  const bool of_bodies = worker.problem.storage() == DelassusStorage::bodies;
  if (!of_bodies) {
    worker.assembler.velocity_change(input.scene, trees, worker.problem, push.impulses(),
                                     worker.velocity_change);
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const Tree& tree = input.scene.layout.trees[index(trees[i])];
    const double* change = of_bodies ? push.body_velocities().data() + 6 * i
                                     : worker.velocity_change.data() + tree.velocity_first;
    for (int k = tree.velocity_first; k < tree.velocity_end; ++k) {
      motion.position_rate[index(k)] += *change++;
    }
  }
}

/// What is left once the problem has G and free velocities.
void prepare_problem(const IslandInput& input, std::span<const int> blocks,
                     std::span<const double> impulses, IslandWorker& worker) {
  ContactProblem& problem = worker.problem;
  fill_targets(input.set, input.targets, blocks, problem);
  problem.prepare();
  std::span<const int> released;
  if (!input.scene.model.couplings().empty()) {
    released = reconcile_locks({input.scene, input.set, blocks}, worker);
  }
  worker.impulses.resize(index(problem.row_count()));
  double* impulse = worker.impulses.data();
  for (const int block : blocks) {
    impulse = std::copy_n(impulses.data() + input.set.place(block), input.set.rows(block), impulse);
  }
  for (const int row : released) worker.impulses[index(row)] = 0.0;
  if (problem.has_turns()) from_moments(input.set, blocks, problem, worker.impulses);
}

}  // namespace

void start_solution(const ContactSet& set, const IslandSet& islands, const BlockTargets& targets,
                    StepSolution& solution) {
  const std::size_t contacts = set.contacts.size();
  solution.velocities.resize(set.row_space());
  if (solution.modes.size() != contacts) {
    solution.modes.resize(contacts);
    solution.normal_target.resize(contacts);
  }
  std::copy_n(targets.normal.begin(), contacts, solution.normal_target.begin());
  if (!targets.restitution.empty() || !solution.restitution.empty()) {
    solution.restitution = targets.restitution;
  }
  if (solution.islands.size() < index(islands.count())) {
    solution.islands.resize(index(islands.count()));
  }
}

void assemble_island(const IslandInput& input, int island, std::span<const double> impulses,
                     IslandWorker& worker) {
  worker.assembler.assemble(input.scene, input.set, input.velocities, input.islands.view(island),
                            worker.problem);
  prepare_problem(input, input.islands.view(island).blocks, impulses, worker);
}

bool needs_delassus_alone(const IslandInput& input, int island) {
  const std::span<const int> blocks = input.islands.view(island).blocks;
  return input.set.constraints.empty() && blocks.size() <= IslandAssembler::most_entries &&
         !input.targets.is_by_impacts(island) && !input.settings.keeps_momentum &&
         input.scene.model.couplings().empty() && !pushes_positions(input, blocks);
}

void begin_assembly(const IslandInput& input, int island, IslandWorker& worker) {
  IslandAssembler::begin_dense(input.set, input.islands.view(island).blocks, worker.problem);
}

void end_assembly(const IslandInput& input, int island, std::span<const double> impulses,
                  IslandWorker& worker) {
  const std::span<const int> blocks = input.islands.view(island).blocks;
  IslandAssembler::end_dense(input.set, input.velocities, blocks, worker.problem);
  prepare_problem(input, blocks, impulses, worker);
}

bool marks_trees_moved(const IslandInput& input, int island, const StepSolution& solution,
                       StepMotion& motion) {
  const IslandView view = input.islands.view(island);
  const bool acts =
      solution.islands[index(island)].has_impulses || would_overlap(input, view.blocks);
  for (const int tree : view.trees) motion.has_impulses[index(tree)] = acts ? 1 : 0;
  return acts;
}

void move_by_change(const IslandInput& input, int island, StepMotion& motion) {
  visit_velocities(input.scene.layout, input.islands.view(island).trees, [&](std::size_t k) {
    motion.next_velocity[k] += motion.free_velocity[k];
    motion.position_rate[k] = motion.next_velocity[k];
  });
}

void solve_island(const IslandInput& input, int island, IslandWorker& worker,
                  StepSolution& solution) {
  const IslandView view = input.islands.view(island);
  prepare_solver(input.settings, worker);
  worker.overlaps = Overlaps::none;
  if (input.targets.is_by_impacts(island)) {
    worker.report =
        solve_impacts(input, view, worker, solution, solution.islands[index(island)].impact_work);
    return;
  }
  judge_overlaps(input, view, worker, solution);
  const SolverOptions& options = input.settings.solver_options;
  if (options.warm_start && !worker.solver->shares_loads(worker.problem, options)) {
    const int rows = worker.problem.row_count() - turn_rows(worker.problem);
    const int spreading = spreading_steps(input, view, rows);
    if (spreading > 0) worker.spreading.spread(worker.problem, spreading, worker.impulses);
  }
  solve_without_gain(input, view, worker, solution);
}

void certify_island(const IslandInput& input, int island, IslandWorker& worker,
                    StepSolution& solution) {
  const std::span<const int> blocks = input.islands.view(island).blocks;
  IslandResult& result = solution.islands[index(island)];
  if (input.targets.is_by_impacts(island)) {
    result.has_impulses = store_impacts(input, blocks, worker, solution);
    result.energy_gain = result.energy_bound = 0.0;
  } else {
    worker.solver->certify(worker.problem, input.settings.solver_options, worker.impulses,
                           worker.report);
    bound_energy_gain(input, input.islands.view(island), worker, solution, result);
    result.has_impulses = store_results(input.set, blocks, worker, solution);
  }
  result.status = worker.report.status;
  result.iterations = worker.report.iterations;
  result.certificate = worker.report.certificate;
  if (!worker.report.certified()) result.message = worker.report.message;
}

void move_island(const IslandInput& input, int island, const StepSolution& solution,
                 IslandWorker& worker, StepMotion& motion) {
  const IslandView view = input.islands.view(island);
  const IslandResult& result = solution.islands[index(island)];
  const bool by_impacts = input.targets.is_by_impacts(island);
  const bool by_positions =
      worker.overlaps == Overlaps::left_to_positions ||
      (worker.overlaps != Overlaps::left && pushes_positions(input, view.blocks));
  const bool pushes = !by_impacts && by_positions &&
                      find_missing_distance(input, view.blocks, solution, result, worker);
  const bool acts = pushes || result.has_impulses || would_overlap(input, view.blocks);
  for (const int tree : view.trees) motion.has_impulses[index(tree)] = acts ? 1 : 0;
  if (!acts) return;
  worker.assembler.velocity_change(input.scene, view.trees, worker.problem, worker.impulses,
                                   motion.next_velocity);
  move_by_change(input, island, motion);
  if (by_impacts) piece_together(input, view.trees, worker, motion);
  if (pushes) push_positions(input, view.trees, worker, motion);
}

}  // namespace stiction
