#include "stiction/batch/batch.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "stiction/batch/environment_reset.hpp"
#include "stiction/batch/guest.hpp"
#include "stiction/batch/height_scan.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/mixer.hpp"
#include "stiction/core/thread_team.hpp"
#include "stiction/sim/check_input.hpp"
#include "stiction/sim/lane_step.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {

namespace {

/// Environments that one thread takes at a time: many, because taking them costs a little, but so
/// few that all threads end at about the same time. Of a block, those that touch alike share lanes.
constexpr int largest_block = 64;
constexpr int blocks_per_thread = 16;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("batch: " + what); }

StepOptions checked(StepOptions options) {
  if (const std::string fault = fault_of(options); !fault.empty()) refuse(fault);
  options.threads = 1;  // environments are shared out instead
  return options;
}

int checked_count(int count) {
  if (count < 1 || count > Batch::most_environments) {
    refuse(
        fmt::format("cannot have {} environments; give 1 to {}", count, Batch::most_environments));
  }
  return count;
}

int checked_threads(int threads) {
  if (threads < 0 || threads > Batch::most_threads) {
    refuse(fmt::format("cannot use {} threads; give 1 to {}, or 0 for all cores", threads,
                       Batch::most_threads));
  }
  if (threads > 0) return threads;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, Batch::most_threads);
}

/// One row of an array that has a row per environment.
template <class Array>
auto row_of(Array& array, int environment, std::size_t width) {
  return std::span(array).subspan(index(environment) * width, width);
}

/// Of all environments together: some tenths of a second at most.
constexpr int steps_between_questions = 20'000;

/// The more serious of two.
StepStatus worse(StepStatus a, StepStatus b) { return std::max(a, b); }

bool ends(StepStatus status) {
  return status == StepStatus::refused || status == StepStatus::diverged;
}

void add(const StepReport& report, RunCounts& counts) {
  ++counts.steps;
  counts.refused += ends(report.status) ? 1 : 0;
  if (ends(report.status)) return;
  counts.not_certified += report.status == StepStatus::not_certified ? 1 : 0;
  counts.energy_grew += report.status == StepStatus::energy_grew ? 1 : 0;
  counts.energy_gain += report.energy_gain;
  counts.gaining_steps += report.energy_gain > 0.0 ? 1 : 0;
  counts.worst_residual = std::max(counts.worst_residual, report.certificate.residual());
  counts.deepest_overlap = std::max(counts.deepest_overlap, report.deepest_overlap);
}

bool presses(const StepContact& contact) { return contact.mode != ContactMode::open; }

ContactSummary summarize(const StepReport& report, int body, double time_step) {
  ContactSummary summary;
  const Eigen::Vector3d force = contact_force(report, body, time_step);
  summary.force = {force.x(), force.y(), force.z()};
  for (const StepContact& contact : report.contacts) {
    if ((contact.body_a != body && contact.body_b != body) || !presses(contact)) continue;
    ++summary.touching;
    summary.slip_speed =
        std::max(summary.slip_speed, std::hypot(contact.velocity.x, contact.velocity.y));
  }
  return summary;
}

}  // namespace

/// What a thread needs to step any environment.
struct Batch::Worker {
  Worker(const Model& model, bool shares_lanes)
      : workspace(model), guests(lane_width, Guest(model)) {
    turns.reserve(largest_block + lane_width);
    if (shares_lanes) lanes = std::make_unique<LaneStep>(model);
  }

  Workspace workspace;              ///< for one alone
  std::unique_ptr<LaneStep> lanes;  ///< for lane_width together; null if that does not suit
  std::vector<Guest> guests;        ///< one per lane
  std::vector<Turn> turns;          ///< of the environments of a block
  std::unique_ptr<SensorArray> sensors;
  std::unique_ptr<HeightScan> scan;
};

