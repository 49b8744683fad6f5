#include "stiction/sim/viscoelastic.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/adhesion.hpp"
#include "stiction/sim/report.hpp"
#include "stiction/sim/solve_islands.hpp"
#include "stiction/sim/stopwatch.hpp"
#include "stiction/touch/body_impulses.hpp"
#include "stiction/touch/find_constraints.hpp"
#include "stiction/touch/find_contacts.hpp"

namespace stiction {

namespace {

using Parts = Workspace::Parts;

/// How often the hard rows that turned out to hold are taken up.
constexpr int most_implicit_repeats = 10;
constexpr int most_exponential_repeats = 2;

/// What all functions below read.
struct SpringStep {
  const Model& model;
  const StepOptions& options;
  const RigidSettings& settings;
  const State& state;
  Parts& w;
  ViscoelasticParts& s;
  double h;
  DynamicsData<double>* dynamics;  ///< of the start, or of the middle where forces are found

  [[nodiscard]] SceneSnapshot scene() const { return {model, w.layout, *dynamics, w.tendons}; }
  [[nodiscard]] const ViscoelasticOptions& own() const { return options.viscoelastic; }
  [[nodiscard]] bool exponential() const {
    return own().integrator == ContactIntegrator::exponential;
  }
  /// Contacts that may begin within the step are found as well.
  [[nodiscard]] bool foresees() const {
    return exponential() && own().rules == AnchorRules::surface && s.prediction == nullptr;
  }
  /// Inertia, load and points of contacts are those of the middle of the step.
  [[nodiscard]] bool at_middle() const { return foresees() && has_middle(model); }
  [[nodiscard]] bool implicit() const {
    return own().integrator == ContactIntegrator::implicit_euler;
  }
};

/// Calls `visit(k)` for the entries of v of a tree.
template <class Visit>
void visit_velocities(const Tree& tree, const Visit& visit) {
  for (int k = tree.velocity_first; k < tree.velocity_end; ++k) visit(index(k));
}

void put(const Vector3<double>& v, double scale, double* to) {
  to[0] = scale * v.x;
  to[1] = scale * v.y;
  to[2] = scale * v.z;
}

/// Free motion, or with the forces of springs (impulses of the solution, divided by h).
void accelerate(const SpringStep& in, bool with_springs) {
  Parts& w = in.w;
  std::span<const Force<double>> external =
      w.external.on_bodies_at(in.model, *in.dynamics, w.free_motion.external);
  if (with_springs) {
    in.s.body_forces.assign(in.dynamics->bodies.size(), Force<double>{});
    std::ranges::copy(external, in.s.body_forces.begin());
    add_contact_impulses(*in.dynamics, w.contacts.contacts, w.solution.impulses, 1.0 / in.h,
                         in.s.body_forces);
    external = in.s.body_forces;
  }
  accelerate_freely(in.model, w.forces, external, in.h, *in.dynamics, w.motion);
}

void find_hard_rows(const SpringStep& in) {
  Parts& w = in.w;
  const bool touching_only = in.options.gap_rule == GapRule::velocity;
  find_constraints({in.model, w.layout, w.dynamics, w.tendons}, in.state, w.motion.free_velocity,
                   {in.h, in.options.margin, touching_only, w.collider.geometries()}, in.s.hard);
  w.contacts.constraints = in.s.hard.constraints;
  w.contacts.terms = in.s.hard.terms;
  w.islands.find(w.contacts);
}

/// Springs wherever the bodies are, with the anchors of the start.
class StageSprings : public BodyForcesElsewhere {
 public:
  explicit StageSprings(const SpringStep& in) : in_(in) {}

