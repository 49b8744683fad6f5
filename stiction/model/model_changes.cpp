// Changes of single numbers of a Model.

#include <cmath>
#include <fmt/format.h>

#include "stiction/core/index.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/model_structure.hpp"
#include "stiction/model/number_checks.hpp"

namespace stiction {

namespace {

void require(const ProblemList& problems) {
  if (problems.has_errors()) throw InputError(problems);
}

void require_index(int i, std::size_t count, const char* what) {
  if (i >= 0 && index(i) < count) return;
  ProblemList problems;
  problems.error({{}, 0, fmt::format("{} {}", what, i)}, "is not in the model",
                 count == 0 ? "the model has none" : fmt::format("give 0 to {}", count - 1));
  throw InputError(problems);
}

void require_not_negative(double value, const char* what, int i) {
  if (finite_not_negative(value)) return;
  ProblemList problems;
  problems.error({{}, 0, fmt::format("{} {}", what, i)}, fmt::format("is {}", value),
                 "give a finite number that is not negative");
  throw InputError(problems);
}

}  // namespace

ModelNumbers& Model::own_numbers() {
  if (numbers_.use_count() > 1) numbers_ = std::make_shared<ModelNumbers>(*numbers_);
  return *numbers_;
}

void Model::set_gravity(const Eigen::Vector3d& gravity) {
  ProblemList problems;
  if (!gravity.allFinite()) problems.error({{}, 0, "gravity"}, "is not finite", "give m/s²");
  require(problems);
  own_numbers().parameters.gravity = gravity;
}

void Model::set_body_inertia(int body, const BodyInertia& inertia) {
  require_index(body, constants().size(), "body");
  const BodyConstants& joint = constants()[index(body)];
  ProblemList problems;
  check_changed_body(body_name(body), joint, joint.subtree_end == body + 1,
                     parameters().armature[joint.velocity_index], body_inertia(body), inertia,
                     problems);
  require(problems);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.bodies[index(body)] = inertia;
  numbers.update_body(body);
}

void Model::set_damping(int velocity, double damping) {
  require_index(velocity, degrees_of_freedom().size(), "damping of velocity");
  require_not_negative(damping, "damping of velocity", velocity);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.damping[velocity] = damping;
  numbers.update_dof(velocity, degrees_of_freedom()[index(velocity)].body);
}

void Model::set_friction(int velocity, double friction) {
  require_index(velocity, degrees_of_freedom().size(), "friction of velocity");
  require_not_negative(friction, "friction of velocity", velocity);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.friction[velocity] = friction;
  numbers.update_dof(velocity, degrees_of_freedom()[index(velocity)].body);
}

void Model::set_armature(int velocity, double armature) {
  require_index(velocity, degrees_of_freedom().size(), "armature of velocity");
  require_not_negative(armature, "armature of velocity", velocity);
  const int body = degrees_of_freedom()[index(velocity)].body;
  const BodyConstants& joint = constants()[index(body)];
  ProblemList problems;
  check_changed_body(body_name(body), joint, joint.subtree_end == body + 1, armature,
                     body_inertia(body), body_inertia(body), problems);
  require(problems);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.armature[velocity] = armature;
  numbers.update_dof(velocity, body);
}

void Model::set_stiffness(int joint, double stiffness) {
  require_index(joint, joints().size(), "stiffness of joint");
  require_not_negative(stiffness, "stiffness of joint", joint);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.stiffness[joint] = stiffness;
  numbers.update_spring(this->joint(joint));
}

void Model::set_material(int material, const Material& value) {
  require_index(material, materials().size(), "material");
  ProblemList problems;
  check_material(value, problems);
  require(problems);
  ModelNumbers& numbers = own_numbers();
  numbers.parameters.materials[index(material)] = value;
  numbers.update_material(material);
}

void Model::set_actuator(int actuator, const Actuator& value) {
  require_index(actuator, actuators().size(), "actuator");
  ProblemList problems;
  check_changed_actuator(actuators()[index(actuator)], value, problems);
  require(problems);
  own_numbers().parameters.actuators[index(actuator)] = value;
}

}  // namespace stiction