struct Batch::Parts {
  Parts(const Model& made_of, int environments, StepOptions chosen, int wanted_threads)
      : model(made_of),
        options(checked(std::move(chosen))),
        count(checked_count(environments)),
        threads(checked_threads(wanted_threads)),
        nq(index(model.position_count())),
        nv(index(model.velocity_count())),
        na(index(model.activation_count())),
        nu(model.actuators().size()) {
    const std::size_t n = index(count);
    models.assign(n, model);
    times.resize(n);
    q.resize(n * nq);
    v.resize(n * nv);
    activation.resize(n * na);
    memory.resize(n);
    control.resize(n * nu);
    joint_forces.resize(n * nv);
    pushes.resize(n);
    status.assign(n, StepStatus::ok);
    residual.resize(n);
    iterations.resize(n);
    contacts.resize(n);
    frozen.resize(n);
    faults.resize(n);
    counts.resize(n);
    random_resets.resize(n);
    const State start = model.initial_state();
    for (int i = 0; i < count; ++i) store(start, i);
    const bool shares_lanes = LaneStep::suits(model, options);
    for (int k = 0; k < threads; ++k) {
      workers.push_back(std::make_unique<Worker>(model, shares_lanes));
    }
  }

  void require_environment(int environment) const {
    if (environment >= 0 && environment < count) return;
    refuse(fmt::format("there is no environment {}; give 0 to {}", environment, count - 1));
  }
  void require_mask(std::span<const std::uint8_t> mask) const {
    if (mask.empty() || mask.size() == index(count)) return;
    refuse(fmt::format("the mask has {} entries; give one per environment ({}), or none",
                       mask.size(), count));
  }
  void require_factors(std::span<const double> factors) const {
    if (factors.size() != index(count)) {
      refuse(fmt::format("there are {} factors; give one per environment ({})", factors.size(),
                         count));
    }
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] > 0.0 && std::isfinite(factors[i])) continue;
      refuse(
          fmt::format("the factor of environment {} is {}; give a positive number", i, factors[i]));
    }
  }
  void require_body(int body) const {
    if (body >= 0 && body < model.body_count()) return;
    refuse(fmt::format("there is no body {}; give 0 to {}", body, model.body_count() - 1));
  }

  /// From a State to the arrays.
  void store(const State& state, int environment) {
    const std::size_t i = index(environment);
    times[i] = state.time;
    std::ranges::copy(state.q, row_of(q, environment, nq).begin());
    std::ranges::copy(state.v, row_of(v, environment, nv).begin());
    std::ranges::copy(state.activation, row_of(activation, environment, na).begin());
    memory[i] = state.memory;
  }
  /// From the arrays to a State, all but its memory.
  void load(int environment, State& state) const {
    state.time = times[index(environment)];
    std::ranges::copy(row_of(q, environment, nq), state.q.begin());
    std::ranges::copy(row_of(v, environment, nv), state.v.begin());
    std::ranges::copy(row_of(activation, environment, na), state.activation.begin());
  }

  void wake(int environment) {
    const std::size_t i = index(environment);
    frozen[i] = 0;
    faults[i].clear();
    status[i] = StepStatus::ok;
  }
  void clear_inputs(int environment) {
    std::ranges::fill(row_of(control, environment, nu), 0.0);
    std::ranges::fill(row_of(joint_forces, environment, nv), 0.0);
    pushes[index(environment)].clear();
  }
  void freeze(int environment, const StepReport& report) {
    const std::size_t i = index(environment);
    frozen[i] = 1;
    faults[i] = fmt::format("environment {} at t = {:g} s ({}): {}", environment, times[i],
                            to_string(report.status), report.message);
  }

  void fill_servos(int environment, std::vector<JointServo>& own) const {
    own.resize(servos.size());
    const std::size_t first = index(environment) * servos.size();
    for (std::size_t k = 0; k < servos.size(); ++k) {
      own[k] = {servos[k].velocity_index,   servo_target[first + k],  servo_velocity[first + k],
                servo_stiffness[first + k], servo_damping[first + k], servo_forward[first + k]};
    }
  }

  /// Substeps of a call of step(), or a part of them.
  struct Stretch {
    int substeps = 1;
    bool begins = true;  ///< the call
    bool ends = true;
  };
  void enter(int environment, const Stretch& stretch, Guest& guest);
  void note(Guest& guest);
  void leave(Guest& guest, const Stretch& stretch, const Workspace& workspace, Worker& worker);
  void step_alone(Guest& guest, const Stretch& stretch, Worker& worker);
  void step_together(const Stretch& stretch, Worker& worker);
  void step_block(int first, int end, const Stretch& stretch, std::span<const std::uint8_t> mask,
                  Worker& worker);
  void read(const Guest& guest, const Workspace& workspace, Worker& worker);

  /// Calls `visit(first, end, worker)` on all threads for blocks of environments.
  template <class Visit>
  void for_each_block(const Visit& visit) {
    constexpr int whole = static_cast<int>(lane_width);
    const int share = threads == 1 ? count : count / (threads * blocks_per_thread);
    int block = std::clamp(share, 1, largest_block);
    if (count >= threads * whole) block = (block + whole - 1) / whole * whole;
    auto run_block = [&](int task, int thread) {
      visit(task * block, std::min(count, (task + 1) * block), *workers[index(thread)]);
    };
    team.run(threads, (count + block - 1) / block, run_block);
  }

  Model model;
  StepOptions options;
  int count;
  int threads;
  std::size_t nq, nv, na, nu;
  std::vector<Model> models;

  std::vector<double> times, q, v, activation;
  std::vector<std::vector<ImpulseMemory>> memory;

  std::vector<double> control, joint_forces;
  std::vector<std::vector<ExternalForce>> pushes;
  std::vector<JointServo> servos;  ///< which joints they drive
  std::vector<double> servo_target, servo_velocity, servo_stiffness, servo_damping, servo_forward;

  std::vector<StepStatus> status;
  std::vector<double> residual;
  std::vector<std::int32_t> iterations, contacts;
  std::vector<std::uint8_t> frozen;
  std::vector<std::string> faults;
  std::vector<RunCounts> counts;
  std::vector<std::uint64_t> random_resets;

  std::vector<int> watched;
  std::vector<ContactSummary> summaries;
  bool reads_sensors = false;
  std::vector<double> readings;
  std::size_t scan_points = 0;
  std::vector<double> heights;

  std::vector<std::unique_ptr<Worker>> workers;  ///< one per thread
  ThreadTeam team;
};

