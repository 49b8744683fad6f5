#include "stiction/sim/energy_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "stiction/core/index.hpp"
#include "stiction/core/lane_records.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/limb_transfer.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/touch/body_impulses.hpp"

namespace stiction {

namespace {

/// Gains up to these fractions of the kinetic energy are errors that an integration may have: in
/// flight, in contact (first order), and once mended.
constexpr double flight_tolerance = 1e-6;
constexpr double contact_tolerance = 1e-4;
constexpr double mended_tolerance = 1e-10;
/// A gain is explosive above this fraction of the kinetic energy, and above ½ m v² at this speed.
constexpr double explosive_fraction = 0.1;
constexpr double explosive_speed = 0.1;  // [m/s]
/// Parts of a step turn by at most this [rad], where there are at most `most_parts`.
constexpr double part_turn = 0.05;
constexpr double most_parts = 200.0;

struct TreeEnergy {
  double kinetic = 0.0;
  double potential = 0.0;  ///< of gravity alone: springs count as forces
};

/// Body by body in lanes, which takes a third of the time; the sums are the same as one by one.
TreeEnergy energy_of(const Model& model, const DynamicsData<double>& data, const Tree& tree,
                     std::span<const double> v) {
  constexpr std::size_t pose_and_velocity = offsetof(BodyData<double>, drift) / sizeof(double);
  constexpr std::size_t inertia_numbers = sizeof(RigidInertia<double>) / sizeof(double);
  TreeEnergy energy;
  const Vector3<Lane> gravity = broadcast<Lane>(from_eigen(model.gravity()));
  const std::size_t end = index(tree.end);
  for (std::size_t first = index(tree.root); first < end; first += lane_width) {
    std::array<const double*, lane_width> entries;
    std::array<const double*, lane_width> inertias;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      const std::size_t body = std::min(first + slot, end - 1);
      entries[slot] = numbers(data.bodies[body]);
      inertias[slot] = numbers(model.constants()[body].inertia);
    }
    BodyData<Lane> entry;
    RigidInertia<Lane> own;
    gather_records<pose_and_velocity>(entries, numbers(entry));
    gather_records<inertia_numbers>(inertias, numbers(own));
    const RigidInertia<Lane> inertia = rotate(entry.rotation, own);
    double kinetic[lane_width];
    double fallen[lane_width];
    (Lane(0.5) * dot(inertia * entry.velocity, entry.velocity)).store_unaligned(kinetic);
    dot(gravity, multiply_add(inertia.mass, entry.position, inertia.mass_center))
        .store_unaligned(fallen);
    for (std::size_t slot = 0; slot < std::min(lane_width, end - first); ++slot) {
      if (model.constants()[first + slot].kinematic) continue;
      energy.kinetic += kinetic[slot];
      energy.potential -= fallen[slot];
    }
  }
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    energy.kinetic += 0.5 * model.parameters().armature[static_cast<Eigen::Index>(k)] * v[k] * v[k];
  }
  return energy;
}

double mass_of(const Model& model, const Tree& tree) {
  double mass = 0.0;
  for (int i = tree.root; i < tree.end; ++i) mass += model.constants()[index(i)].inertia.mass;
  return mass;
}

/// Whether no number is larger than this in absolute value; false where one is NaN.
bool all_within(double bound, std::span<const double> numbers) {
  const double* number = numbers.data();
  const double* const end = number + numbers.size();
  if (numbers.size() < lane_width) {
    return std::all_of(number, end, [=](double x) { return std::abs(x) <= bound; });
  }
  const Lane most(bound);
  auto within = abs(Lane::load_unaligned(end - lane_width)) <= most;
  for (; end - number > static_cast<std::ptrdiff_t>(lane_width); number += lane_width) {
    within = within && abs(Lane::load_unaligned(number)) <= most;
  }
  return !any(!within);
}

/// Whether some joint of the tree turns far within the step, before it or after. What single bodies
/// do is exact where it is mended.
bool turns_far(const EnergyWatchInput& input, const StepMotion& motion, const Tree& tree) {
  if (tree.single && input.mends) return false;
  const std::vector<DegreeOfFreedom>& dofs = input.scene.model.degrees_of_freedom();
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    const double speed =
        std::max(std::abs(motion.velocity_before[k]), std::abs(motion.next_velocity[k]));
    if (!(input.time_step * speed <= watched_turn) && dofs[k].angular) return true;
  }
  return false;
}