  std::span<const Force<double>> at(const DynamicsData<double>& there) override {
    Parts& w = in_.w;
    ViscoelasticParts& s = in_.s;
    const SceneSnapshot scene{in_.model, w.layout, there, w.tendons};
    find_contacts(scene, {0.0, 0.0, true, in_.options.four_face_points}, w.collider,
                  s.stage_contacts);
    find_springs(scene, in_.own(), w.collider.placements(), in_.state.memory, s.stage_contacts,
                 s.stage_springs);
    s.stage_forces.resize(3 * s.stage_contacts.size());
    for (std::size_t i = 0; i < s.stage_springs.size(); ++i) {
      put(s.stage_springs[i].force, 1.0, &s.stage_forces[3 * i]);
    }
    s.body_forces.assign(there.bodies.size(), Force<double>{});
    std::ranges::copy(w.external.on_bodies_at(in_.model, there, w.free_motion.external),
                      s.body_forces.begin());
    add_contact_impulses(there, s.stage_contacts, s.stage_forces, 1.0, s.body_forces);
    return s.body_forces;
  }

 private:
  const SpringStep& in_;
};

/// The collider's shapes go back to where the step begins.
void place_shapes_at_start(const SpringStep& in) {
  find_contacts(in.scene(), {0.0, 0.0, true, in.options.four_face_points}, in.w.collider,
                in.s.stage_contacts);
}

/// Velocities and rates of all trees by a step of fourth order.
void advance_by_runge_kutta(const SpringStep& in) {
  StageSprings springs(in);
  advance_by_stages(in.model, in.state, in.w.forces, in.h, springs, in.w.free_motion, in.s.velocity,
                    in.s.rate);
  place_shapes_at_start(in);
}

/// Forces of the start, for the whole step; `rk4` looks again on its way.
void keep_start_forces(const SpringStep& in) {
  Parts& w = in.w;
  for (std::size_t i = 0; i < in.s.springs.size(); ++i) {
    put(in.s.springs[i].force, in.h, w.solution.impulses.data() + 3 * i);
  }
  accelerate(in, true);
  const std::vector<double>& before = w.motion.velocity_before;
  const bool semi = in.own().integrator == ContactIntegrator::semi_implicit;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const double next = w.motion.free_velocity[k];
    in.s.velocity[k] = next;
    in.s.rate[k] = semi ? next : 0.5 * (before[k] + next);
  }
  if (in.own().integrator == ContactIntegrator::rk4) advance_by_runge_kutta(in);
  std::ranges::fill(in.s.has_springs, char{1});
}

/// Whether a row holds with this impulse, so that springs cannot move it.
bool holds(const Constraint& constraint, double impulse) {
  if (constraint.kind == BlockKind::lock) return true;
  if (constraint.kind == BlockKind::limit) return impulse > 0.0;
  return impulse != 0.0 && std::abs(impulse) < constraint.bound;
}

/// Rows that the springs of an island cannot move: locks, and limits and joints that held when the
/// island was solved last, be it in the step before.
void find_held_rows(const SpringStep& in, const IslandView& view, const ContactProblem& problem) {
  in.s.held.clear();
  const Parts& w = in.w;
  for (std::size_t i = 0; i < view.blocks.size(); ++i) {
    if (w.contacts.is_contact(view.blocks[i])) continue;
    const std::size_t c = w.contacts.constraint_index(view.blocks[i]);
    const Constraint& constraint = w.contacts.constraints[c];
    const Block& rows = problem.blocks()[i];
    in.s.is_held[c] = holds(constraint, in.s.hard_solution.impulses[6 * c]) ? 1 : 0;
    if (in.s.is_held[c] == 0) continue;
    for (int k = 0; k < rows.rows; ++k) {
      const double wanted = w.targets.constraints[c][index(k)];
      const double free = problem.free_velocity()[rows.row + k];
      in.s.held.push_back({rows.row + k, (wanted - free) / in.h});
    }
  }
}

/// Moves the trees of an island by averages, and stores what acted.
void move_by_averages(const SpringStep& in, const IslandView& view, IslandWorker& worker) {
  Parts& w = in.w;
  ViscoelasticParts& s = in.s;
  s.impulses.assign(index(worker.problem.row_count()), 0.0);
  s.twice_impulses.assign(s.impulses.size(), 0.0);
  for (std::size_t i = 0; i < s.averaged.size(); ++i) {
    put(s.averaged[i].average, in.h, &s.impulses[3 * i]);
    put(s.averaged[i].double_average, in.h, &s.twice_impulses[3 * i]);
  }
  worker.assembler.velocity_changes(in.scene(), view.trees, worker.problem,
                                    {s.impulses, s.twice_impulses}, {s.velocity, s.rate});
  for (const int tree : view.trees) {
    s.has_springs[index(tree)] = 1;
    visit_velocities(w.layout.trees[index(tree)], [&](std::size_t k) {
      s.velocity[k] = w.motion.free_velocity[k] + s.velocity[k];
      s.rate[k] = 0.5 * (w.motion.velocity_before[k] + w.motion.free_velocity[k] + s.rate[k]);
    });
  }
  s.row_velocities.resize(s.impulses.size());
  worker.problem.multiply(s.impulses, s.row_velocities);
  for (std::size_t i = 0; i < s.averaged.size(); ++i) {
    const std::size_t contact = index(view.blocks[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      w.solution.impulses[3 * contact + k] = s.impulses[3 * i + k];
      w.solution.velocities[3 * contact + k] =
          s.row_velocities[3 * i + k] +
          worker.problem.free_velocity()[static_cast<Eigen::Index>(3 * i + k)];
    }
    const Spring& end = s.averaged[i].spring;
    s.outcomes[contact] = {end.stretch, end.anchor_velocity, end.apart,
                           s.springs[contact].slips || s.averaged[i].slips, true};
  }
}

/// The springs of the start become those that the step leaves.
void take_outcomes(ViscoelasticParts& s) {
  for (std::size_t i = 0; i < s.outcomes.size(); ++i) {
    const SpringOutcome& outcome = s.outcomes[i];
    if (!outcome.acted) continue;
    s.springs[i].stretch = outcome.stretch;
    s.springs[i].anchor_velocity = outcome.anchor_velocity;
    s.springs[i].apart = outcome.apart;
    s.springs[i].slips = outcome.slips;
  }
}

/// Forces of an island's springs at the times of the prediction; false if the engine failed.
bool predict_island(const SpringStep& in, const IslandView& view) {
  ViscoelasticParts& s = in.s;
  SpringPrediction& prediction = *s.prediction;
  const std::size_t times = prediction.times.size();
  prediction.forces.resize(times * s.springs.size());
  prediction.island.resize(times * s.averaged.size());
  if (s.island.predict(s.averaged, prediction.times, prediction.island) != EngineStatus::solved) {
    return false;
  }
  for (std::size_t i = 0; i < s.averaged.size(); ++i) {
    for (std::size_t k = 0; k < times; ++k) {
      prediction.forces[times * index(view.blocks[i]) + k] =
          prediction.island[k * s.averaged.size() + i];
    }
  }
  return true;
}

/// Whether nothing touches, and nothing would touch if all springs of an island stayed away.
bool stays_apart(std::span<const AveragedSpring> springs, double h) {
  return std::ranges::all_of(springs, [h](const AveragedSpring& entry) {
    const Spring& spring = entry.spring;
    return spring.apart &&
           spring.stretch.z + h * (spring.velocity.z + 0.5 * h * entry.acceleration.z) > 0.0;
  });
}

/// One island by exponential integration; false if the engine failed.
bool integrate_island(const SpringStep& in, int island) {
  Parts& w = in.w;
  ViscoelasticParts& s = in.s;
  const IslandView view = w.islands.view(island);
  const bool at_middle = in.at_middle();
  const auto first_hard = std::ranges::find_if_not(
      view.blocks, [&](int block) { return w.contacts.is_contact(block); });
  s.averaged.resize(static_cast<std::size_t>(first_hard - view.blocks.begin()));
  for (std::size_t i = 0; i < s.averaged.size(); ++i) {
    const int block = view.blocks[i];
    const Candidate& contact = w.contacts.contact(block);
    AveragedSpring& entry = s.averaged[i];
    entry.spring = s.springs[index(block)];
    entry.friction = contact.material.friction;
    const ContactAcceleration acceleration =
        contact_acceleration(in.scene(), in.own(), w.collider.geometries(), contact);
    entry.acceleration = acceleration.whole;
    entry.turn = (at_middle ? 0.5 * in.h : 0.0) * acceleration.drift;
  }
  const bool has_rows = s.averaged.size() < view.blocks.size();
  if (s.averaged.empty() || (!has_rows && stays_apart(s.averaged, in.h))) return true;
  IslandWorker& worker = w.workers.front();
  worker.assembler.assemble(in.scene(), w.contacts, w.velocities, view, worker.problem);
  // Products with a dense matrix need no preparation.
  if (worker.problem.storage() != DelassusStorage::dense) worker.problem.prepare();
  find_held_rows(in, view, worker.problem);
  if (s.island.integrate(worker.problem, s.held, in.h, s.prediction != nullptr, s.averaged) !=
      EngineStatus::solved) {
    return false;
  }
  if (s.prediction != nullptr && !predict_island(in, view)) return false;
  move_by_averages(in, view, worker);
  if (s.island.was_cut() || !at_middle) return true;
  for (const int tree : view.trees) s.is_smooth[index(tree)] = 1;
  return true;
}

/// Averages of all islands; false if an engine failed.
bool average_forces(const SpringStep& in, bool repeated) {
  Parts& w = in.w;
  if (repeated || !in.foresees() || w.forces.adhere()) accelerate(in, false);
  const bool steadies =
      in.options.integrator == Integrator::trapezoid && w.layout.has_single_bodies;
  if (steadies) steady_fast_spins(in.model, w.layout, in.state, in.h, *in.dynamics, w.motion);
  if (!repeated) {
    find_hard_rows(in);
    recall_impulses(in.s.hard, in.state, in.options.recall_fraction, w.recalled,
                    in.s.hard_solution.impulses);
    in.s.is_held.assign(in.s.hard.constraints.size(), 0);
  }
  in.s.outcomes.assign(w.contacts.contacts.size(), {});
  if (w.contacts.contacts.empty()) return true;
  find_block_velocities(in.scene(), w.motion.free_velocity, w.collider.placements(), in.h,
                        w.contacts, w.velocities);
  if (!w.contacts.constraints.empty() || in.options.balance) {
    find_targets(in.settings, w.contacts, w.islands, w.velocities, false, w.targets);
  }
  for (int island = 0; island < w.islands.count(); ++island) {
    if (!integrate_island(in, island)) return false;
  }
  return true;
}

ImplicitInput implicit_input(const SpringStep& in) {
  Parts& w = in.w;
  return {.model = in.model,
          .layout = w.layout,
          .tendons = w.tendons,
          .options = in.own(),
          .state = in.state,
          .tau = w.forces.tau(),
          .inertia = w.forces.diagonal(),
          .external = w.external.on_bodies(),
          .time_step = in.h,
          .four_face_points = in.options.four_face_points,
          .collider = w.collider};
}

/// The contacts of the step are those of its end, where they act.
void take_end_contacts(const SpringStep& in) {
  Parts& w = in.w;
  const ImplicitEquations& end = in.s.implicit->equations;
  w.contacts.contacts.assign(end.contacts().begin(), end.contacts().end());
  in.s.springs.assign(end.springs().begin(), end.springs().end());
  w.islands.find(w.contacts);
  w.solution.impulses.resize(3 * in.s.springs.size());
  w.solution.velocities.resize(3 * in.s.springs.size());
  for (std::size_t i = 0; i < in.s.springs.size(); ++i) {
    put(in.s.springs[i].force, in.h, w.solution.impulses.data() + 3 * i);
    put(in.s.springs[i].velocity, 1.0, w.solution.velocities.data() + 3 * i);
  }
}

/// All trees by implicit Euler, together with the hard rows that hold.
void integrate_implicitly(const SpringStep& in, bool repeated) {
  Parts& w = in.w;
  ViscoelasticParts& s = in.s;
  accelerate(in, false);
  if (!repeated) {
    find_hard_rows(in);
    recall_impulses(s.hard, in.state, in.options.recall_fraction, w.recalled,
                    s.hard_solution.impulses);
    s.hard_islands.find(s.hard);
    find_block_velocities(in.scene(), w.motion.free_velocity, w.collider.placements(), in.h, s.hard,
                          w.velocities);
    find_targets(in.settings, s.hard, s.hard_islands, w.velocities, false, w.targets);
  }
  if (s.implicit == nullptr) s.implicit = std::make_unique<ImplicitParts>(in.model);
  const ImplicitInput input = implicit_input(in);
  solve_implicit_step({input, s.hard, w.targets, s.hard_solution.impulses}, repeated, w.dynamics,
                      *s.implicit);
  take_motion_without_rows(input, *s.implicit, w.dynamics, w.motion);
  s.velocity = s.rate = s.implicit->velocity;
  std::ranges::fill(s.has_springs, char{1});
  take_end_contacts(in);
}

/// Limits, joint friction and locks, with the springs' forces as given. Whether one of them holds
/// on an island with springs that did not when these were integrated, or the other way round.
bool solve_hard_rows(const SpringStep& in, bool repeated, StepReport& report) {
  Parts& w = in.w;
  ViscoelasticParts& s = in.s;
  if (!repeated && !in.implicit() && !in.exponential())
    recall_impulses(s.hard, in.state, in.options.recall_fraction, w.recalled,
                    s.hard_solution.impulses);
  // With springs the free motion of hard rows is another one.
  if (in.exponential() && !w.contacts.contacts.empty()) accelerate(in, true);
  s.hard_islands.find(s.hard);
  find_block_velocities(in.scene(), w.motion.free_velocity, w.collider.placements(), in.h, s.hard,
                        w.velocities);
  find_targets(in.settings, s.hard, s.hard_islands, w.velocities, false, w.targets);
  solve_islands({in.settings, in.scene(), s.hard, s.hard_islands, w.velocities, w.targets,
                 w.recalled, w.motion.velocity_before, repeated},
                in.options, w.team, w.workers, s.hard_solution, w.motion, w.uncertified,
                report.timings);
  if (in.implicit()) return rows_changed(s.hard, s.hard_solution.impulses, *s.implicit);
  if (!in.exponential()) return false;
  for (std::size_t i = 0; i < s.hard.constraints.size(); ++i) {
    const Constraint& constraint = s.hard.constraints[i];
    const int tree = constraint.tree_a >= 0 ? constraint.tree_a : constraint.tree_b;
    if (constraint.kind != BlockKind::lock && s.has_springs[index(tree)] != 0 &&
        holds(constraint, s.hard_solution.impulses[6 * i]) != (s.is_held[i] != 0)) {
      return true;
    }
  }
  return false;
}

/// Keeps the memory.
void forget(StepSolution& solution) {
  solution.impulses.clear();
  solution.velocities.clear();
  solution.islands.clear();
}

/// Trees that springs act on, but no hard row.
void take_spring_motion(const SpringStep& in) {
  StepMotion& motion = in.w.motion;
  for (std::size_t t = 0; t < in.s.has_springs.size(); ++t) {
    if (in.s.has_springs[t] == 0 || motion.has_impulses[t] != 0) continue;
    motion.has_impulses[t] = 1;
    visit_velocities(in.w.layout.trees[t], [&](std::size_t k) {
      motion.next_velocity[k] = in.s.velocity[k];
      motion.position_rate[k] = in.s.rate[k];
    });
  }
}

/// Verdicts of hard rows go to the island that their trees belong to with springs; modes of
/// springs.
void complete_solution(const SpringStep& in) {
  Parts& w = in.w;
  StepSolution& solution = w.solution;
  const ViscoelasticParts& s = in.s;
  const std::size_t contacts = w.contacts.contacts.size();
  solution.impulses.resize(w.contacts.row_space());
  solution.velocities.resize(w.contacts.row_space());
  std::ranges::copy(s.hard_solution.impulses,
                    solution.impulses.begin() + static_cast<std::ptrdiff_t>(3 * contacts));
  std::ranges::copy(s.hard_solution.velocities,
                    solution.velocities.begin() + static_cast<std::ptrdiff_t>(3 * contacts));
  solution.restitution.clear();
  solution.normal_target.assign(contacts, 0.0);
  solution.modes.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const bool presses = solution.impulses[3 * i + 2] > 0.0;
    solution.modes[i] = !presses             ? ContactMode::open
                        : s.springs[i].slips ? ContactMode::slip
                                             : ContactMode::stick;
  }
  solution.islands.resize(index(w.islands.count()));
  for (IslandResult& result : solution.islands) {
    result.message.clear();
    result = {.message = std::move(result.message)};
  }
  for (int island = 0; island < s.hard_islands.count() && !s.hard.constraints.empty(); ++island) {
    const int whole = w.islands.of_tree(s.hard_islands.view(island).trees.front());
    const IslandResult& hard = s.hard_solution.islands[index(island)];
    IslandResult& result = solution.islands[index(whole)];
    const int iterations = result.iterations + hard.iterations;
    if (result.status == SolverStatus::certified) result = hard;
    result.iterations = iterations;
  }
}

/// Contacts of the step, touching or foreseen.
void find_spring_contacts(SpringStep& in) {
  Parts& w = in.w;
  if (!in.foresees()) {
    find_contacts(in.scene(), {0.0, 0.0, true, in.options.four_face_points}, w.collider,
                  w.contacts.contacts);
    return;
  }
  if (in.at_middle()) {
    foresee_middle(in.model, in.state, in.h, in.s.middle, in.s.elsewhere);
    in.dynamics = &in.s.elsewhere;
    accelerate(in, false);
    in.dynamics = &w.dynamics;
    for (std::size_t i = 0; i < w.dynamics.bodies.size(); ++i) {
      w.dynamics.bodies[i].acceleration = in.s.elsewhere.bodies[i].acceleration;
    }
  } else {
    accelerate(in, false);
  }
  find_contacts(in.scene(), {in.h, 0.0, false, in.options.four_face_points}, w.collider,
                w.contacts.contacts);
}

/// Forces of springs and hard rows, repeated where a drive leaves its range and with the hard rows
/// that turned out to hold; false if the springs cannot be integrated.
bool find_forces(const SpringStep& in, Stopwatch& watch, StepReport& report) {
  Parts& w = in.w;
  ViscoelasticParts& s = in.s;
  const int most_repeats = in.implicit() ? most_implicit_repeats : most_exponential_repeats;
  for (int pass = 0;; ++pass) {
    s.has_springs.assign(w.layout.trees.size(), 0);
    s.is_smooth.assign(w.layout.trees.size(), 0);
    std::ranges::fill(w.motion.has_impulses, char{0});
    if (in.exponential()) {
      if (!average_forces(in, pass > 0)) return false;
    } else if (in.implicit()) {
      integrate_implicitly(in, pass > 0);
      if (s.implicit->report.status == SolverStatus::breakdown) return false;
    } else {
      keep_start_forces(in);
      if (pass == 0) find_hard_rows(in);
    }
    watch.lap(report.timings.assemble);
    const bool has_hard_rows = !s.hard.constraints.empty();
    if (!has_hard_rows) forget(s.hard_solution);
    const bool again = has_hard_rows && solve_hard_rows(in, pass > 0, report);
    watch.skip();
    take_spring_motion(in);
    take_free_velocities(w.layout, w.motion);
    if (w.forces.saturate(w.motion.next_velocity) || (again && pass < most_repeats)) continue;
    return true;
  }
}

/// The same at the middle of the step.
bool find_forces_at_middle(SpringStep& in, Stopwatch& watch, StepReport& report) {
  Parts& w = in.w;
  find_middle_points(in.scene(), in.s.elsewhere, w.collider.geometries(), w.contacts.contacts,
                     in.s.middle);
  in.dynamics = &in.s.elsewhere;
  exchange_points(in.s.middle, w.contacts.contacts);
  const bool found = find_forces(in, watch, report);
  exchange_points(in.s.middle, w.contacts.contacts);
  in.dynamics = &w.dynamics;
  return found;
}

}  // namespace

