#include "stiction/model/model.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/model/model_structure.hpp"
#include "stiction/model/number_checks.hpp"

namespace stiction {

namespace {

std::optional<int> find(const std::unordered_map<std::string, int>& map, std::string_view name) {
  const auto found = map.find(std::string(name));
  if (found == map.end()) return std::nullopt;
  return found->second;
}

bool all_at_least_zero(const Eigen::VectorXd& values) {
  return values.allFinite() && (values.size() == 0 || values.minCoeff() >= 0.0);
}

/// What with_parameters() refuses: sizes that do not match, and numbers no robot can have.
ProblemList parameter_problems(const ModelParameters& now, const ModelParameters& wished,
                               const std::vector<std::string>& body_names,
                               const std::vector<BodyConstants>& constants) {
  ProblemList problems;
  const auto require = [&problems](bool holds, const char* element, const char* what,
                                   const char* remedy) {
    if (!holds) problems.error({{}, 0, element}, what, remedy);
  };
  const char* sizes = "does not have the size that it has in the model";
  const char* copy = "start from a copy of Model::parameters()";
  require(wished.bodies.size() == now.bodies.size(), "parameters.bodies", sizes, copy);
  require(wished.materials.size() == now.materials.size(), "parameters.materials", sizes, copy);
  require(wished.actuators.size() == now.actuators.size(), "parameters.actuators", sizes, copy);
  const char* positive = "contains a negative number, NaN or infinity";
  const char* give = "give finite numbers that are not negative";
  const auto require_vector = [&](const Eigen::VectorXd& value, const Eigen::VectorXd& old,
                                  const char* element) {
    require(value.size() == old.size(), element, sizes, copy);
    require(all_at_least_zero(value), element, positive, give);
  };
  require_vector(wished.damping, now.damping, "parameters.damping");
  require_vector(wished.friction, now.friction, "parameters.friction");
  require_vector(wished.armature, now.armature, "parameters.armature");
  require_vector(wished.stiffness, now.stiffness, "parameters.stiffness");
  require(wished.gravity.allFinite(), "parameters.gravity", "contains NaN or infinity",
          "give finite numbers in m/s²");
  for (const Material& material : wished.materials) check_material(material, problems);
  check_material_pairs(wished.material_pairs, wished.materials, problems);
  for (std::size_t i = 0; i < wished.actuators.size(); ++i) {
    const Actuator& actuator = wished.actuators[i];
    check_changed_actuator(i < now.actuators.size() ? now.actuators[i] : actuator, actuator,
                           problems);
  }
  if (wished.bodies.size() != now.bodies.size()) return problems;
  const bool readable = wished.armature.size() == now.armature.size();
  for (std::size_t i = 0; i < wished.bodies.size(); ++i) {
    const BodyConstants& joint = constants[i];
    const bool is_leaf = static_cast<std::size_t>(joint.subtree_end) == i + 1;
    check_changed_body(body_names[i], joint, is_leaf && readable,
                       readable ? wished.armature[joint.velocity_index] : 0.0, now.bodies[i],
                       wished.bodies[i], problems);
  }
  return problems;
}

}  // namespace

std::string_view to_string(JointKind kind) {
  constexpr std::array<std::string_view, 7> names{
      "fixed", "revolute", "continuous", "prismatic", "spherical", "planar", "floating"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ShapeKind kind) {
  constexpr std::array<std::string_view, 8> names{"sphere",    "box",   "capsule",      "cylinder",
                                                  "ellipsoid", "plane", "height field", "mesh"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ActuatorKind kind) {
  constexpr std::array<std::string_view, 4> names{"motor", "position", "velocity", "general"};
  return names[static_cast<std::size_t>(kind)];
}

void ModelParameters::scale_mass(int body, double factor) {
  BodyInertia& entry = bodies.at(static_cast<std::size_t>(body));
  entry.mass *= factor;
  entry.inertia *= factor;
}

Model::Model(std::shared_ptr<const Structure> structure, ModelParameters parameters)
    : structure_(std::move(structure)),
      numbers_(std::make_shared<ModelNumbers>(structure_->bodies, structure_->joints,
                                              std::move(parameters))) {}

const std::string& Model::name() const { return structure_->name; }
int Model::position_count() const { return structure_->position_count; }
int Model::activation_count() const { return structure_->activation_count; }
int Model::velocity_count() const { return structure_->velocity_count; }
double Model::time_step() const { return structure_->time_step; }

double Model::total_mass() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < constants().size(); ++i) {
    if (!constants()[i].kinematic) sum += parameters().bodies[i].mass;
  }
  return sum;
}

const std::vector<Joint>& Model::joints() const { return structure_->joints; }

const std::string& Model::body_name(int body) const {
  static const std::string world = "world";
  if (body < 0) return world;
  return structure_->body_names[static_cast<std::size_t>(body)];
}

Eigen::Isometry3d Model::joint_pose(int body) const {
  const BodyConstants& body_constants = constants()[static_cast<std::size_t>(body)];
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = to_eigen(body_constants.joint_rotation);
  pose.translation() = to_eigen(body_constants.joint_translation);
  return pose;
}

Eigen::Vector3d Model::joint_axis(int body) const {
  return to_eigen(constants()[static_cast<std::size_t>(body)].axis);
}

const std::vector<Frame>& Model::frames() const { return structure_->frames; }
const std::vector<Shape>& Model::shapes() const { return structure_->shapes; }
const std::vector<Mesh>& Model::meshes() const { return structure_->meshes; }
const std::vector<HeightField>& Model::height_fields() const { return structure_->height_fields; }
const std::vector<Sensor>& Model::sensors() const { return structure_->sensors; }
const std::vector<Coupling>& Model::couplings() const { return structure_->couplings; }
const std::vector<Tendon>& Model::tendons() const { return structure_->tendons; }
const Fluid& Model::fluid() const { return structure_->fluid; }
const std::vector<GravityCompensation>& Model::gravity_compensation() const {
  return structure_->gravity_compensation;
}
const std::vector<Keyframe>& Model::keyframes() const { return structure_->keyframes; }
const std::vector<ContactPair>& Model::contact_pairs() const { return structure_->contact_pairs; }

const std::vector<DegreeOfFreedom>& Model::degrees_of_freedom() const {
  return structure_->degrees_of_freedom;
}

std::optional<int> Model::find_body(std::string_view name) const {
  return find(structure_->body_by_name, name);
}
std::optional<int> Model::find_joint(std::string_view name) const {
  return find(structure_->joint_by_name, name);
}
std::optional<int> Model::find_frame(std::string_view name) const {
  return find(structure_->frame_by_name, name);
}
std::optional<int> Model::find_actuator(std::string_view name) const {
  return find(structure_->actuator_by_name, name);
}
std::optional<int> Model::find_keyframe(std::string_view name) const {
  return find(structure_->keyframe_by_name, name);
}

bool Model::may_collide(int shape_a, int shape_b) const {
  const Shape& a = structure_->shapes[static_cast<std::size_t>(shape_a)];
  const Shape& b = structure_->shapes[static_cast<std::size_t>(shape_b)];
  const auto same_pair = [shape_a, shape_b](const ContactPair& pair) {
    return (pair.shape_a == shape_a && pair.shape_b == shape_b) ||
           (pair.shape_a == shape_b && pair.shape_b == shape_a);
  };
  if (std::ranges::any_of(structure_->contact_pairs, same_pair)) return true;
  if (!a.collides || !b.collides || a.body == b.body) return false;
  const bool groups_meet =
      (a.collision_group & b.collision_mask) != 0 || (b.collision_group & a.collision_mask) != 0;
  const auto links = std::minmax({structure_->shape_links[static_cast<std::size_t>(shape_a)],
                                  structure_->shape_links[static_cast<std::size_t>(shape_b)]});
  return groups_meet && !structure_->excluded_bodies.contains(std::minmax(a.body, b.body)) &&
         !structure_->excluded_links.contains(links);
}

ContactMaterial Model::contact_material(int shape_a, int shape_b) const {
  const Shape& shape_of_a = structure_->shapes[static_cast<std::size_t>(shape_a)];
  const Shape& shape_of_b = structure_->shapes[static_cast<std::size_t>(shape_b)];
  ContactMaterial result = material_between(shape_of_a.material, shape_of_b.material);
  for (const ContactPair& pair : structure_->contact_pairs) {
    if (pair.friction >= 0.0 &&
        std::minmax(pair.shape_a, pair.shape_b) == std::minmax(shape_a, shape_b)) {
      result.friction = pair.friction;
      result.spin_friction = pair.spin_friction;
      result.roll_friction = pair.roll_friction;
    }
  }
  return result;
}

const Eigen::VectorXd& Model::initial_positions() const { return structure_->initial_positions; }

State Model::initial_state() const {
  State state{0.0, initial_positions(), Eigen::VectorXd::Zero(velocity_count())};
  state.activation.setZero(activation_count());
  return state;
}

State Model::keyframe_state(int keyframe) const {
  const Keyframe& key = structure_->keyframes.at(static_cast<std::size_t>(keyframe));
  State state{key.time, key.q, key.v};
  state.activation = key.activation;
  return state;
}

Model Model::with_parameters(ModelParameters parameters) const {
  ProblemList problems =
      parameter_problems(this->parameters(), parameters, structure_->body_names, constants());
  if (problems.has_errors()) throw InputError(std::move(problems));
  return Model(structure_, std::move(parameters));
}

}  // namespace stiction