bool any_turns_far(const EnergyWatchInput& input, const StepMotion& motion) {
  // Mostly nothing moves fast, whether it turns or slides.
  const double slow = (1.0 - 1e-9) * watched_turn / input.time_step;
  if (all_within(slow, motion.velocity_before) && all_within(slow, motion.next_velocity)) {
    return false;
  }
  return std::ranges::any_of(input.scene.layout.trees,
                             [&](const Tree& tree) { return turns_far(input, motion, tree); });
}

void prepare(const EnergyWatchInput& input, EnergyWatchScratch& scratch) {
  const Model& model = input.scene.model;
  const std::size_t trees = input.scene.layout.trees.size();
  if (!scratch.elsewhere) scratch.elsewhere.emplace(model);
  for (std::vector<double>* numbers :
       {&scratch.mean_velocity, &scratch.joint_forces, &scratch.joint_impulses}) {
    numbers->assign(index(model.velocity_count()), 0.0);
  }
  for (std::vector<double>* numbers :
       {&scratch.energy_before, &scratch.kinetic_before, &scratch.gain}) {
    numbers->assign(trees, 0.0);
  }
  scratch.body_forces.clear();
  scratch.body_forces.reserve(index(model.body_count()));
}

/// What acts on joints and bodies during the step.
void collect(const EnergyWatchInput& input, const StepMotion& motion, EnergyWatchScratch& scratch) {
  const double h = input.time_step;
  const std::span<const double> diagonal = input.forces.diagonal();
  for (std::size_t k = 0; k < motion.next_velocity.size(); ++k) {
    const double before = motion.velocity_before[k];
    const double change = motion.next_velocity[k] - before;
    scratch.mean_velocity[k] = before + 0.5 * change;
    scratch.joint_forces[k] =
        input.forces.tau()[k] - (diagonal.empty() ? 0.0 : diagonal[k] * change / h);
  }
  add_joint_impulses(input.set, input.solution.impulses, scratch.joint_impulses);
  const std::span<const Force<double>> external = input.external.on_bodies();
  const auto acts = [](double impulse) { return impulse != 0.0; };
  if (external.empty() && std::ranges::none_of(input.solution.impulses, acts)) return;
  scratch.body_forces.assign(index(input.scene.model.body_count()), Force<double>{});
  add_body_impulses(input.scene.dynamics, input.set, input.solution.impulses, 1.0 / h,
                    scratch.body_forces);
  for (std::size_t i = 0; i < external.size(); ++i) scratch.body_forces[i] += external[i];
}

/// Work of all that collect() found on one tree; `mean` is at the mean velocities, where forces act
/// on bodies [J].
double work_on(const EnergyWatchInput& input, const Tree& tree, const DynamicsData<double>& mean,
               const EnergyWatchScratch& scratch) {
  double power = 0.0;
  double work = 0.0;
  for (std::size_t i = index(tree.root); i < index(tree.end) && !scratch.body_forces.empty(); ++i) {
    power += dot(scratch.body_forces[i], mean.bodies[i].velocity);
  }
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    power += scratch.mean_velocity[k] * scratch.joint_forces[k];
    work += scratch.mean_velocity[k] * scratch.joint_impulses[k];
  }
  return work + input.time_step * power;
}

/// Energies before the step and what each tree gained in it.
void draw_up(const EnergyWatchInput& input, const StepMotion& motion, EnergyWatchScratch& scratch) {
  const Model& model = input.scene.model;
  const std::vector<Tree>& trees = input.scene.layout.trees;
  DynamicsData<double>& elsewhere = *scratch.elsewhere;
  if (!scratch.body_forces.empty()) {
    update_kinematics<double>(model, elsewhere, as_span(input.state.q), scratch.mean_velocity);
  }
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const TreeEnergy before =
        energy_of(model, input.scene.dynamics, trees[t], motion.velocity_before);
    scratch.kinetic_before[t] = before.kinetic;
    scratch.energy_before[t] = before.kinetic + before.potential;
    scratch.gain[t] = -work_on(input, trees[t], elsewhere, scratch) - scratch.energy_before[t];
  }
  update_kinematics<double>(model, elsewhere, motion.next_position, motion.next_velocity);
  const bool has_medium = model.fluid().acts();
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const TreeEnergy after = energy_of(model, elsewhere, trees[t], motion.next_velocity);
    const double energy = after.kinetic + after.potential;
    scratch.gain[t] += energy;
    // Drag changes within the step, and so does what gravity does in an impact: there only energy
    // that grows counts.
    if (has_medium || motion.has_impulses[t] != 0) {
      scratch.gain[t] = std::min(scratch.gain[t], energy - scratch.energy_before[t]);
    }
  }
}