void evaluate_springs(const Model& model, const StepOptions& options, const RigidSettings& settings,
                      const State& state, Workspace::Parts& parts, StepReport& report) {
  Parts& w = parts;
  if (w.springs == nullptr) w.springs = std::make_unique<ViscoelasticParts>(model, w.layout);
  ViscoelasticParts& s = *w.springs;
  SpringStep in{model, options, settings, state, w, s, settings.time_step, &w.dynamics};
  Stopwatch watch(options.timings);
  find_spring_contacts(in);
  if (w.collider.overflowed()) return refuse(too_many_contacts(), report);
  if (w.forces.adhere()) {
    static_cast<void>(pull_contacts(model, w.contacts.contacts, w.forces, w.dynamics, w.external));
  }
  watch.lap(report.timings.collide);

  s.island.set_options(options.viscoelastic);
  find_springs(in.scene(), options.viscoelastic, w.collider.placements(), state.memory,
               w.contacts.contacts, s.springs, in.exponential() ? in.h : 0.0);
  w.contacts.constraints.clear();
  w.solution.impulses.assign(3 * w.contacts.contacts.size(), 0.0);
  w.solution.velocities.assign(3 * w.contacts.contacts.size(), 0.0);
  if (!(in.at_middle() ? find_forces_at_middle(in, watch, report)
                       : find_forces(in, watch, report))) {
    return give_up(report);
  }
  if (in.exponential()) take_outcomes(s);
  if (in.implicit()) place_shapes_at_start(in);
  complete_solution(in);
  fill_report(w.contacts, w.islands, w.solution, report);
  if (in.implicit()) report_newton(*s.implicit, in.own(), report);
  watch.lap(report.timings.report);
}