/// From the arrays to the guest.
void Batch::Parts::enter(int environment, const Stretch& stretch, Guest& guest) {
  const std::size_t i = index(environment);
  guest.environment = environment;
  guest.ended = false;
  load(environment, guest.state);
  guest.state.memory.swap(memory[i]);
  fill_servos(environment, guest.servos);
  guest.input = {row_of(std::as_const(control), environment, nu),
                 row_of(std::as_const(joint_forces), environment, nv), guest.servos, pushes[i]};
  if (!stretch.begins) return;
  status[i] = StepStatus::ok;
  residual[i] = 0.0;
  iterations[i] = 0;
}

/// What the report of one step says.
void Batch::Parts::note(Guest& guest) {
  const std::size_t i = index(guest.environment);
  const StepReport& report = guest.report;
  add(report, counts[i]);
  status[i] = worse(status[i], report.status);
  guest.ended = ends(report.status);
  if (guest.ended) return;
  residual[i] = std::max(residual[i], report.certificate.residual());
  iterations[i] += report.iterations;
}

/// Back to the arrays; `workspace` is that of its last step.
void Batch::Parts::leave(Guest& guest, const Stretch& stretch, const Workspace& workspace,
                         Worker& worker) {
  const int environment = guest.environment;
  const std::size_t i = index(environment);
  const State& state = guest.state;
  if (stretch.ends || guest.ended) pushes[i].clear();
  times[i] = state.time;
  std::ranges::copy(state.q, row_of(q, environment, nq).begin());
  std::ranges::copy(state.v, row_of(v, environment, nv).begin());
  std::ranges::copy(state.activation, row_of(activation, environment, na).begin());
  if (guest.ended) {
    freeze(environment, guest.report);
  } else {
    contacts[i] = static_cast<std::int32_t>(std::ranges::count_if(guest.report.contacts, presses));
    read(guest, workspace, worker);
  }
  guest.state.memory.swap(memory[i]);
}

