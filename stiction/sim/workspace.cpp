#include "stiction/sim/workspace.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

/// More materials than this are looked up in the Model, contact by contact.
constexpr std::size_t most_tabled_materials = 64;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// A free body with equal moments of inertia about its origin falls with one acceleration, whatever
/// its state.
bool is_steady(const Model& model, const Tree& tree) {
  if (!tree.single) return false;
  const BodyInertia& body = model.body_inertia(tree.root);
  const Eigen::Matrix3d off = body.inertia - body.inertia(0, 0) * Eigen::Matrix3d::Identity();
  for (int k = tree.velocity_first; k < tree.velocity_end; ++k) {
    if (model.parameters().damping[k] != 0.0 || model.parameters().armature[k] != 0.0) return false;
  }
  return body.center_of_mass.isZero(0.0) && off.cwiseAbs().maxCoeff() <= 1e-15 * body.inertia(0, 0);
}

void find_trees(const Model& model, Workspace::Memory& memory) {
  memory.tree_of_body.resize(index(model.body_count()));
  for (int i = 0; i < model.body_count(); ++i) {
    const BodyConstants& body = model.constants()[index(i)];
    if (body.parent < 0) {
      const BodyConstants& last = model.constants()[index(body.subtree_end - 1)];
      Tree tree{.root = i,
                .end = body.subtree_end,
                .velocity_first = body.velocity_index,
                .velocity_end = last.velocity_index + last.velocity_count};
      tree.single = body.joint == JointKind::floating && !body.kinematic && tree.end == i + 1;
      tree.steady = is_steady(model, tree);
      memory.trees.push_back(tree);
    }
    if (body.kinematic) memory.prescribed.push_back(body.velocity_index);
    memory.tree_of_body[index(i)] = body.kinematic ? -1 : static_cast<int>(memory.trees.size()) - 1;
  }
  memory.tree_parent.resize(memory.trees.size());
  memory.tree_times.resize(memory.trees.size());
  memory.island_of_tree.resize(memory.trees.size());
}

void find_joints(const Model& model, Workspace::Memory& memory) {
  for (const Joint& joint : model.joints()) {
    const bool spherical = joint.kind == JointKind::spherical;
    const bool limited =
        std::isfinite(joint.limits.upper) || (!spherical && std::isfinite(joint.limits.lower));
    if (limited && (spherical || velocity_size(joint.kind) == 1)) {
      memory.limited_joints.push_back(joint.body);
    }
  }
  for (int k = 0; k < model.velocity_count(); ++k) {
    const int body = model.degrees_of_freedom()[index(k)].body;
    if (model.parameters().friction[k] > 0.0 && !model.constants()[index(body)].kinematic) {
      memory.rubbing.push_back(k);
    }
  }
}

void find_surfaces(const Model& model, Workspace::Memory& memory) {
  for (const Shape& shape : model.shapes()) {
    Workspace::Memory::ShapeOffset offset;
    const Eigen::Matrix3d rotation = shape.pose.linear();
    offset.rotation = from_eigen(rotation);
    offset.position = from_eigen(Eigen::Vector3d(shape.pose.translation()));
    offset.body = shape.body;
    offset.tree = shape.body < 0 ? -1 : memory.tree_of_body[index(shape.body)];
    offset.material = shape.material;
    offset.surface_velocity = from_eigen(shape.surface_velocity);
    const bool runs = !shape.surface_velocity.isZero(0.0);
    offset.round = shape.kind == ShapeKind::sphere && !runs;
    offset.turned = rotation != Eigen::Matrix3d::Identity();
    offset.shifted = !shape.pose.translation().isZero(0.0);
    memory.shape_offsets.push_back(offset);
    memory.has_conveyors |= runs;
  }
  const ModelParameters& parameters = model.parameters();
  for (const Material& material : parameters.materials) {
    memory.has_bouncers |= material.restitution > 0.0;
  }
  for (const MaterialPair& pair : parameters.material_pairs) {
    memory.has_bouncers |= pair.restitution > 0.0;
  }
}

