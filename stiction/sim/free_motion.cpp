// Implements [MuntheKaas1999, section 4] for rk4: the step is taken in the rotation vector ξ that
// leads from its start, with ξ̇ = dexp⁻¹(ω).

#include "stiction/sim/free_motion.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/spin.hpp"

namespace stiction {

namespace {

/// Implicit Euler ends when v⁺ moves by less than this fraction of the largest velocity.
constexpr double fixed_point_tolerance = 1e-13;
constexpr int fixed_point_iterations = 50;

/// What the integrators read and write.
struct Integration {
  const Model& model;
  const SceneLayout& layout;
  const State& state;
  const Forces& forces;
  const ExternalForces& external;
  double h;
  StepMotion& motion;
  FreeMotionScratch& scratch;
};

/// For each entry of v that belongs to a tree without impulses.
template <class Visit>
void visit_free_entries(const SceneLayout& layout, const StepMotion& motion, const Visit& visit) {
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    if (motion.has_impulses[t] != 0) continue;
    const Tree& tree = layout.trees[t];
    for (int k = tree.velocity_first; k < tree.velocity_end; ++k) {
      visit(static_cast<std::size_t>(k));
    }
  }
}

/// Whether all free trees are single bodies that fall with one acceleration, whatever their state.
bool fall_uniformly(const Model& model, const SceneLayout& layout, const StepMotion& motion) {
  if (model.fluid().acts()) return false;
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    const Tree& tree = layout.trees[t];
    if (motion.has_impulses[t] != 0) continue;
    if (!tree.single || !model.falls_uniformly(tree.root)) return false;
  }
  return true;
}

bool all_have_impulses(const StepMotion& motion) {
  return std::ranges::all_of(motion.has_impulses, [](char acts) { return acts != 0; });
}

void prepare(const Model& model, FreeMotionScratch& scratch) {
  if (scratch.elsewhere) return;
  scratch.elsewhere.emplace(model);
  scratch.tendons.emplace(model);
  scratch.position.resize(static_cast<std::size_t>(model.position_count()));
  for (std::vector<double>* numbers :
       {&scratch.velocity, &scratch.tau, &scratch.acceleration, &scratch.turn, &scratch.rate,
        &scratch.mean_rate, &scratch.mean_acceleration}) {
    numbers->resize(static_cast<std::size_t>(model.velocity_count()));
  }
}

/// v̇ at the scratch's position and velocity, with the implicit forces of this step.
void accelerate_elsewhere(Integration& in) {
  FreeMotionScratch& scratch = in.scratch;
  update_kinematics<double>(in.model, *scratch.elsewhere, scratch.position, scratch.velocity);
  factorize_and_accelerate<double>(
      in.model, *scratch.elsewhere, in.forces.tau(), scratch.acceleration, in.forces.diagonal(),
      in.external.on_bodies_at(in.model, *scratch.elsewhere, scratch.external));
}

/// v̇ at the middle of the step, reached by the velocities at its start: second order.
std::span<const double> find_middle_acceleration(Integration& in) {
  FreeMotionScratch& scratch = in.scratch;
  prepare(in.model, scratch);
  const std::vector<double>& v = in.motion.velocity_before;
  const double half = 0.5 * in.h;
  for (std::size_t k = 0; k < v.size(); ++k) {
    scratch.velocity[k] = v[k] + half * in.motion.acceleration[k];
  }
  integrate<double>(in.model, as_span(in.state.q), v, half, scratch.position);
  accelerate_elsewhere(in);
  return scratch.acceleration;
}

void accelerate_by(std::span<const double> acceleration, Integration& in) {
  visit_free_entries(in.layout, in.motion, [&](std::size_t k) {
    in.motion.next_velocity[k] = in.motion.velocity_before[k] + in.h * acceleration[k];
  });
}

/// Three entries of a single body's velocity: those of its origin (part 0) or the angular ones.
Eigen::Map<Eigen::Vector3d> entry(std::vector<double>& numbers, const Tree& tree, int part) {
  return Eigen::Map<Eigen::Vector3d>(numbers.data() + tree.velocity_first + 3 * part);
}