void Batch::Parts::step_alone(Guest& guest, const Stretch& stretch, Worker& worker) {
  for (int k = 0; k < stretch.substeps && !guest.ended; ++k) {
    stiction::step(models[index(guest.environment)], options, guest.input, guest.state,
                   worker.workspace, guest.report);
    note(guest);
  }
  leave(guest, stretch, worker.workspace, worker);
}

/// All guests of the worker. Once one of them cannot go on, each takes the rest of the steps alone.
void Batch::Parts::step_together(const Stretch& stretch, Worker& worker) {
  LaneStep& lanes = *worker.lanes;
  std::vector<Guest>& guests = worker.guests;
  PerLane<LaneStep::Robot> robots;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    Guest& guest = guests[slot];
    robots[slot] = {&models[index(guest.environment)], &guest.input, &guest.state, &guest.report};
  }
  for (int k = 0; k < stretch.substeps; ++k) {
    const bool all = std::ranges::none_of(guests, &Guest::ended);
    if (all) lanes.step(options, robots);
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      Guest& guest = guests[slot];
      if (guest.ended) continue;
      if (!all) {
        stiction::step(*robots[slot].model, options, guest.input, guest.state,
                       lanes.workspace(slot), guest.report);
      }
      note(guest);
    }
  }
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    leave(guests[slot], stretch, lanes.workspace(slot), worker);
  }
}

void Batch::Parts::step_block(int first, int end, const Stretch& stretch,
                              std::span<const std::uint8_t> mask, Worker& worker) {
  std::vector<Turn>& turns = worker.turns;
  turns.clear();
  for (int i = first; i < end; ++i) {
    if (!mask.empty() && mask[index(i)] == 0) continue;
    if (frozen[index(i)] == 0) {
      turns.push_back({number_of(memory[index(i)]), i});
    } else {
      pushes[index(i)].clear();
    }
  }
  std::size_t done = 0;
  if (worker.lanes != nullptr) {
    std::ranges::sort(turns);
    for (; done + lane_width <= turns.size(); done += lane_width) {
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        enter(turns[done + slot].environment, stretch, worker.guests[slot]);
      }
      step_together(stretch, worker);
    }
  }
  for (; done < turns.size(); ++done) {
    enter(turns[done].environment, stretch, worker.guests[0]);
    step_alone(worker.guests[0], stretch, worker);
  }
}

/// Readings of the environment that was just stepped.
void Batch::Parts::read(const Guest& guest, const Workspace& workspace, Worker& worker) {
  const int environment = guest.environment;
  const auto own = row_of(summaries, environment, watched.size());
  for (std::size_t k = 0; k < watched.size(); ++k) {
    own[k] = summarize(guest.report, watched[k], workspace.time_step());
  }
  if (reads_sensors) {
    const auto values =
        worker.sensors->evaluate(models[index(environment)], guest.state, workspace, guest.report);
    std::ranges::copy(values, row_of(readings, environment, values.size()).begin());
  }
  if (scan_points > 0) {
    worker.scan->read(models[index(environment)], guest.state.q,
                      row_of(heights, environment, scan_points));
  }
}

Batch::Batch(const Model& model, int count, StepOptions options, int threads)
    : parts_(std::make_unique<Parts>(model, count, std::move(options), threads)) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::count() const { return parts_->count; }
int Batch::threads() const { return parts_->threads; }
double Batch::time_step() const {
  const Parts& p = *parts_;
  return p.options.time_step > 0.0 ? p.options.time_step : p.model.time_step();
}
const StepOptions& Batch::options() const { return parts_->options; }
const Model& Batch::model() const { return parts_->model; }

