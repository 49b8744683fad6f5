#include "stiction/touch/find_constraints.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/touch/block_velocities.hpp"

namespace stiction {

namespace {

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

/// What the functions below read, and the list that they fill.
struct Search {
  const SceneSnapshot& scene;
  const State& state;
  std::span<const double> free_velocity;
  const ConstraintSearch& settings;
  std::vector<Constraint>& constraints;
};

void add_limit(Search& search, int joint, bool upper, double gap,
               const JointDirection<double>& direction) {
  const double speed = std::abs(velocity_along(direction, search.free_velocity));
  const double reach = search.settings.margin + search.settings.time_step * speed;
  if (search.settings.touching_only ? gap > 0.0 : gap > reach) return;
  Constraint& constraint = search.constraints.emplace_back();
  constraint.kind = BlockKind::limit;
  constraint.index = joint;
  constraint.tree_b = search.scene.layout.tree_of(joint);
  constraint.key = limit_key(joint, upper);
  constraint.direction = direction;
  constraint.gap = gap;
}

/// The angle of a ball joint from its frame grows along the axis of rotation, which is the same in
/// both frames.
void add_spherical_limit(Search& search, const Joint& joint) {
  const double* q = search.state.q.data() + joint.position_index;
  const Vector3<double> turn = log_quaternion(Quaternion<double>{q[0], q[1], q[2], q[3]});
  const double angle = std::sqrt(dot(turn, turn));
  if (angle == 0.0) return;
  JointDirection<double> direction{.count = 3};
  const double parts[3] = {turn.x, turn.y, turn.z};
  for (int k = 0; k < 3; ++k) {
    direction.index[k] = joint.velocity_index + k;
    direction.coefficient[k] = -parts[k] / angle;
  }
  add_limit(search, joint.body, true, joint.limits.upper - angle, direction);
}

void add_limits(Search& search) {
  for (const int i : search.scene.layout.limited_joints) {
    const Joint& joint = search.scene.model.joint(i);
    if (joint.kind == JointKind::spherical) {
      add_spherical_limit(search, joint);
      continue;
    }
    const double q = search.state.q[joint.position_index];
    // A limit of the speed is a limit of the way within the step. Zero is no limit: files that
    // know none write it.
    const double way = joint.limits.velocity > 0.0
                           ? search.settings.time_step * joint.limits.velocity
                           : JointLimits::infinity;
    JointDirection<double> direction{.count = 1};
    direction.index[0] = joint.velocity_index;
    direction.coefficient[0] = 1.0;
    const double below = std::min(q - joint.limits.lower, way);
    if (std::isfinite(below)) add_limit(search, i, false, below, direction);
    direction.coefficient[0] = -1.0;
    const double above = std::min(joint.limits.upper - q, way);
    if (std::isfinite(above)) add_limit(search, i, true, above, direction);
  }
}

void add_joint_friction(Search& search) {
  const Model& model = search.scene.model;
  for (const int entry : model.friction_dofs()) {
    Constraint& constraint = search.constraints.emplace_back();
    constraint.kind = BlockKind::joint_friction;
    constraint.index = entry;
    constraint.tree_b = search.scene.layout.tree_of(model.degrees_of_freedom()[index(entry)].body);
    constraint.key = friction_key(entry);
    constraint.direction.count = 1;
    constraint.direction.index[0] = entry;
    constraint.direction.coefficient[0] = 1.0;
    constraint.bound = search.settings.time_step * model.parameters().friction[entry];
  }
}

void set_joint_lock(const Search& search, const Coupling& coupling, Constraint& constraint) {
  const Eigen::VectorXd& q = search.state.q;
  const Joint& a = search.scene.model.joint(coupling.joint_a);
  const Eigen::VectorXd& start = search.scene.model.initial_positions();
  double wanted = start[a.position_index] + coupling.coefficients[0];
  constraint.rows = 1;
  constraint.tree_a = search.scene.layout.tree_of(a.body);
  constraint.direction.count = 1;
  constraint.direction.index[0] = a.velocity_index;
  constraint.direction.coefficient[0] = 1.0;
  if (coupling.joint_b >= 0) {
    const Joint& b = search.scene.model.joint(coupling.joint_b);
    const double x = q[b.position_index] - start[b.position_index];
    double slope = 0.0;
    double power = 1.0;
    for (std::size_t k = 1; k < coupling.coefficients.size(); ++k) {
      slope += static_cast<double>(k) * coupling.coefficients[k] * power;
      power *= x;
      wanted += coupling.coefficients[k] * power;
    }
    constraint.tree_b = search.scene.layout.tree_of(b.body);
    constraint.direction.count = 2;
    constraint.direction.index[1] = b.velocity_index;
    constraint.direction.coefficient[1] = -slope;
  }
  constraint.error[0] = q[a.position_index] - wanted;
}

void set_body_lock(const Search& search, const Coupling& coupling, Constraint& constraint) {
  constraint.rows = coupling.kind == Coupling::Kind::weld ? 6 : 3;
  constraint.tree_a = search.scene.layout.tree_of(coupling.body_a);
  constraint.tree_b = search.scene.layout.tree_of(coupling.body_b);
  const Eigen::Isometry3d a = body_pose(search.scene.dynamics, coupling.body_a) * coupling.pose_a;
  const Eigen::Isometry3d b = body_pose(search.scene.dynamics, coupling.body_b) * coupling.pose_b;
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

void add_locks(Search& search) {
  const std::vector<Coupling>& couplings = search.scene.model.couplings();
  for (std::size_t i = 0; i < couplings.size(); ++i) {
    if (!couplings[i].active) continue;
    Constraint& constraint = search.constraints.emplace_back();
    constraint.kind = BlockKind::lock;
    constraint.index = static_cast<int>(i);
    constraint.key = lock_key(constraint.index);
    if (couplings[i].kind == Coupling::Kind::joint) {
      set_joint_lock(search, couplings[i], constraint);
    } else {
      set_body_lock(search, couplings[i], constraint);
    }
    if (constraint.tree_a < 0 && constraint.tree_b < 0) search.constraints.pop_back();
  }
}

}  // namespace

void find_constraints(const SceneSnapshot& scene, const State& state,
                      std::span<const double> free_velocity, const ConstraintSearch& settings,
                      std::vector<Constraint>& constraints) {
  constraints.clear();
  Search search{scene, state, free_velocity, settings, constraints};
  if (!scene.layout.limited_joints.empty()) add_limits(search);
  if (!scene.model.friction_dofs().empty()) add_joint_friction(search);
  if (!scene.model.couplings().empty()) add_locks(search);
}

}  // namespace stiction
