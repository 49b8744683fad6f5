#include "stiction/sim/solve_islands.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/sim/assembly.hpp"
#include "stiction/sim/impacts.hpp"

namespace stiction {

namespace {

/// Restitution is weakened so many times, the last time to nothing, before energy is let go.
constexpr int bounce_attempts = 5;
/// Steps that share a load evenly, where contacts are new and where they are not.
constexpr int first_spreading = 40;
constexpr int later_spreading = 4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Context {
  const StepOptions& options;
  const State& state;
  Workspace::Memory& memory;
};

std::span<const int> blocks_of(const Workspace::Memory& memory, const Island& island) {
  return std::span(memory.island_blocks)
      .subspan(index(island.block_first), index(island.block_count));
}

bool bounces(const Workspace::Memory& memory, const Island& island) {
  return std::ranges::any_of(blocks_of(memory, island), [&](int block) {
    return memory.is_contact(block) && memory.candidates[index(block)].restitution > 0.0;
  });
}

/// Work of the contacts at the start of the step; `w` is after it [J].
double contact_work(const Workspace::Memory& memory, const Island& island,
                    std::span<const double> impulses, std::span<const double> w) {
  double work = 0.0;
  std::size_t row = 0;
  for (const int block : blocks_of(memory, island)) {
    if (!memory.is_contact(block)) {
      row += index(memory.constraint_of(block).rows);
      continue;
    }
    const Candidate& c = memory.candidates[index(block)];
    const Vector3<double> impulse{impulses[row], impulses[row + 1], impulses[row + 2]};
    const Vector3<double> after{w[row], w[row + 1], w[row + 2] + c.target};
    const Vector3<double> middle = multiply_add(0.5, after - c.free, c.before);
    work += dot(impulse, middle);
    row += 3;
  }
  return work;
}

/// Lowers what contacts give back, so that the impacts of the island lose energy.
void weaken_bounce(Workspace::Memory& memory, const Island& island, double factor,
                   ContactProblem& problem) {
  ContactProblem::VectorMap target = problem.edit_target();
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    if (!memory.is_contact(block)) continue;
    Candidate& c = memory.candidates[index(block)];
    if (c.restitution == 0.0) continue;
    const double less = c.restitution * (1.0 - factor);
    c.restitution *= factor;
    c.target = std::max(c.target + less * c.before.z, -std::max(c.gap, 0.0) / memory.h);
    target[problem.blocks()[index(i)].row + 2] = c.target;
  }
  problem.prepare();
}

void prepare_solver(const StepOptions& options, IslandWorker& worker) {
  if (worker.solver != nullptr && worker.solver_name == options.solver) return;
  worker.solver = make_solver(options.solver);
  worker.solver->measure_time(false);
  worker.solver_name = options.solver;
}

/// Energy that rounding and the solver's tolerance may feign at each contact [J].
double energy_noise(const SolverReport& report) {
  const Scales& scales = report.certificate.scales;
  return std::max(1e-12, 10.0 * report.certificate.residual()) * scales.velocity * scales.impulse;
}

/// Steps down the gradient before a solve: many where a contact that closes has no impulse yet,
/// some where the load has changed, none where there are fewer rows than velocities, for then it
/// can be shared in one way only.
int spreading_steps(const Workspace::Memory& memory, const Island& island, int rows) {
  int velocities = 0;
  for (int i = 0; i < island.tree_count; ++i) {
    const Tree& tree = memory.trees[index(memory.island_trees[index(island.tree_first + i)])];
    velocities += tree.velocity_end - tree.velocity_first;
  }
  if (rows <= velocities) return 0;
  const bool any_fresh = std::ranges::any_of(blocks_of(memory, island), [&](int block) {
    if (!memory.is_contact(block) || memory.fresh[index(block)] == 0) return false;
    const Candidate& candidate = memory.candidates[index(block)];
    return candidate.free.z < candidate.target;
  });
  return any_fresh ? first_spreading : later_spreading;
}

SolverReport solve_without_gain(Context& context, Island& island, IslandWorker& worker) {
  Workspace::Memory& memory = context.memory;
  const SolverOptions& options = context.options.solver_options;
  const int spreading = spreading_steps(memory, island, worker.problem.row_count());
  if (options.warm_start && spreading > 0) {
    worker.spreading.spread(worker.problem, spreading, worker.impulses);
  }
  const bool may_gain = memory.has_bouncers && bounces(memory, island);
  if (may_gain) worker.start = worker.impulses;
  SolverReport report = worker.solver->solve(worker.problem, options, worker.impulses);
  for (int i = 1; may_gain && i <= bounce_attempts; ++i) {
    const double work =
        contact_work(memory, island, worker.impulses, worker.solver->last_judge().velocity());
    if (!(work > island.block_count * energy_noise(report))) break;
    weaken_bounce(memory, island, i == bounce_attempts ? 0.0 : 0.7, worker.problem);
    worker.impulses = worker.start;
    report = worker.solver->solve(worker.problem, options, worker.impulses);
  }
  return report;
}

/// Impulses, velocities and modes from the worker to where the blocks have theirs.
void store_results(Workspace::Memory& memory, Island& island, const IslandWorker& worker) {
  const Judge& judge = worker.solver->last_judge();
  const std::span<const double> w = judge.velocity();
  const bool judged = w.size() == worker.impulses.size();
  const double* target = worker.problem.target().data();
  island.active = false;
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    const Block& rows = worker.problem.blocks()[index(i)];
    double* impulse = memory.impulse_of(block);
    double* velocity = memory.velocity_of(block);
    for (int k = 0; k < rows.rows; ++k) {
      const std::size_t row = index(rows.row + k);
      impulse[k] = worker.impulses[row];
      velocity[k] = judged ? w[row] + target[row] : 0.0;
      island.active |= impulse[k] != 0.0;
    }
    if (memory.is_contact(block)) {
      memory.modes[index(block)] = judged ? judge.mode(i, worker.impulses, w) : ContactMode::open;
    }
  }
}