/// A single body whose gyroscopic term is too large for explicit rules.
bool spins_fast(const Model& model, const Tree& tree, double h, StepMotion& motion) {
  return tree.single && h * entry(motion.velocity_before, tree, 1).norm() > fast_turn &&
         !model.falls_uniformly(tree.root);
}

Eigen::Matrix3d rotation_of(const Model& model, const State& state, const Tree& tree) {
  const double* q = state.q.data() + model.joint(tree.root).position_index;
  return Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
}

/// A step of a single body that spins freely: it turns about its centre of mass, which falls.
struct FastStep {
  Spin spin;
  Eigen::Vector3d arm;              ///< from the origin to the centre of mass
  Eigen::Vector3d center_velocity;  ///< at the start
  Eigen::Vector3d next_center;      ///< velocity of the centre at the end
};

FastStep fast_step(const Model& model, const State& state, const Tree& tree, double h,
                   StepMotion& motion) {
  const BodyInertia& body = model.body_inertia(tree.root);
  const Eigen::Matrix3d R = rotation_of(model, state, tree);
  const Eigen::Matrix3d inertia = R * body.inertia * R.transpose();
  const Eigen::Vector3d arm = R * body.center_of_mass;
  const Eigen::Vector3d v = entry(motion.velocity_before, tree, 0);
  const Eigen::Vector3d w = entry(motion.velocity_before, tree, 1);
  const Eigen::Vector3d turning = entry(motion.acceleration, tree, 1);
  const Eigen::Vector3d torque = inertia * turning + w.cross(inertia * w);
  const Eigen::Vector3d center_velocity = v + w.cross(arm);
  const Eigen::Vector3d falling = Eigen::Vector3d(entry(motion.acceleration, tree, 0)) +
                                  turning.cross(arm) + w.cross(w.cross(arm));
  return {spin_freely(body.inertia, R, w, torque, h), arm, center_velocity,
          center_velocity + h * falling};
}

/// Single bodies that turn fast keep their energy and momentum: the middle of the step is too far
/// away for them.
void spin_single_bodies(Integration& in) {
  const double h = in.h;
  for (std::size_t t = 0; t < in.layout.trees.size(); ++t) {
    const Tree& tree = in.layout.trees[t];
    if (in.motion.has_impulses[t] != 0 || !spins_fast(in.model, tree, h, in.motion)) continue;
    const FastStep step = fast_step(in.model, in.state, tree, h, in.motion);
    const Spin& spin = step.spin;
    const Eigen::Vector3d next_arm = spin.turn * step.arm;
    entry(in.motion.next_velocity, tree, 0) = step.next_center - spin.next_velocity.cross(next_arm);
    entry(in.motion.next_velocity, tree, 1) = spin.next_velocity;
    entry(in.motion.position_rate, tree, 0) =
        0.5 * (step.center_velocity + step.next_center) + (step.arm - next_arm) / h;
    const Eigen::AngleAxisd turn(spin.turn);
    entry(in.motion.position_rate, tree, 1) = turn.angle() / h * turn.axis();
  }
}

/// v⁺ = v + h v̇(q ⊕ h v⁺, v⁺) by repetition.
void advance_implicitly(Integration& in) {
  FreeMotionScratch& scratch = in.scratch;
  prepare(in.model, scratch);
  const std::vector<double>& v = in.motion.velocity_before;
  std::ranges::copy(in.motion.free_velocity, scratch.velocity.begin());
  for (int i = 0; i < fixed_point_iterations; ++i) {
    integrate<double>(in.model, as_span(in.state.q), scratch.velocity, in.h, scratch.position);
    accelerate_elsewhere(in);
    double change = 0.0;
    double largest = 0.0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double next = v[k] + in.h * scratch.acceleration[k];
      change = std::max(change, std::abs(next - scratch.velocity[k]));
      largest = std::max(largest, std::abs(next));
      scratch.velocity[k] = next;
    }
    if (!(change > fixed_point_tolerance * largest)) break;
  }
  visit_free_entries(in.layout, in.motion,
                     [&](std::size_t k) { in.motion.next_velocity[k] = scratch.velocity[k]; });
}

