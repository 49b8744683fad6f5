#include "stiction/model/model_numbers.hpp"

#include <algorithm>
#include <utility>

#include "stiction/core/index.hpp"
#include "stiction/model/contact_material.hpp"

namespace stiction {

namespace {

/// With more materials than this, pairs are not tabulated.
constexpr std::size_t most_tabled_materials = 64;

RigidInertia<double> about_origin(const BodyInertia& body) {
  const Eigen::Vector3d& c = body.center_of_mass;
  const Eigen::Matrix3d inertia =
      body.inertia +
      body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return {body.mass, from_eigen(Eigen::Vector3d(body.mass * c)), symmetric_from_eigen(inertia)};
}

/// A free body with equal moments of inertia about its origin falls with one acceleration, whatever
/// its state.
bool is_uniform(const BodyConstants& body, const ModelParameters& parameters, int i) {
  if (body.joint != JointKind::floating || body.kinematic) return false;
  for (int k = body.velocity_index; k < body.velocity_index + body.velocity_count; ++k) {
    if (parameters.damping[k] != 0.0 || parameters.armature[k] != 0.0) return false;
  }
  const BodyInertia& own = parameters.bodies[index(i)];
  const Eigen::Matrix3d off = own.inertia - own.inertia(0, 0) * Eigen::Matrix3d::Identity();
  return own.center_of_mass.isZero(0.0) && off.cwiseAbs().maxCoeff() <= 1e-15 * own.inertia(0, 0);
}

bool names(const MaterialPair& pair, int a, int b) {
  return (pair.material_a == a && pair.material_b == b) ||
         (pair.material_a == b && pair.material_b == a);
}

}  // namespace

ModelNumbers::ModelNumbers(std::vector<BodyConstants> bodies, std::span<const Joint> joints,
                           ModelParameters values)
    : parameters(std::move(values)),
      constants(std::move(bodies)),
      spring_stiffness(Eigen::VectorXd::Zero(parameters.damping.size())),
      falls_uniformly(constants.size()),
      is_passive_(static_cast<std::size_t>(parameters.damping.size())),
      bounces_(parameters.materials.size()),
      turns_(parameters.materials.size()) {
  for (const Joint& joint : joints) {
    update_spring(joint);
    for (int k = 0; k < velocity_size(joint.kind); ++k) {
      update_dof(joint.velocity_index + k, joint.body);
    }
  }
  for (std::size_t i = 0; i < constants.size(); ++i) update_body(static_cast<int>(i));
  const std::size_t count = parameters.materials.size();
  if (count <= most_tabled_materials) material_table.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) update_material(static_cast<int>(i));
  bouncing_entries += static_cast<int>(std::ranges::count_if(
      parameters.material_pairs, [](const MaterialPair& pair) { return pair.restitution > 0.0; }));
  turning_entries += static_cast<int>(
      std::ranges::count_if(parameters.material_pairs, [](const MaterialPair& pair) {
        return pair.spin_friction > 0.0 || pair.roll_friction > 0.0;
      }));
}

void ModelNumbers::update_body(int body) {
  BodyConstants& entry = constants[index(body)];
  const BodyInertia& own = parameters.bodies[index(body)];
  entry.inertia = about_origin(own);
  entry.weightless = own.mass == 0.0 && own.inertia.isZero(0.0);
  falls_uniformly[index(body)] = is_uniform(entry, parameters, body) ? 1 : 0;
}

void ModelNumbers::update_dof(int velocity, int body) {
  const BodyConstants& entry = constants[index(body)];
  const bool rubs = parameters.friction[velocity] > 0.0 && !entry.kinematic;
  const auto place = std::ranges::lower_bound(friction_dofs, velocity);
  const bool listed = place != friction_dofs.end() && *place == velocity;
  if (rubs && !listed) friction_dofs.insert(place, velocity);
  if (!rubs && listed) friction_dofs.erase(place);
  falls_uniformly[index(body)] = is_uniform(entry, parameters, body) ? 1 : 0;
  update_passive(velocity);
}

void ModelNumbers::update_spring(const Joint& joint) {
  const bool springy = joint.kind == JointKind::spherical || velocity_size(joint.kind) == 1;
  for (int k = 0; k < velocity_size(joint.kind); ++k) {
    spring_stiffness[joint.velocity_index + k] = springy ? parameters.stiffness[joint.body] : 0.0;
    update_passive(joint.velocity_index + k);
  }
}

void ModelNumbers::update_material(int material) {
  const int count = static_cast<int>(parameters.materials.size());
  for (int other = 0; other < count && !material_table.empty(); ++other) {
    material_table[index(material * count + other)] = look_up(material, other);
    material_table[index(other * count + material)] = look_up(other, material);
  }
  const char bounces = parameters.materials[index(material)].restitution > 0.0 ? 1 : 0;
  bouncing_entries += bounces - std::exchange(bounces_[index(material)], bounces);
  const char turns = friction_dimensions(parameters.materials[index(material)]) > 3 ? 1 : 0;
  turning_entries += turns - std::exchange(turns_[index(material)], turns);
}

void ModelNumbers::update_passive(int velocity) {
  const bool acts = spring_stiffness[velocity] > 0.0 || parameters.damping[velocity] > 0.0;
  const char passive = acts ? 1 : 0;
  passive_dofs += passive - std::exchange(is_passive_[index(velocity)], passive);
}

ContactMaterial ModelNumbers::material_between(int material_a, int material_b) const {
  if (material_table.empty()) return look_up(material_a, material_b);
  return material_table[index(material_a) * parameters.materials.size() + index(material_b)];
}

ContactMaterial ModelNumbers::look_up(int material_a, int material_b) const {
  const Material& a = parameters.materials[index(material_a)];
  const Material& b = parameters.materials[index(material_b)];
  for (std::size_t i = parameters.material_pairs.size(); i-- > 0;) {
    const MaterialPair& pair = parameters.material_pairs[i];
    if (names(pair, material_a, material_b)) return with_springs(contact_material(pair), a, b);
  }
  return combine(a, b);
}

}  // namespace stiction