/// The same for an island of impacts, which has no single solve to ask.
void store_impacts(Workspace::Memory& memory, Island& island, const IslandWorker& worker) {
  island.active = false;
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    const Candidate& c = memory.candidates[index(block)];
    const Vector3<double> v = c.free + worker.impacts[index(i)].gained;
    double* impulse = memory.impulse_of(block);
    double* velocity = memory.velocity_of(block);
    std::copy_n(worker.impulses.data() + 3 * index(i), 3, impulse);
    velocity[0] = v.x;
    velocity[1] = v.y;
    velocity[2] = v.z;
    const bool pushed = impulse[2] > 0.0;
    const bool rubs = std::hypot(impulse[0], impulse[1]) >= (1.0 - 1e-9) * c.friction * impulse[2];
    memory.modes[index(block)] = !pushed ? ContactMode::open
                                 : rubs  ? ContactMode::slip
                                         : ContactMode::stick;
    island.active |= pushed;
  }
}

/// Without impulses the trees move freely; but a free motion that bends into an obstacle counts as
/// one in contact.
bool would_overlap(const StepOptions& options, const Workspace::Memory& memory,
                   const Island& island) {
  if (options.integrator == Integrator::semi_implicit) return false;
  return std::ranges::any_of(blocks_of(memory, island), [&](int block) {
    if (!memory.is_contact(block)) return false;
    const Candidate& c = memory.candidates[index(block)];
    const double travel = 0.5 * memory.h * (c.before.z + c.free.z);
    return travel < 0.0 && c.gap + travel < 0.0;
  });
}

/// q⁺ of an island of impacts: free motion, and each impulse from its impact on.
void piece_together(Context& context, const Island& island, IslandWorker& worker) {
  Workspace::Memory& memory = context.memory;
  velocity_change(memory, island, worker, worker.start, memory.stage_dv);
  for (int i = 0; i < island.tree_count; ++i) {
    const Tree& tree = memory.trees[index(memory.island_trees[index(island.tree_first + i)])];
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      memory.move[k] = 0.5 * (context.state.v[static_cast<Eigen::Index>(k)] + memory.v_free[k]) +
                       memory.stage_dv[k];
    }
  }
}