/// ξ̇ = dexp⁻¹(ω) at ξ for the quaternions among the positions; the rest of ξ̇ is v. Two terms of
/// the series are enough for fourth order.
void inverse_exponential_rate(const Model& model, std::span<const double> xi,
                              std::span<double> rate) {
  for (const Joint& joint : model.joints()) {
    const bool floating = joint.kind == JointKind::floating;
    if (!floating && joint.kind != JointKind::spherical) continue;
    const std::size_t first = static_cast<std::size_t>(joint.velocity_index + (floating ? 3 : 0));
    const Vector3<double> x{xi[first], xi[first + 1], xi[first + 2]};
    const Vector3<double> w{rate[first], rate[first + 1], rate[first + 2]};
    const Vector3<double> turn = cross(x, w);
    const Vector3<double> result =
        multiply_add(1.0 / 12.0, cross(x, turn), multiply_add(floating ? -0.5 : 0.5, turn, w));
    rate[first] = result.x;
    rate[first + 1] = result.y;
    rate[first + 2] = result.z;
  }
}

constexpr double stage_weights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

/// A step of fourth order from q and v into mean_rate and mean_acceleration of the scratch.
/// `forces_at(stage, position, velocity, tau)` gives the joint forces of a stage; the scratch's
/// bodies are there.
/// `bodies_at(bodies there)` those on bodies.
template <class ForcesAt, class BodiesAt>
void runge_kutta(const Model& model, std::span<const double> q, std::span<const double> v, double h,
                 FreeMotionScratch& scratch, const ForcesAt& forces_at, const BodiesAt& bodies_at) {
  std::ranges::fill(scratch.turn, 0.0);
  std::ranges::fill(scratch.mean_rate, 0.0);
  std::ranges::fill(scratch.mean_acceleration, 0.0);
  std::ranges::copy(v, scratch.velocity.begin());
  const double steps[4] = {0.5 * h, 0.5 * h, h, 0.0};
  for (int stage = 0; stage < 4; ++stage) {
    integrate<double>(model, q, scratch.turn, 1.0, scratch.position);
    update_kinematics<double>(model, *scratch.elsewhere, scratch.position, scratch.velocity);
    forces_at(stage, scratch.position, scratch.velocity, scratch.tau);
    factorize_and_accelerate<double>(model, *scratch.elsewhere, scratch.tau, scratch.acceleration,
                                     {}, bodies_at(*scratch.elsewhere));
    std::ranges::copy(scratch.velocity, scratch.rate.begin());
    inverse_exponential_rate(model, scratch.turn, scratch.rate);
    for (std::size_t k = 0; k < v.size(); ++k) {
      scratch.mean_rate[k] += stage_weights[stage] * scratch.rate[k];
      scratch.mean_acceleration[k] += stage_weights[stage] * scratch.acceleration[k];
      scratch.turn[k] = steps[stage] * scratch.rate[k];
      scratch.velocity[k] = v[k] + steps[stage] * scratch.acceleration[k];
    }
  }
}

/// Fourth order, all forces at the stages.
void advance_by_runge_kutta(Integration& in) {
  FreeMotionScratch& scratch = in.scratch;
  prepare(in.model, scratch);
  const std::vector<double>& v = in.motion.velocity_before;
  runge_kutta(
      in.model, as_span(in.state.q), v, in.h, scratch,
      [&](int stage, std::span<const double> position, std::span<const double> velocity,
          std::span<double> tau) {
        scratch.tendons->update(in.model, *scratch.elsewhere, position);
        in.forces.evaluate(in.model, *scratch.elsewhere, *scratch.tendons, position, velocity,
                           stage, scratch.forces, tau);
      },
      [&](const DynamicsData<double>& there) {
        return in.external.on_bodies_at(in.model, there, scratch.external);
      });
  visit_free_entries(in.layout, in.motion, [&](std::size_t k) {
    in.motion.next_velocity[k] = v[k] + in.h * scratch.mean_acceleration[k];
    in.motion.position_rate[k] = scratch.mean_rate[k];
  });
}

