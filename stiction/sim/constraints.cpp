// Limits, joint friction and locks of a step.

#include <algorithm>
#include <cmath>

#include "stiction/sim/assembly.hpp"
#include "stiction/spatial/rotation.hpp"

namespace stiction {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Keys of contacts are below all of these.
std::uint64_t limit_key(int joint, bool upper) {
  return (std::uint64_t{1} << 62) | (static_cast<std::uint64_t>(joint) << 1) | (upper ? 1 : 0);
}
std::uint64_t friction_key(int entry) {
  return (std::uint64_t{2} << 62) | static_cast<std::uint64_t>(entry);
}
std::uint64_t lock_key(int coupling) {
  return (std::uint64_t{3} << 62) | (static_cast<std::uint64_t>(coupling) << 1);
}

int tree_of(const Workspace::Memory& memory, int body) {
  return body < 0 ? -1 : memory.tree_of_body[index(body)];
}

/// Σ coefficient · v of a direction.
double along(const JointDirection<double>& direction, std::span<const double> v) {
  double sum = 0.0;
  for (int d = 0; d < direction.count; ++d) {
    sum += direction.coefficient[d] * v[index(direction.index[d])];
  }
  return sum;
}

void add_limit(const StepOptions& options, Workspace::Memory& memory, int joint, bool upper,
               double gap, const JointDirection<double>& direction) {
  const double speed = std::abs(along(direction, memory.v_free));
  const double reach = options.margin + memory.h * speed;
  if (options.gap_rule == GapRule::velocity ? gap > 0.0 : gap > reach) return;
  Constraint& constraint = memory.constraints.emplace_back();
  constraint.kind = BlockKind::limit;
  constraint.index = joint;
  constraint.tree_b = tree_of(memory, joint);
  constraint.key = limit_key(joint, upper);
  constraint.direction = direction;
  constraint.gap = gap;
}

/// The angle of a ball joint from its frame grows along the axis of rotation, which is the same in
/// both frames.
void add_spherical_limit(const StepOptions& options, const State& state, Workspace::Memory& memory,
                         const Joint& joint) {
  const double* q = state.q.data() + joint.position_index;
  const Vector3<double> turn = log_quaternion(Quaternion<double>{q[0], q[1], q[2], q[3]});
  const double angle = std::sqrt(dot(turn, turn));
  if (angle == 0.0) return;
  JointDirection<double> direction{.count = 3};
  const double parts[3] = {turn.x, turn.y, turn.z};
  for (int k = 0; k < 3; ++k) {
    direction.index[k] = joint.velocity_index + k;
    direction.coefficient[k] = -parts[k] / angle;
  }
  add_limit(options, memory, joint.body, true, joint.limits.upper - angle, direction);
}

void add_limits(const StepOptions& options, const State& state, Workspace::Memory& memory) {
  for (const int i : memory.limited_joints) {
    const Joint& joint = memory.model.joint(i);
    if (joint.kind == JointKind::spherical) {
      add_spherical_limit(options, state, memory, joint);
      continue;
    }
    const double q = state.q[joint.position_index];
    JointDirection<double> direction{.count = 1};
    direction.index[0] = joint.velocity_index;
    direction.coefficient[0] = 1.0;
    if (std::isfinite(joint.limits.lower)) {
      add_limit(options, memory, i, false, q - joint.limits.lower, direction);
    }
    direction.coefficient[0] = -1.0;
    if (std::isfinite(joint.limits.upper)) {
      add_limit(options, memory, i, true, joint.limits.upper - q, direction);
    }
  }
}

void add_joint_friction(Workspace::Memory& memory) {
  for (const int entry : memory.rubbing) {
    Constraint& constraint = memory.constraints.emplace_back();
    constraint.kind = BlockKind::joint_friction;
    constraint.index = entry;
    constraint.tree_b = tree_of(memory, memory.model.degrees_of_freedom()[index(entry)].body);
    constraint.key = friction_key(entry);
    constraint.direction.count = 1;
    constraint.direction.index[0] = entry;
    constraint.direction.coefficient[0] = 1.0;
    constraint.bound = memory.h * memory.model.parameters().friction[entry];
  }
}

void add_joint_lock(const State& state, Workspace::Memory& memory, const Coupling& coupling,
                    Constraint& constraint) {
  const Joint& a = memory.model.joint(coupling.joint_a);
  const Eigen::VectorXd& start = memory.model.initial_positions();
  double wanted = start[a.position_index] + coupling.coefficients[0];
  constraint.rows = 1;
  constraint.tree_a = tree_of(memory, a.body);
  constraint.direction.count = 1;
  constraint.direction.index[0] = a.velocity_index;
  constraint.direction.coefficient[0] = 1.0;
  if (coupling.joint_b >= 0) {
    const Joint& b = memory.model.joint(coupling.joint_b);
    const double x = state.q[b.position_index] - start[b.position_index];
    double slope = 0.0;
    double power = 1.0;
    for (std::size_t k = 1; k < coupling.coefficients.size(); ++k) {
      slope += static_cast<double>(k) * coupling.coefficients[k] * power;
      power *= x;
      wanted += coupling.coefficients[k] * power;
    }
    constraint.tree_b = tree_of(memory, b.body);
    constraint.direction.count = 2;
    constraint.direction.index[1] = b.velocity_index;
    constraint.direction.coefficient[1] = -slope;
  }
  constraint.error[0] = state.q[a.position_index] - wanted;
}

/// Pose of a body's frame in the world.
Eigen::Isometry3d pose_of(const Workspace::Memory& memory, int body,
                          const Eigen::Isometry3d& pose) {
  return body_pose(memory.data, body) * pose;
}

void add_body_lock(Workspace::Memory& memory, const Coupling& coupling, Constraint& constraint) {
  constraint.rows = coupling.kind == Coupling::Kind::weld ? 6 : 3;
  constraint.tree_a = tree_of(memory, coupling.body_a);
  constraint.tree_b = tree_of(memory, coupling.body_b);
  const Eigen::Isometry3d a = pose_of(memory, coupling.body_a, coupling.pose_a);
  const Eigen::Isometry3d b = pose_of(memory, coupling.body_b, coupling.pose_b);
  const Eigen::Vector3d middle = 0.5 * (a.translation() + b.translation());
  constraint.contact = {coupling.body_a, coupling.body_b, from_eigen(middle), identity3<double>()};
  const Eigen::Vector3d apart = b.translation() - a.translation();
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(b.linear() * a.linear().transpose()));
  const Eigen::Vector3d turned = turn.angle() * turn.axis();
  for (int k = 0; k < 3; ++k) {
    constraint.error[index(k)] = apart[k];
    if (constraint.rows == 6) constraint.error[index(3 + k)] = turned[k];
  }
}