double fastest_turn(const DynamicsData<double>& data, const Tree& tree) {
  double largest = 0.0;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    const Vector3<double>& w = data.bodies[i].velocity.angular;
    largest = std::max(largest, dot(w, w));
  }
  return std::sqrt(largest);
}

/// Joint forces stay those of the velocities that were found with them.
void keep_velocity_of_forces(const StepMotion& motion, EnergyWatchScratch& scratch) {
  if (scratch.mended) return;
  scratch.mended = true;
  scratch.velocity_of_forces.assign(motion.next_velocity.begin(), motion.next_velocity.end());
}

/// Takes the trees in flight that gain through the step in small parts.
void fly_in_parts(const EnergyWatchInput& input, StepMotion& motion, EnergyWatchScratch& scratch) {
  const std::vector<Tree>& trees = input.scene.layout.trees;
  const auto needs_parts = [&](std::size_t t) {
    return motion.has_impulses[t] == 0 && turns_far(input, motion, trees[t]) &&
           !(scratch.gain[t] <= flight_tolerance * scratch.kinetic_before[t]);
  };
  double fastest = 0.0;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (needs_parts(t)) {
      fastest = std::max(fastest, fastest_turn(input.scene.dynamics, trees[t]));
    }
  }
  if (fastest == 0.0) return;
  keep_velocity_of_forces(motion, scratch);
  const double parts =
      std::clamp(std::ceil(input.time_step * fastest / part_turn), 2.0, most_parts);
  const Model& model = input.scene.model;
  advance_in_parts(model, input.scene.layout, input.state, scratch.joint_forces, input.external,
                   input.time_step, static_cast<int>(parts), scratch.parts);
  update_kinematics<double>(model, *scratch.elsewhere, scratch.parts.position,
                            scratch.parts.velocity);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (!needs_parts(t)) continue;
    const TreeEnergy after = energy_of(model, *scratch.elsewhere, trees[t], scratch.parts.velocity);
    scratch.gain[t] =
        after.kinetic + after.potential - scratch.energy_before[t] - scratch.parts.work[t];
    const auto [first, end] = position_range(model, trees[t]);
    std::copy(scratch.parts.position.begin() + first, scratch.parts.position.begin() + end,
              motion.next_position.begin() + first);
    std::copy(scratch.parts.velocity.begin() + trees[t].velocity_first,
              scratch.parts.velocity.begin() + trees[t].velocity_end,
              motion.next_velocity.begin() + trees[t].velocity_first);
  }
}

/// Slows a tree down until it has gained nothing.
void slow_down(const EnergyWatchInput& input, std::size_t t, StepMotion& motion,
               EnergyWatchScratch& scratch) {
  const Tree& tree = input.scene.layout.trees[t];
  keep_velocity_of_forces(motion, scratch);
  update_kinematics<double>(input.scene.model, *scratch.elsewhere, motion.next_position,
                            motion.next_velocity);
  const double kinetic =
      energy_of(input.scene.model, *scratch.elsewhere, tree, motion.next_velocity).kinetic;
  const double share = (kinetic - scratch.gain[t]) / kinetic;
  const double factor = share > 0.0 ? std::sqrt(share) : 0.0;
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    motion.next_velocity[k] *= factor;
  }
  scratch.gain[t] = share > 0.0 ? 0.0 : scratch.gain[t] - kinetic;
}

}  // namespace

EnergyGrowth watch_energy(const EnergyWatchInput& input, StepMotion& motion,
                          EnergyWatchScratch& scratch) {
  EnergyGrowth growth;
  if (!any_turns_far(input, motion)) return growth;
  prepare(input, scratch);
  collect(input, motion, scratch);
  draw_up(input, motion, scratch);
  if (input.mends) fly_in_parts(input, motion, scratch);
  const std::vector<Tree>& trees = input.scene.layout.trees;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (!turns_far(input, motion, trees[t])) continue;
    const double kinetic = scratch.kinetic_before[t];
    const double tolerance = motion.has_impulses[t] != 0 ? contact_tolerance
                             : input.mends               ? mended_tolerance
                                                         : flight_tolerance;
    if (scratch.gain[t] <= tolerance * kinetic) continue;
    if (input.mends && std::isfinite(scratch.gain[t])) slow_down(input, t, motion, scratch);
    if (!(scratch.gain[t] > 0.0)) continue;
    growth.gain += scratch.gain[t];
    const double floor =
        0.5 * mass_of(input.scene.model, trees[t]) * explosive_speed * explosive_speed;
    if (scratch.gain[t] > explosive_fraction * kinetic + floor) growth.explosive = true;
  }
  return growth;
}

}  // namespace stiction