/// Adds h · power of joint forces and of forces on bodies.
void add_work(const SceneLayout& layout, const DynamicsData<double>& data,
              std::span<const double> velocity, std::span<const double> tau,
              std::span<const Force<double>> external, double h, std::vector<double>& work) {
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    const Tree& tree = layout.trees[t];
    double power = 0.0;
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      power += tau[k] * velocity[k];
    }
    for (std::size_t i = index(tree.root); i < index(tree.end) && !external.empty(); ++i) {
      power += dot(external[i], data.bodies[i].velocity);
    }
    work[t] += h * power;
  }
}

/// Position rates of free trees are their next velocities.
void move_by_next_velocity(Integration& in) {
  visit_free_entries(in.layout, in.motion, [&](std::size_t k) {
    in.motion.position_rate[k] = in.motion.next_velocity[k];
  });
}

}  // namespace

void accelerate_freely(const Model& model, const Forces& forces,
                       std::span<const Force<double>> external, double time_step,
                       DynamicsData<double>& dynamics, StepMotion& motion) {
  factorize_and_accelerate<double>(model, dynamics, forces.tau(), motion.acceleration,
                                   forces.diagonal(), external);
  for (std::size_t k = 0; k < motion.free_velocity.size(); ++k) {
    motion.free_velocity[k] = motion.velocity_before[k] + time_step * motion.acceleration[k];
  }
}

void steady_fast_spins(const Model& model, const SceneLayout& layout, const State& state,
                       double time_step, DynamicsData<double>& dynamics, StepMotion& motion) {
  const double h = time_step;
  for (const Tree& tree : layout.trees) {
    if (!spins_fast(model, tree, h, motion)) continue;
    const FastStep step = fast_step(model, state, tree, h, motion);
    const Eigen::Vector3d w = step.spin.turn.conjugate() * step.spin.next_velocity;
    entry(motion.free_velocity, tree, 0) = step.next_center - w.cross(step.arm);
    entry(motion.free_velocity, tree, 1) = w;
    const auto rate = [&](int part) {
      return from_eigen(Eigen::Vector3d(
          (entry(motion.free_velocity, tree, part) - entry(motion.velocity_before, tree, part)) /
          h));
    };
    BodyData<double>& body = dynamics.bodies[index(tree.root)];
    body.acceleration.linear = rate(0);
    body.acceleration.angular = rate(1);
  }
}

