#include "stiction/sim/momentum.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

/// Shifts below this share of the tree's largest velocity are rounding.
constexpr double negligible = 1e-13;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

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

Force<double> momentum_of(const Model& model, const DynamicsData<double>& data, const Tree& tree) {
  Force<double> sum;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    const BodyData<double>& body = data.bodies[i];
    const Force<double> p = world_inertia(model.constants()[i], body) * body.velocity;
    sum.linear += p.linear;
    sum.angular += cross_add(body.position, p.linear, p.angular);
  }
  return sum;
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

/// Velocity of a point fixed to the piece that gives it some momentum.
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

double largest_velocity(const Workspace::Memory& memory, const Tree& tree) {
  double largest = 0.0;
  for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
    largest = std::max(largest, std::abs(memory.v_next[k]));
  }
  return largest;
}

/// Moves the free motion of the whole tree, in v and in the bodies that contacts look at.
void shift_free_motion(const Shift& shift, const Tree& tree, Workspace::Memory& memory) {
  for (int k = 0; k < 3; ++k) {
    memory.v_free[index(tree.velocity_first + k)] += shift.linear[k];
    memory.v_free[index(tree.velocity_first + 3 + k)] += shift.angular[k];
  }
  const Vector3<double> linear = (1.0 / memory.h) * from_eigen(shift.linear);
  const Vector3<double> angular = (1.0 / memory.h) * from_eigen(shift.angular);
  const Vector3<double> origin = memory.data.bodies[index(tree.root)].position;
  for (std::size_t i = index(tree.root); i < index(tree.end); ++i) {
    BodyData<double>& body = memory.data.bodies[i];
    body.acceleration.angular += angular;
    body.acceleration.linear += cross_add(angular, body.position - origin, linear);
  }
}

/// A robot that floats and is in contact. One body alone keeps its linear momentum anyway.
bool is_kept(const Model& model, const Tree& tree) {
  const BodyConstants& root = model.constants()[index(tree.root)];
  return tree.active && !tree.single && root.joint == JointKind::floating && !root.kinematic;
}

/// What forces and impulses leave of momentum: p(q, v⁺ without earlier shifts) + h ṗ at v̇ = 0.
void find_wanted_momentum(const State& state, Workspace::Memory& memory) {
  const Model& model = memory.model;
  for (std::size_t k = 0; k < memory.stage_v.size(); ++k) {
    const double unshifted =
        state.v[static_cast<Eigen::Index>(k)] + memory.h * memory.acceleration[k];
    memory.stage_v[k] = memory.v_next[k] - (memory.v_free[k] - unshifted);
  }
  update_kinematics<double>(model, memory.scratch, as_span(state.q), memory.stage_v);
  memory.wanted_momentum.resize(memory.trees.size());
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    if (!is_kept(model, memory.trees[t])) continue;
    const Force<double> drift = momentum_drift(model, memory.data, memory.trees[t]);
    Force<double>& wanted = memory.wanted_momentum[t];
    wanted = momentum_of(model, memory.scratch, memory.trees[t]);
    wanted.linear = multiply_add(memory.h, drift.linear, wanted.linear);
    wanted.angular = multiply_add(memory.h, drift.angular, wanted.angular);
  }
}

/// q⁺ and v⁺ into `scratch`. What pushes overlaps out of the positions is left aside, for it is no
/// motion: momentum that it seems to change stays.
void go_to_the_end(const State& state, Workspace::Memory& memory) {
  std::ranges::copy(memory.move, memory.stage_xi.begin());
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    const Tree& tree = memory.trees[t];
    if (!tree.active || memory.islands[index(memory.island_of_tree[t])].events) continue;
    for (std::size_t k = index(tree.velocity_first); k < index(tree.velocity_end); ++k) {
      memory.stage_xi[k] = memory.v_next[k];
    }
  }
  integrate<double>(memory.model, as_span(state.q), memory.stage_xi, memory.h, memory.q_next);
  update_kinematics<double>(memory.model, memory.scratch, memory.q_next, memory.v_next);
}

/// Whether the tree, at q⁺ in `scratch`, lacks momentum; then its free motion is shifted.
bool shift_tree(const Tree& tree, const Force<double>& wanted, Workspace::Memory& memory) {
  const Force<double> has = momentum_of(memory.model, memory.scratch, tree);
  const Force<double> missing{.angular = wanted.angular - has.angular,
                              .linear = wanted.linear - has.linear};
  const Piece piece = piece_of(memory.model, memory.scratch, tree);
  const Shift shift = shift_for(piece, missing, memory.scratch.bodies[index(tree.root)].position);
  const double largest =
      std::max(shift.linear.cwiseAbs().maxCoeff(), shift.angular.cwiseAbs().maxCoeff());
  if (!(largest > negligible * largest_velocity(memory, tree))) return false;
  shift_free_motion(shift, tree, memory);
  return true;
}

}  // namespace

bool keep_momentum(const StepOptions& options, const State& state, int& pass,
                   Workspace::Memory& memory) {
  if (options.integrator != Integrator::rk4 || pass >= momentum_passes) return false;
  const auto kept = [&](const Tree& tree) { return is_kept(memory.model, tree); };
  if (std::ranges::none_of(memory.trees, kept)) return false;
  ++pass;
  find_wanted_momentum(state, memory);
  go_to_the_end(state, memory);
  bool shifted = false;
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    const Tree& tree = memory.trees[t];
    if (kept(tree)) shifted |= shift_tree(tree, memory.wanted_momentum[t], memory);
  }
  return shifted;
}

}  // namespace stiction
