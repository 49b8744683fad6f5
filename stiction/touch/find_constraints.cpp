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
/// Above those of limits. A key of a contact has 22 bits for each shape and 16 for the point.
std::uint64_t turn_key(const Candidate& contact, BlockKind kind) {
  const auto shape = [](int i) { return static_cast<std::uint64_t>(i); };
  const std::uint64_t place =
      (shape(contact.shape_a) << 38) | (shape(contact.shape_b) << 16) | contact.feature;
  return (std::uint64_t{3} << 61) | (place << 1) | (kind == BlockKind::spin ? 1 : 0);
}
std::uint64_t friction_key(int entry) {
  return (std::uint64_t{2} << 62) | static_cast<std::uint64_t>(entry);
}
/// Tendons come after all joints.
constexpr std::uint64_t of_tendon = std::uint64_t{1} << 40;
std::uint64_t lock_key(int coupling) {
  return (std::uint64_t{3} << 62) | (static_cast<std::uint64_t>(coupling) << 1);
}

/// A tendon whose length changes by less than this with every velocity pulls nothing.
constexpr double least_moment = 1e-12;

/// What the functions below read, and the list that they fill.
struct Search {
  const SceneSnapshot& scene;
  const State& state;
  std::span<const double> free_velocity;
  const ConstraintSearch& settings;
  ContactSet& set;
};

/// Whether a limit is too far away to matter in this step; `speed` is that of the gap.
bool is_out_of_reach(const Search& search, double gap, double speed) {
  const double reach = search.settings.margin + search.settings.time_step * std::abs(speed);
  return search.settings.touching_only ? gap > 0.0 : gap > reach;
}

void add_limit(Search& search, int joint, bool upper, double gap,
               const JointDirection<double>& direction) {
  if (is_out_of_reach(search, gap, velocity_along(direction, search.free_velocity))) return;
  Constraint& constraint = search.set.constraints.emplace_back();
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
  add_limit(search, joint.body, true, joint.limits.upper - joint.limits.margin - angle, direction);
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
    const double margin = joint.limits.margin;
    const double below = std::min(q - (joint.limits.lower + margin), way);
    if (std::isfinite(below)) add_limit(search, i, false, below, direction);
    direction.coefficient[0] = -1.0;
    const double above = std::min(joint.limits.upper - margin - q, way);
    if (std::isfinite(above)) add_limit(search, i, true, above, direction);
  }
}

/// A row over many joints: its terms are those of a tendon, times `scale`.
void add_terms(Search& search, int tendon, double scale, const RowReach& reach,
               Constraint& constraint) {
  std::vector<MomentTerm>& terms = search.set.terms;
  if (constraint.reach == nullptr) constraint.first_term = static_cast<int>(terms.size());
  for (const MomentTerm& term : search.scene.tendons.moment(tendon)) {
    terms.push_back({term.index, scale * term.coefficient});
  }
  constraint.rows = 1;
  constraint.reach = &reach;
  constraint.term_count = static_cast<int>(terms.size()) - constraint.first_term;
  constraint.tree_a = reach.trees.front();
}

/// Whether the tendon moves anything now: where it does not, no impulse along it can act.
bool pulls(const Search& search, int tendon) {
  if (search.scene.layout.tendons[index(tendon)].trees.empty()) return false;
  return std::ranges::any_of(search.scene.tendons.moment(tendon), [](const MomentTerm& term) {
    return std::abs(term.coefficient) > least_moment;
  });
}

void add_tendon_limits(Search& search) {
  const std::vector<Tendon>& tendons = search.scene.model.tendons();
  for (int i = 0; i < static_cast<int>(tendons.size()); ++i) {
    const Tendon& tendon = tendons[index(i)];
    for (const bool upper : {false, true}) {
      const double limit = tendon.limits[upper ? 1 : 0];
      // A path is never shorter than nothing.
      const bool idle = !upper && tendon.kind == Tendon::Kind::spatial && limit <= 0.0;
      if (!std::isfinite(limit) || (idle && tendon.margin == 0.0)) continue;
      const double sign = upper ? -1.0 : 1.0;
      const double gap = sign * (search.scene.tendons.length(i) - limit) - tendon.margin;
      const double speed = search.scene.tendons.speed(i, search.free_velocity);
      if (is_out_of_reach(search, gap, speed) || !pulls(search, i)) continue;
      Constraint& constraint = search.set.constraints.emplace_back();
      constraint.kind = BlockKind::limit;
      constraint.tendon = i;
      constraint.key = limit_key(i, upper) | of_tendon;
      constraint.gap = gap;
      add_terms(search, i, sign, search.scene.layout.tendons[index(i)], constraint);
    }
  }
}

/// The size of the smaller shape; of endless ones 1 m.
double length_of(std::span<const ShapeGeometry> shapes, const Candidate& contact) {
  const double least =
      std::min(shapes[index(contact.shape_a)].radius, shapes[index(contact.shape_b)].radius);
  return least > 0.0 && std::isfinite(least) ? least : 1.0;
}

/// Whether two points of contact resist turning as one: the same bodies turn about both alike. A
/// foot of four spheres has as many shapes.
bool turn_as_one(const Candidate& a, const Candidate& b) {
  if (a.contact.body_a != b.contact.body_a || a.contact.body_b != b.contact.body_b) return false;
  if (a.material.roll_friction != b.material.roll_friction) return false;
  if (a.material.spin_friction != b.material.spin_friction) return false;
  constexpr double same_normal = 1.0 - 1e-12;
  return dot(a.contact.axes.c2, b.contact.axes.c2) > same_normal;
}