void carry_fast_spins(const Model& model, const SceneLayout& layout, const State& state,
                      double time_step, StepMotion& motion) {
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    const Tree& tree = layout.trees[t];
    if (motion.has_impulses[t] == 0 || !spins_fast(model, tree, time_step, motion)) continue;
    const Eigen::Vector3d turn = time_step * entry(motion.position_rate, tree, 1);
    const double angle = turn.norm();
    const Eigen::Matrix3d carry =
        Eigen::AngleAxisd(angle, angle > 0.0 ? Eigen::Vector3d(turn / angle)
                                             : Eigen::Vector3d(Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    const Eigen::Vector3d arm =
        rotation_of(model, state, tree) * model.body_inertia(tree.root).center_of_mass;
    const Eigen::Vector3d next_arm = carry * arm;
    const Eigen::Vector3d w = entry(motion.next_velocity, tree, 1);
    const Eigen::Vector3d lever = w.cross(arm);
    const Eigen::Vector3d next_w = carry * w;
    entry(motion.next_velocity, tree, 0) += lever - next_w.cross(next_arm);
    entry(motion.next_velocity, tree, 1) = next_w;
    // The centre goes straight on, and the origin turns about it.
    entry(motion.position_rate, tree, 0) += lever + (arm - next_arm) / time_step;
  }
}

void advance_in_parts(const Model& model, const SceneLayout& layout, const State& state,
                      std::span<const double> joint_forces, const ExternalForces& external,
                      double time_step, int parts, FreeParts& result) {
  FreeMotionScratch& scratch = result.stages;
  prepare(model, scratch);
  result.position.assign(state.q.data(), state.q.data() + state.q.size());
  result.velocity.assign(state.v.data(), state.v.data() + state.v.size());
  result.work.assign(layout.trees.size(), 0.0);
  const double h = time_step / parts;
  for (int part = 0; part < parts; ++part) {
    const auto bodies_at = [&](const DynamicsData<double>& there) {
      return external.on_bodies_at(model, there, scratch.external);
    };
    runge_kutta(
        model, result.position, result.velocity, h, scratch,
        [&](int stage, std::span<const double>, std::span<const double> velocity,
            std::span<double> tau) {
          std::ranges::copy(joint_forces, tau.begin());
          add_work(layout, *scratch.elsewhere, velocity, tau, bodies_at(*scratch.elsewhere),
                   stage_weights[stage] * h, result.work);
        },
        bodies_at);
    integrate<double>(model, result.position, scratch.mean_rate, h, result.position);
    for (std::size_t k = 0; k < result.velocity.size(); ++k) {
      result.velocity[k] += h * scratch.mean_acceleration[k];
    }
  }
}

void advance_by_stages(const Model& model, const State& state, const Forces& forces,
                       double time_step, BodyForcesElsewhere& bodies, FreeMotionScratch& scratch,
                       std::span<double> next_velocity, std::span<double> position_rate) {
  prepare(model, scratch);
  const std::span<const double> v = as_span(state.v);
  runge_kutta(
      model, as_span(state.q), v, time_step, scratch,
      [&](int stage, std::span<const double> position, std::span<const double> velocity,
          std::span<double> tau) {
        scratch.tendons->update(model, *scratch.elsewhere, position);
        forces.evaluate(model, *scratch.elsewhere, *scratch.tendons, position, velocity, stage,
                        scratch.forces, tau);
      },
      [&](const DynamicsData<double>& there) { return bodies.at(there); });
  for (std::size_t k = 0; k < v.size(); ++k) {
    next_velocity[k] = v[k] + time_step * scratch.mean_acceleration[k];
    position_rate[k] = scratch.mean_rate[k];
  }
}

std::pair<int, int> position_range(const Model& model, const Tree& tree) {
  const Joint& last = model.joint(tree.end - 1);
  return {model.joint(tree.root).position_index, last.position_index + position_size(last.kind)};
}

void advance_free_trees(const Model& model, const SceneLayout& layout, Integrator integrator,
                        const State& state, const Forces& forces, const ExternalForces& external,
                        double time_step, StepMotion& motion, FreeMotionScratch& scratch,
                        std::span<const double> at_middle) {
  if (integrator == Integrator::explicit_euler) motion.position_rate = motion.velocity_before;
  if (all_have_impulses(motion)) return;
  Integration in{model, layout, state, forces, external, time_step, motion, scratch};
  switch (integrator) {
    case Integrator::explicit_euler:
      break;
    case Integrator::semi_implicit:
      move_by_next_velocity(in);
      break;
    case Integrator::trapezoid:
      if (!forces.has_drives() && !fall_uniformly(model, layout, motion)) {
        accelerate_by(at_middle.empty() ? find_middle_acceleration(in) : at_middle, in);
      }
      visit_free_entries(layout, motion, [&](std::size_t k) {
        motion.position_rate[k] = 0.5 * (motion.velocity_before[k] + motion.next_velocity[k]);
      });
      if (layout.has_single_bodies) spin_single_bodies(in);
      break;
    case Integrator::implicit:
      advance_implicitly(in);
      move_by_next_velocity(in);
      break;
    case Integrator::rk4:
      advance_by_runge_kutta(in);
      break;
  }
}

bool needs_middle(const Model& model, const SceneLayout& layout, Integrator integrator,
                  const Forces& forces, const StepMotion& motion) {
  return integrator == Integrator::trapezoid && !all_have_impulses(motion) &&
         !forces.has_drives() && !fall_uniformly(model, layout, motion);
}

void keep_prescribed_motion(const SceneLayout& layout, StepMotion& motion) {
  for (const int first : layout.prescribed) {
    const std::size_t begin = static_cast<std::size_t>(first);
    for (std::size_t k = begin; k < begin + 6; ++k) {
      motion.next_velocity[k] = motion.velocity_before[k];
      motion.position_rate[k] = motion.velocity_before[k];
    }
  }
}

void take_free_velocities(const SceneLayout& layout, StepMotion& motion) {
  visit_free_entries(layout, motion,
                     [&](std::size_t k) { motion.next_velocity[k] = motion.free_velocity[k]; });
}

}  // namespace stiction