void remember_springs(const StepOptions& options, const Workspace::Parts& w, State& state) {
  const ViscoelasticParts& s = *w.springs;
  state.memory.clear();
  if (!s.hard.constraints.empty()) {
    remember_impulses(s.hard, w.velocities, s.hard_solution, w.recalled, state);
  }
  // Implicit Euler has moved anchors and bodies on already.
  const bool at_end = options.viscoelastic.integrator == ContactIntegrator::implicit_euler;
  remember_anchors(
      {w.model, w.layout, at_end ? s.implicit->equations.dynamics() : w.dynamics, w.tendons},
      options.viscoelastic, w.contacts.contacts, s.springs, at_end ? 0.0 : w.time_step,
      state.memory);
  remember_accelerations(w.layout, s.is_smooth, w.motion.velocity_before, w.motion.next_velocity,
                         w.time_step, state.memory);
}

void report_springs(const Model& model, const StepOptions& options, const State& state,
                    Workspace::Parts& parts, StepReport& report) {
  Parts& w = parts;
  if (w.contacts.contacts.empty()) return;
  DynamicsData<double>& end = w.springs->elsewhere;
  update_positions<double>(model, end, as_span(state.q));
  find_spring_ends({model, w.layout, end, w.tendons}, options.viscoelastic, state.memory,
                   w.contacts.contacts, report.springs);
}

}  // namespace stiction
