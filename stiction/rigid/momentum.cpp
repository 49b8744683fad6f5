#include "stiction/rigid/momentum.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Shifts below this fraction of the tree's largest velocity are rounding.
constexpr double negligible = 1e-13;

/// A tree as one rigid piece; angular quantities about the world's origin.
struct Piece {
  double mass = 0.0;
  Vector3<double> moment;  ///< mass times centre of mass [kg·m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

Eigen::Matrix3d matrix_of(const RigidInertia<double>& inertia) {
  Eigen::Matrix3d m;
  for (int k = 0; k < 3; ++k) {
    const Vector3<double> unit{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    m.col(k) = to_eigen(inertia.inertia * unit);
  }
  return m;
}

/// By the parallel axis theorem: a body's inertia about its origin p, moved to the world's origin.
Eigen::Matrix3d about_world(const RigidInertia<double>& inertia, const Vector3<double>& p) {
  const Eigen::Vector3d x = to_eigen(p);
  const Eigen::Vector3d c = to_eigen(inertia.mass_center);  // mass times centre
  const Eigen::Matrix3d mixed = c * x.transpose();
  return matrix_of(inertia) +
         (inertia.mass * x.squaredNorm() + 2.0 * c.dot(x)) * Eigen::Matrix3d::Identity() -
         inertia.mass * x * x.transpose() - mixed - mixed.transpose();
}

Piece piece_of(const Model& model, const DynamicsData<double>& data, const Tree& tree) {
  Piece piece;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    const BodyData<double>& body = data.bodies[i];
    const RigidInertia<double> inertia = world_inertia(model.constants()[i], body);
    piece.mass += inertia.mass;
    piece.moment += multiply_add(inertia.mass, body.position, inertia.mass_center);
    piece.inertia += about_world(inertia, body.position);
  }
  return piece;
}

/// How fast the momentum changes at v̇ = 0.
Force<double> momentum_drift(const Model& model, const DynamicsData<double>& data,
                             const Tree& tree) {
  Force<double> sum;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    const BodyData<double>& body = data.bodies[i];
    const RigidInertia<double> inertia = world_inertia(model.constants()[i], body);
    const Vector3<double> w = body.velocity.angular;
    Force<double> rate = inertia * body.drift;
    rate.linear += cross(w, cross(w, inertia.mass_center));
    rate.angular += cross(w, inertia.inertia * w);
    sum.linear += rate.linear;
    sum.angular += cross_add(body.position, rate.linear, rate.angular);
  }
  return sum;
}

/// Velocity that gives a piece some momentum.
struct Shift {
  Eigen::Vector3d linear;  ///< of the base's origin
  Eigen::Vector3d angular;
};

Shift shift_for(const Piece& piece, const Force<double>& momentum, const Vector3<double>& base) {
  const Eigen::Vector3d p = to_eigen(momentum.linear);
  const Eigen::Vector3d center = to_eigen(piece.moment) / piece.mass;
  const Eigen::Matrix3d about_center =
      piece.inertia - piece.mass * (center.squaredNorm() * Eigen::Matrix3d::Identity() -
                                    center * center.transpose());
  Shift shift;
  shift.angular = about_center.ldlt().solve(to_eigen(momentum.angular) - center.cross(p));
  shift.linear = p / piece.mass + shift.angular.cross(to_eigen(base) - center);
  return shift;
}

double largest_velocity(const StepMotion& motion, const Tree& tree) {
  double largest = 0.0;
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    largest = std::max(largest, std::abs(motion.next_velocity[k]));
  }
  return largest;
}

/// Moves the free motion of the whole tree, in v and in the bodies that contacts look at.
void shift_tree(const Shift& shift, const Tree& tree, double h, DynamicsData<double>& dynamics,
                StepMotion& motion) {
  for (int k = 0; k < 3; ++k) {
    motion.free_velocity[index(tree.velocity_first + k)] += shift.linear[k];
    motion.free_velocity[index(tree.velocity_first + 3 + k)] += shift.angular[k];
  }
  const Vector3<double> linear = (1.0 / h) * from_eigen(shift.linear);
  const Vector3<double> angular = (1.0 / h) * from_eigen(shift.angular);
  const Vector3<double> origin = dynamics.bodies[index(tree.root)].position;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    BodyData<double>& body = dynamics.bodies[i];
    body.acceleration.angular += angular;
    body.acceleration.linear += cross_add(angular, body.position - origin, linear);
  }
}