/// What Model::contact_material() says where no pair of shapes has its own friction.
void tabulate_materials(const Model& model, Workspace::Memory& memory) {
  const std::vector<Material>& materials = model.materials();
  if (materials.size() > most_tabled_materials || !model.contact_pairs().empty()) return;
  for (const Material& a : materials) {
    for (const Material& b : materials) {
      memory.material_table.push_back({std::max(a.friction, b.friction),
                                       std::max(a.restitution, b.restitution),
                                       std::max(a.restitution_threshold, b.restitution_threshold)});
    }
  }
  const std::size_t n = materials.size();
  for (const MaterialPair& pair : model.parameters().material_pairs) {
    const ContactMaterial own{pair.friction, pair.restitution, pair.restitution_threshold};
    memory.material_table[index(pair.material_a) * n + index(pair.material_b)] = own;
    memory.material_table[index(pair.material_b) * n + index(pair.material_a)] = own;
  }
}

}  // namespace

Workspace::Memory::Memory(const Model& the_model)
    : model(the_model),
      data(the_model),
      scratch(the_model),
      forces(the_model),
      collider(the_model) {
  find_trees(model, *this);
  find_joints(model, *this);
  find_surfaces(model, *this);
  tabulate_materials(model, *this);
  const std::size_t n = index(model.velocity_count());
  for (std::vector<double>* numbers :
       {&acceleration, &v_free, &v_next, &move, &stage_v, &stage_tau, &stage_dv, &stage_xi,
        &stage_rate, &sum_v, &sum_dv, &result_actuators, &result_accelerations}) {
    numbers->resize(n);
  }
  q_next.resize(index(model.position_count()));
  stage_q.resize(q_next.size());
  external.resize(index(model.body_count()));
  body_impulses.resize(external.size());
  workers.emplace_back(model);
}

ContactMaterial Workspace::Memory::material(int shape_a, int shape_b) const {
  if (material_table.empty()) return model.contact_material(shape_a, shape_b);
  const std::size_t a = index(shape_offsets[index(shape_a)].material);
  const std::size_t b = index(shape_offsets[index(shape_b)].material);
  return material_table[a * model.materials().size() + b];
}

Workspace::Workspace(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

const DynamicsData<double>& Workspace::dynamics() const { return memory_->data; }
const Collider& Workspace::collider() const { return memory_->collider; }

std::span<const double> Workspace::actuator_forces() const {
  memory_->forces.actuator_forces(memory_->v_next, memory_->result_actuators);
  return memory_->result_actuators;
}

std::span<const double> Workspace::accelerations() const { return memory_->result_accelerations; }

const ContactProblem* Workspace::last_problem() const {
  if (memory_->workers.empty() || memory_->workers.front().solver == nullptr) return nullptr;
  return &memory_->workers.front().problem;
}

std::span<const Force<double>> Workspace::constraint_impulses() const {
  Memory& memory = *memory_;
  std::ranges::fill(memory.body_impulses, Force<double>{});
  const auto add = [&](int body, const Vector3<double>& point, const Vector3<double>& impulse,
                       const Vector3<double>& moment, double sign) {
    if (body < 0) return;
    const Vector3<double> arm = point - memory.data.bodies[index(body)].position;
    Force<double>& sum = memory.body_impulses[index(body)];
    sum.linear = multiply_add(sign, impulse, sum.linear);
    sum.angular = multiply_add(sign, cross(arm, impulse) + moment, sum.angular);
  };
  const auto add_pair = [&](const ContactPoint<double>& contact, const double* rows, bool turning) {
    const Vector3<double> impulse = contact.axes * Vector3<double>{rows[0], rows[1], rows[2]};
    const Vector3<double> moment =
        turning ? contact.axes * Vector3<double>{rows[3], rows[4], rows[5]} : Vector3<double>{};
    add(contact.body_b, contact.point, impulse, moment, 1.0);
    add(contact.body_a, contact.point, impulse, moment, -1.0);
  };
  const int contacts = static_cast<int>(memory.candidates.size());
  for (int i = 0; i < contacts; ++i) {
    add_pair(memory.candidates[index(i)].contact, memory.impulse_of(i), false);
  }
  for (std::size_t i = 0; i < memory.constraints.size(); ++i) {
    const Constraint& constraint = memory.constraints[i];
    if (constraint.rows == 1) continue;
    add_pair(constraint.contact, memory.impulse_of(contacts + static_cast<int>(i)),
             constraint.rows == 6);
  }
  return memory.body_impulses;
}

}  // namespace stiction