std::span<double> Batch::times() { return parts_->times; }
std::span<double> Batch::positions() { return parts_->q; }
std::span<double> Batch::velocities() { return parts_->v; }
std::span<double> Batch::positions(int environment) {
  parts_->require_environment(environment);
  return row_of(parts_->q, environment, parts_->nq);
}
std::span<double> Batch::velocities(int environment) {
  parts_->require_environment(environment);
  return row_of(parts_->v, environment, parts_->nv);
}

State Batch::state(int environment) const {
  const Parts& p = *parts_;
  p.require_environment(environment);
  State state = p.model.initial_state();
  p.load(environment, state);
  state.memory = p.memory[index(environment)];
  return state;
}

void Batch::set_state(int environment, const State& state) {
  Parts& p = *parts_;
  p.require_environment(environment);
  if (index(static_cast<int>(state.q.size())) != p.nq ||
      index(static_cast<int>(state.v.size())) != p.nv ||
      index(static_cast<int>(state.activation.size())) != p.na) {
    refuse(
        fmt::format("a state with {} positions, {} velocities and {} activations does not fit a "
                    "model with {}, {} and {}",
                    state.q.size(), state.v.size(), state.activation.size(), p.nq, p.nv, p.na));
  }
  p.store(state, environment);
  p.wake(environment);
}

std::uint64_t Batch::hash() const {
  Mixer mixer;
  for (int i = 0; i < count(); ++i) mixer.add(stiction::hash(state(i)));
  return mixer.result();
}

std::span<double> Batch::controls() { return parts_->control; }
std::span<double> Batch::controls(int environment) {
  parts_->require_environment(environment);
  return row_of(parts_->control, environment, parts_->nu);
}
std::span<double> Batch::joint_forces() { return parts_->joint_forces; }
std::span<double> Batch::joint_forces(int environment) {
  parts_->require_environment(environment);
  return row_of(parts_->joint_forces, environment, parts_->nv);
}

void Batch::set_servos(std::span<const JointServo> servos) {
  Parts& p = *parts_;
  if (const std::string fault = fault_of_servos(p.model, servos); !fault.empty()) refuse(fault);
  p.servos.assign(servos.begin(), servos.end());
  const auto fill = [&](std::vector<double>& array, double JointServo::*number) {
    array.clear();
    for (int i = 0; i < p.count; ++i) {
      for (const JointServo& servo : servos) array.push_back(servo.*number);
    }
  };
  fill(p.servo_target, &JointServo::position_target);
  fill(p.servo_velocity, &JointServo::velocity_target);
  fill(p.servo_stiffness, &JointServo::stiffness);
  fill(p.servo_damping, &JointServo::damping);
  fill(p.servo_forward, &JointServo::feed_forward);
}
int Batch::servo_count() const { return static_cast<int>(parts_->servos.size()); }
std::span<double> Batch::servo_targets() { return parts_->servo_target; }
std::span<double> Batch::servo_velocity_targets() { return parts_->servo_velocity; }
std::span<double> Batch::servo_stiffness() { return parts_->servo_stiffness; }
std::span<double> Batch::servo_damping() { return parts_->servo_damping; }
std::span<double> Batch::servo_feed_forward() { return parts_->servo_forward; }

void Batch::push(int environment, const ExternalForce& force) {
  parts_->require_environment(environment);
  parts_->pushes[index(environment)].push_back(force);
}

Model& Batch::model(int environment) {
  parts_->require_environment(environment);
  return parts_->models[index(environment)];
}
const Model& Batch::model(int environment) const {
  parts_->require_environment(environment);
  return parts_->models[index(environment)];
}

void Batch::scale_masses(std::span<const double> factors, int body) {
  Parts& p = *parts_;
  p.require_factors(factors);
  if (body != -1) p.require_body(body);
  const int first = body == -1 ? 0 : body;
  const int end = body == -1 ? p.model.body_count() : body + 1;
  for (int i = 0; i < p.count; ++i) {
    for (int b = first; b < end; ++b) {
      BodyInertia inertia = p.model.body_inertia(b);
      inertia.mass *= factors[index(i)];
      inertia.inertia *= factors[index(i)];
      p.models[index(i)].set_body_inertia(b, inertia);
    }
  }
}