/// A robot that floats and is in contact. One body alone keeps its linear momentum anyway.
bool is_kept(const Model& model, const Tree& tree, char has_impulses) {
  const BodyConstants& root = model.constants()[index(tree.root)];
  return has_impulses != 0 && !tree.single && root.joint == JointKind::floating && !root.kinematic;
}

/// The shift that gives a tree the momentum that is missing; nothing if that is rounding.
std::optional<Shift> shift_of(const Model& model, const DynamicsData<double>& at_end,
                              const Tree& tree, const Force<double>& wanted, double largest) {
  const Force<double> has = momentum_of(model, at_end, tree.root, tree.end);
  const Force<double> missing{.angular = wanted.angular - has.angular,
                              .linear = wanted.linear - has.linear};
  const Piece piece = piece_of(model, at_end, tree);
  const Shift shift = shift_for(piece, missing, at_end.bodies[index(tree.root)].position);
  const double size =
      std::max(shift.linear.cwiseAbs().maxCoeff(), shift.angular.cwiseAbs().maxCoeff());
  if (!(size > negligible * largest)) return std::nullopt;
  return shift;
}

}  // namespace

bool MomentumKeeper::shift_free_motion(const Model& model, const SceneLayout& layout,
                                       const IslandSet& islands, const BlockTargets& targets,
                                       const State& state, double time_step,
                                       DynamicsData<double>& dynamics, StepMotion& motion) {
  if (passes_ >= most_passes) return false;
  const auto kept = [&](std::size_t t) {
    return is_kept(model, layout.trees[t], motion.has_impulses[t]);
  };
  bool any = false;
  for (std::size_t t = 0; t < layout.trees.size() && !any; ++t) any = kept(t);
  if (!any) return false;
  ++passes_;
  if (!elsewhere_) elsewhere_.emplace(model);
  find_wanted_momentum(model, layout, state, time_step, dynamics, motion);
  go_to_the_end(model, layout, islands, targets, state, time_step, motion);
  bool shifted = false;
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    if (!kept(t)) continue;
    const Tree& tree = layout.trees[t];
    const std::optional<Shift> shift =
        shift_of(model, *elsewhere_, tree, wanted_[t], largest_velocity(motion, tree));
    if (!shift) continue;
    shift_tree(*shift, tree, time_step, dynamics, motion);
    shifted = true;
  }
  return shifted;
}

/// What forces and impulses leave of momentum: p(q, v⁺ without earlier shifts) + h ṗ at v̇ = 0.
void MomentumKeeper::find_wanted_momentum(const Model& model, const SceneLayout& layout,
                                          const State& state, double time_step,
                                          const DynamicsData<double>& dynamics,
                                          const StepMotion& motion) {
  velocity_.resize(motion.next_velocity.size());
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    const double unshifted =
        state.v[static_cast<Eigen::Index>(k)] + time_step * motion.acceleration[k];
    velocity_[k] = motion.next_velocity[k] - (motion.free_velocity[k] - unshifted);
  }
  update_kinematics<double>(model, *elsewhere_, as_span(state.q), velocity_);
  wanted_.resize(layout.trees.size());
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    const Tree& tree = layout.trees[t];
    if (!is_kept(model, tree, motion.has_impulses[t])) continue;
    const Force<double> drift = momentum_drift(model, dynamics, tree);
    Force<double>& wanted = wanted_[t];
    wanted = momentum_of(model, *elsewhere_, tree.root, tree.end);
    wanted.linear = multiply_add(time_step, drift.linear, wanted.linear);
    wanted.angular = multiply_add(time_step, drift.angular, wanted.angular);
  }
}

/// Kinematics at q⁺ and v⁺. What pushes overlaps out of the positions is left aside, because it is
/// no motion: momentum that it seems to change stays.
void MomentumKeeper::go_to_the_end(const Model& model, const SceneLayout& layout,
                                   const IslandSet& islands, const BlockTargets& targets,
                                   const State& state, double time_step, StepMotion& motion) {
  velocity_ = motion.position_rate;
  for (std::size_t t = 0; t < layout.trees.size(); ++t) {
    if (motion.has_impulses[t] == 0) continue;
    if (targets.is_by_impacts(islands.of_tree(static_cast<int>(t)))) continue;
    const Tree& tree = layout.trees[t];
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      velocity_[k] = motion.next_velocity[k];
    }
  }
  integrate<double>(model, as_span(state.q), velocity_, time_step, motion.next_position);
  update_kinematics<double>(model, *elsewhere_, motion.next_position, motion.next_velocity);
}

}  // namespace stiction