void add_locks(const State& state, Workspace::Memory& memory) {
  const std::vector<Coupling>& couplings = memory.model.couplings();
  for (std::size_t i = 0; i < couplings.size(); ++i) {
    if (!couplings[i].active) continue;
    Constraint& constraint = memory.constraints.emplace_back();
    constraint.kind = BlockKind::lock;
    constraint.index = static_cast<int>(i);
    constraint.key = lock_key(constraint.index);
    if (couplings[i].kind == Coupling::Kind::joint) {
      add_joint_lock(state, memory, couplings[i], constraint);
    } else {
      add_body_lock(memory, couplings[i], constraint);
    }
    if (constraint.tree_a < 0 && constraint.tree_b < 0) memory.constraints.pop_back();
  }
}

/// Relative velocity of two bodies at a point after free motion: linear, then angular.
void set_body_velocity(const Workspace::Memory& memory, Constraint& constraint) {
  Motion<double> sum;
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const BodyData<double>& entry = memory.data.bodies[index(body)];
    const Vector3<double> arm = constraint.contact.point - entry.position;
    const Vector3<double> w =
        multiply_add(memory.h, entry.acceleration.angular, entry.velocity.angular);
    const Vector3<double> v =
        multiply_add(memory.h, entry.acceleration.linear, entry.velocity.linear);
    sum.angular = multiply_add(sign, w, sum.angular);
    sum.linear = multiply_add(sign, cross_add(w, arm, v), sum.linear);
  };
  add(constraint.contact.body_b, 1.0);
  add(constraint.contact.body_a, -1.0);
  constraint.free = {sum.linear.x,  sum.linear.y,  sum.linear.z,
                     sum.angular.x, sum.angular.y, sum.angular.z};
}

}  // namespace

void find_constraints(const StepOptions& options, const State& state, Workspace::Memory& memory) {
  memory.constraints.clear();
  if (!memory.limited_joints.empty()) add_limits(options, state, memory);
  if (!memory.rubbing.empty()) add_joint_friction(memory);
  if (!memory.model.couplings().empty()) add_locks(state, memory);
}

void set_constraint_targets(const StepOptions& options, Workspace::Memory& memory) {
  const double h = memory.h;
  for (Constraint& constraint : memory.constraints) {
    if (constraint.rows == 1) {
      constraint.free[0] = along(constraint.direction, memory.v_free);
    } else {
      set_body_velocity(memory, constraint);
    }
    if (constraint.kind == BlockKind::limit) {
      constraint.target[0] = gap_rule_target(options, constraint.gap, h);
    } else if (constraint.kind == BlockKind::lock) {
      for (int k = 0; k < constraint.rows; ++k) {
        const double rate = -options.lock_share * constraint.error[index(k)] / h;
        constraint.target[index(k)] =
            std::clamp(rate, -options.push_out_speed, options.push_out_speed);
      }
    }
  }
}

}  // namespace stiction