void Batch::scale_friction(std::span<const double> factors) {
  Parts& p = *parts_;
  p.require_factors(factors);
  for (int i = 0; i < p.count; ++i) {
    for (std::size_t m = 0; m < p.model.materials().size(); ++m) {
      Material material = p.model.materials()[m];
      material.friction *= factors[index(i)];
      p.models[index(i)].set_material(static_cast<int>(m), material);
    }
  }
}

void Batch::scale_joint_damping(std::span<const double> factors) {
  Parts& p = *parts_;
  p.require_factors(factors);
  for (int i = 0; i < p.count; ++i) {
    for (int k = 0; k < p.model.velocity_count(); ++k) {
      const double damping = p.model.parameters().damping[k];
      if (damping > 0.0) p.models[index(i)].set_damping(k, factors[index(i)] * damping);
    }
  }
}

void Batch::scale_gains(std::span<const double> factors) {
  Parts& p = *parts_;
  p.require_factors(factors);
  for (int i = 0; i < p.count; ++i) {
    for (std::size_t u = 0; u < p.nu; ++u) {
      Actuator actuator = p.model.actuators()[u];
      for (double& gain : actuator.gain) gain *= factors[index(i)];
      for (double& bias : actuator.bias) bias *= factors[index(i)];
      p.models[index(i)].set_actuator(static_cast<int>(u), actuator);
    }
  }
}

void Batch::step(int substeps, std::span<const std::uint8_t> mask) {
  static_cast<void>(step(substeps, mask, {}));
}

bool Batch::step(int substeps, std::span<const std::uint8_t> mask,
                 const std::function<bool()>& goes_on) {
  Parts& p = *parts_;
  p.require_mask(mask);
  if (substeps < 1) refuse(fmt::format("cannot do {} substeps; give 1 or more", substeps));
  const int most = goes_on ? std::max(1, steps_between_questions / p.count) : substeps;
  for (int done = 0; done < substeps;) {
    const int next = std::min(most, substeps - done);
    const Parts::Stretch stretch{next, done == 0, done + next == substeps};
    p.for_each_block([&](int first, int end, Worker& worker) {
      p.step_block(first, end, stretch, mask, worker);
    });
    done += next;
    if (stretch.ends || goes_on()) continue;
    for (std::size_t i = 0; i < p.pushes.size(); ++i) {
      if (mask.empty() || mask[i] != 0) p.pushes[i].clear();
    }
    return false;
  }
  return true;
}

std::span<const StepStatus> Batch::statuses() const { return parts_->status; }
std::span<const double> Batch::residuals() const { return parts_->residual; }
std::span<const std::int32_t> Batch::iterations() const { return parts_->iterations; }
std::span<const std::int32_t> Batch::contacts() const { return parts_->contacts; }
std::span<const std::uint8_t> Batch::frozen() const { return parts_->frozen; }
int Batch::frozen_count() const {
  return static_cast<int>(parts_->frozen.size() - index(static_cast<int>(std::ranges::count(
                                                      parts_->frozen, std::uint8_t{0}))));
}
const std::string& Batch::fault(int environment) const {
  parts_->require_environment(environment);
  return parts_->faults[index(environment)];
}
const RunCounts& Batch::counts(int environment) const {
  parts_->require_environment(environment);
  return parts_->counts[index(environment)];
}
RunCounts Batch::counts() const {
  RunCounts sum;
  for (const RunCounts& one : parts_->counts) {
    sum.steps += one.steps;
    sum.not_certified += one.not_certified;
    sum.energy_grew += one.energy_grew;
    sum.energy_gain += one.energy_gain;
    sum.gaining_steps += one.gaining_steps;
    sum.refused += one.refused;
    sum.worst_residual = std::max(sum.worst_residual, one.worst_residual);
    sum.deepest_overlap = std::max(sum.deepest_overlap, one.deepest_overlap);
  }
  return sum;
}