/// Asks how fast each contact and limit would have to open besides, so that it does not overlap
/// after the step; whether any would by more than the solver may leave.
bool lacks_distance(Context& context, const Island& island, IslandWorker& worker) {
  Workspace::Memory& memory = context.memory;
  const StepOptions& options = context.options;
  const std::span<double> lack = worker.position_push.start(island.block_count);
  double largest = 0.0;
  for (int i = 0; i < island.block_count; ++i) {
    const int block = memory.island_blocks[index(island.block_first + i)];
    const bool is_contact = memory.is_contact(block);
    if (!is_contact && memory.constraint_of(block).kind != BlockKind::limit) continue;
    const double gap =
        is_contact ? memory.candidates[index(block)].gap : memory.constraint_of(block).gap;
    const double rate = gap / memory.h + memory.velocity_of(block)[is_contact ? 2 : 0];
    lack[index(i)] =
        rate >= 0.0 ? -rate : std::min(-options.push_out_share * rate, options.push_out_speed);
    largest = std::max(largest, lack[index(i)]);
  }
  return largest > options.solver_options.tolerance * island.certificate.scales.velocity;
}

void push_positions(Context& context, const Island& island, IslandWorker& worker) {
  Workspace::Memory& memory = context.memory;
  PositionPush& push = worker.position_push;
  push.push(worker.problem, context.options.push_out_sweeps);
  const bool of_bodies = worker.problem.storage() == DelassusStorage::bodies;
  if (!of_bodies) velocity_change(memory, island, worker, push.impulses(), memory.stage_dv);
  for (int i = 0; i < island.tree_count; ++i) {
    const Tree& tree = memory.trees[index(memory.island_trees[index(island.tree_first + i)])];
    const double* change = of_bodies ? push.body_velocities().data() + 6 * i
                                     : memory.stage_dv.data() + tree.velocity_first;
    for (int k = tree.velocity_first; k < tree.velocity_end; ++k) {
      memory.move[index(k)] += *change++;
    }
  }
}

void move_trees(Context& context, const Island& island, IslandWorker& worker) {
  Workspace::Memory& memory = context.memory;
  const bool pushes = !island.events && context.options.push_out_sweeps > 0 &&
                      lacks_distance(context, island, worker);
  const bool active = pushes || island.active || would_overlap(context.options, memory, island);
  for (int i = 0; i < island.tree_count; ++i) {
    memory.trees[index(memory.island_trees[index(island.tree_first + i)])].active = active;
  }
  if (!active) return;
  velocity_change(memory, island, worker, worker.impulses, memory.v_next);
  for (int i = 0; i < island.tree_count; ++i) {
    const Tree& tree = memory.trees[index(memory.island_trees[index(island.tree_first + i)])];
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      memory.v_next[k] += memory.v_free[k];
      memory.move[k] = memory.v_next[k];
    }
  }
  if (island.events) piece_together(context, island, worker);
  if (pushes) push_positions(context, island, worker);
}

void solve_island(Context& context, int number, int thread) {
  Workspace::Memory& memory = context.memory;
  Island& island = memory.islands[index(number)];
  IslandWorker& worker = memory.workers[index(thread)];
  prepare_solver(context.options, worker);
  assemble_island(memory, island, worker);
  const SolverReport report = island.events ? solve_impacts(context.options, memory, island, worker)
                                            : solve_without_gain(context, island, worker);
  island.status = report.status;
  island.iterations = report.iterations;
  island.certificate = report.certificate;
  if (!report.certified()) island.message = report.message;
  if (island.events) {
    store_impacts(memory, island, worker);
  } else {
    store_results(memory, island, worker);
  }
  move_trees(context, island, worker);
}

}  // namespace

void solve_islands(const StepOptions& options, const State& state, Workspace::Memory& memory) {
  while (memory.workers.size() < index(options.threads)) {
    memory.workers.emplace_back(memory.model);
  }
  Context context{options, state, memory};
  memory.team.run(
      options.threads, memory.island_count,
      [](void* data, int island, int thread) {
        solve_island(*static_cast<Context*>(data), island, thread);
      },
      &context);
}

}  // namespace stiction