void add_turn(Search& search, std::span<const Candidate> contacts, std::size_t i, int count,
              BlockKind kind, double friction) {
  const Candidate& contact = contacts[i];
  Constraint& constraint = search.set.constraints.emplace_back();
  constraint.kind = kind;
  constraint.index = static_cast<int>(i);
  constraint.contacts = count;
  constraint.rows = kind == BlockKind::spin ? 1 : 2;
  constraint.tree_a = contact.tree_a;
  constraint.tree_b = contact.tree_b;
  constraint.key = turn_key(contact, kind);
  constraint.friction = friction;
  constraint.length = length_of(search.settings.shapes, contact);
  constraint.contact = contact.contact;
}

/// The roll of a contact comes right before its spin.
void add_turns(Search& search, std::span<const Candidate> contacts) {
  for (std::size_t i = 0, next = 0; i < contacts.size(); i = next) {
    next = i + 1;
    while (next < contacts.size() && turn_as_one(contacts[i], contacts[next])) ++next;
    const auto count = static_cast<int>(next - i);
    const ContactMaterial& material = contacts[i].material;
    if (material.roll_friction > 0.0) {
      add_turn(search, contacts, i, count, BlockKind::roll, material.roll_friction);
    }
    if (material.spin_friction > 0.0) {
      add_turn(search, contacts, i, count, BlockKind::spin, material.spin_friction);
    }
  }
}

void add_tendon_friction(Search& search) {
  const std::vector<Tendon>& tendons = search.scene.model.tendons();
  for (int i = 0; i < static_cast<int>(tendons.size()); ++i) {
    const double friction = tendons[index(i)].friction;
    if (friction == 0.0 || !pulls(search, i)) continue;
    Constraint& constraint = search.set.constraints.emplace_back();
    constraint.kind = BlockKind::joint_friction;
    constraint.tendon = i;
    constraint.key = friction_key(i) | of_tendon;
    constraint.bound = search.settings.time_step * friction;
    add_terms(search, i, 1.0, search.scene.layout.tendons[index(i)], constraint);
  }
}

void add_joint_friction(Search& search) {
  const Model& model = search.scene.model;
  for (const int entry : model.friction_dofs()) {
    Constraint& constraint = search.set.constraints.emplace_back();
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

/// What the second of two coupled quantities asks of the first one, and the derivative of that.
struct Wish {
  double value;
  double slope;
};

/// Σ coefficients[k] x^k from `start` on.
Wish wish_of(const Coupling& coupling, double start, double x) {
  Wish wish{start + coupling.coefficients[0], 0.0};
  double power = 1.0;
  for (std::size_t k = 1; k < coupling.coefficients.size(); ++k) {
    wish.slope += static_cast<double>(k) * coupling.coefficients[k] * power;
    power *= x;
    wish.value += coupling.coefficients[k] * power;
  }
  return wish;
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
    const Wish wish =
        wish_of(coupling, start[a.position_index], q[b.position_index] - start[b.position_index]);
    wanted = wish.value;
    constraint.tree_b = search.scene.layout.tree_of(b.body);
    constraint.direction.count = 2;
    constraint.direction.index[1] = b.velocity_index;
    constraint.direction.coefficient[1] = -wish.slope;
  }
  constraint.error[0] = q[a.position_index] - wanted;
}

/// The same for the lengths of tendons.
void set_tendon_lock(Search& search, const Coupling& coupling, Constraint& constraint) {
  const int a = coupling.tendon_a;
  const int b = coupling.tendon_b;
  const RowReach& reach = search.scene.layout.couplings[index(constraint.index)];
  if (!pulls(search, a) && (b < 0 || !pulls(search, b))) return;
  const std::vector<Tendon>& tendons = search.scene.model.tendons();
  const double start = tendons[index(a)].initial_length;
  double wanted = start + coupling.coefficients[0];
  add_terms(search, a, 1.0, reach, constraint);
  if (b >= 0) {
    const Wish wish =
        wish_of(coupling, start, search.scene.tendons.length(b) - tendons[index(b)].initial_length);
    wanted = wish.value;
    add_terms(search, b, -wish.slope, reach, constraint);
  }
  constraint.error[0] = search.scene.tendons.length(a) - wanted;
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
    Constraint& constraint = search.set.constraints.emplace_back();
    constraint.kind = BlockKind::lock;
    constraint.index = static_cast<int>(i);
    constraint.key = lock_key(constraint.index);
    if (couplings[i].kind == Coupling::Kind::joint) {
      set_joint_lock(search, couplings[i], constraint);
    } else if (couplings[i].kind == Coupling::Kind::tendon) {
      set_tendon_lock(search, couplings[i], constraint);
    } else {
      set_body_lock(search, couplings[i], constraint);
    }
    if (constraint.tree_a < 0 && constraint.tree_b < 0) search.set.constraints.pop_back();
  }
}

}  // namespace

void find_constraints(const SceneSnapshot& scene, const State& state,
                      std::span<const double> free_velocity, const ConstraintSearch& settings,
                      ContactSet& set) {
  set.constraints.clear();
  set.terms.clear();
  Search search{scene, state, free_velocity, settings, set};
  const bool has_tendons = !scene.model.tendons().empty();
  if (!scene.layout.limited_joints.empty()) add_limits(search);
  if (has_tendons) add_tendon_limits(search);
  if (scene.layout.pairs_turn || scene.model.has_turning_friction()) {
    add_turns(search, set.contacts);
  }
  if (!scene.model.friction_dofs().empty()) add_joint_friction(search);
  if (has_tendons) add_tendon_friction(search);
  if (!scene.model.couplings().empty()) add_locks(search);
}

}  // namespace stiction