void Batch::watch_bodies(std::vector<int> bodies) {
  Parts& p = *parts_;
  for (const int body : bodies) p.require_body(body);
  p.watched = std::move(bodies);
  p.summaries.assign(index(p.count) * p.watched.size(), {});
}
std::span<const ContactSummary> Batch::contact_summaries() const { return parts_->summaries; }

void Batch::read_sensors(bool wanted) {
  Parts& p = *parts_;
  p.reads_sensors = wanted;
  p.readings.clear();
  for (const auto& worker : p.workers) {
    if (worker->lanes != nullptr) worker->lanes->keep_factors(wanted);
  }
  if (!wanted) return;
  for (const auto& worker : p.workers) {
    if (worker->sensors == nullptr) worker->sensors = std::make_unique<SensorArray>(p.model);
  }
  p.readings.resize(index(p.count) * index(sensor_size()));
}
int Batch::sensor_size() const {
  const Parts& p = *parts_;
  return p.reads_sensors ? p.workers.front()->sensors->size() : 0;
}
std::span<const double> Batch::sensors() const { return parts_->readings; }

void Batch::set_height_scan(int body, std::span<const Eigen::Vector3d> points) {
  Parts& p = *parts_;
  p.require_body(body);
  for (const Eigen::Vector3d& point : points) {
    if (!point.allFinite()) refuse("a point of the height scan is not finite");
  }
  for (const auto& worker : p.workers) {
    worker->scan = std::make_unique<HeightScan>(p.model, body, points);
  }
  p.scan_points = points.size();
  p.heights.resize(index(p.count) * p.scan_points);
  scan_heights();
}
std::span<const double> Batch::heights() const { return parts_->heights; }

void Batch::scan_heights() {
  Parts& p = *parts_;
  if (p.scan_points == 0) return;
  p.for_each_block([&](int first, int end, Worker& worker) {
    State& state = worker.guests[0].state;
    for (int i = first; i < end; ++i) {
      std::ranges::copy(row_of(p.q, i, p.nq), state.q.begin());
      worker.scan->read(p.models[index(i)], state.q, row_of(p.heights, i, p.scan_points));
    }
  });
}

void Batch::reset(std::span<const std::uint8_t> mask) { reset_to_keyframe("", mask); }

void Batch::reset_to_keyframe(std::string_view name, std::span<const std::uint8_t> mask) {
  reset_randomly(name, {}, 0, mask);
}

void Batch::reset_randomly(std::string_view keyframe, const RandomSpread& spread,
                           std::uint64_t seed, std::span<const std::uint8_t> mask,
                           std::uint64_t first_index) {
  Parts& p = *parts_;
  p.require_mask(mask);
  if (const std::string fault = fault_of(spread); !fault.empty()) refuse(fault);
  const int found = keyframe.empty() ? -1 : p.model.find_keyframe(keyframe).value_or(-1);
  if (!keyframe.empty() && found < 0) {
    refuse(fmt::format("model '{}' has no keyframe '{}'", p.model.name(), keyframe));
  }
  const State start = found >= 0 ? p.model.keyframe_state(found) : p.model.initial_state();
  const bool is_random = !(spread == RandomSpread{});
  State drawn = start;
  for (int i = 0; i < p.count; ++i) {
    if (!mask.empty() && mask[index(i)] == 0) continue;
    if (is_random) {
      drawn = start;
      const std::uint64_t global = first_index + static_cast<std::uint64_t>(i);
      Random random = random_of_reset(seed, global, p.random_resets[index(i)]++);
      disturb(p.model, spread, random, drawn);
    }
    p.store(drawn, i);
    p.wake(i);
    p.clear_inputs(i);
    if (found >= 0) {
      std::ranges::copy(p.model.keyframes()[index(found)].control,
                        row_of(p.control, i, p.nu).begin());
    }
  }
}

}  // namespace stiction
