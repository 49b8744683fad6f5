#include "python/source/sourced_model.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "python/source/bindings.hpp"
#include "stiction/core/mixer.hpp"
#include "stiction/record/page.hpp"

namespace stiction::python {

namespace {

void require_count(const std::string& what, const std::vector<double>& numbers, std::size_t count) {
  if (numbers.size() == count) return;
  refuse(fmt::format("{}: {} numbers were given; give {}", what, numbers.size(), count));
}

const Joint& joint_to_change(const Model& model, const std::string& what, const std::string& name) {
  const auto found = model.find_joint(name);
  if (!found) refuse(fmt::format("{}: there is no joint '{}'", what, name));
  return model.joint(*found);
}

}  // namespace

SourcedModel::SourcedModel(Model model, ModelSource source, std::string start)
    : Model(model),
      origin_(std::make_shared<const Origin>(
          Origin{std::move(source), model, std::move(start),
                 std::make_shared<const ModelIdentity>(identity_of(model))})) {}

void SourcedModel::change(const std::string& what, const std::string& name,
                          const std::vector<double>& numbers) {
  apply(what, name, numbers);
  changes_[{what, name}] = numbers;
}

void SourcedModel::apply(const std::string& what, const std::string& name,
                         const std::vector<double>& numbers) {
  require_count(what, numbers, what == "gravity" ? 3 : what == "actuator_gains" ? 6 : 1);
  if (what == "gravity") {
    set_gravity({numbers[0], numbers[1], numbers[2]});
  } else if (what == "body_mass") {
    // From the mass of the file: two changes in a row have the bits of the second alone.
    const int body = body_of(*this, name);
    BodyInertia inertia = origin_->model.body_inertia(body);
    inertia.inertia *= inertia.mass > 0.0 ? numbers[0] / inertia.mass : 1.0;
    inertia.mass = numbers[0];
    set_body_inertia(body, inertia);
  } else if (what == "friction") {
    bool found = false;
    Model changed = *this;
    for (std::size_t i = 0; i < materials().size(); ++i) {
      Material value = materials()[i];
      if (!name.empty() && value.name != name) continue;
      found = true;
      value.friction = numbers[0];
      changed.set_material(static_cast<int>(i), value);
    }
    if (!found) {
      refuse(fmt::format("there is no material '{}'; Model.material_names lists them", name));
    }
    static_cast<Model&>(*this) = changed;
  } else if (what == "actuator_gains") {
    const auto found = find_actuator(name);
    if (!found) refuse(fmt::format("there is no actuator '{}'", name));
    Actuator actuator = actuators()[static_cast<std::size_t>(*found)];
    for (std::size_t k = 0; k < 3; ++k) {
      actuator.gain[k] = numbers[k];
      actuator.bias[k] = numbers[3 + k];
    }
    set_actuator(*found, actuator);
  } else {
    const Joint& joint = joint_to_change(*this, what, name);
    if (what == "joint_stiffness") return set_stiffness(joint.body, numbers[0]);
    Model changed = *this;
    for (int k = 0; k < velocity_size(joint.kind); ++k) {
      const int entry = joint.velocity_index + k;
      if (what == "joint_damping") {
        changed.set_damping(entry, numbers[0]);
      } else if (what == "joint_friction") {
        changed.Model::set_friction(entry, numbers[0]);
      } else if (what == "joint_armature") {
        changed.set_armature(entry, numbers[0]);
      } else {
        refuse(fmt::format("a model has no number '{}'", what));
      }
    }
    static_cast<Model&>(*this) = changed;
  }
}

std::uint64_t SourcedModel::fingerprint() const {
  const Model& model = origin_->model;
  Mixer mixer;
  mixer.add(scene_json(model));
  mixer.add(hash(model.initial_state()));
  for (const BodyInertia& body : model.parameters().bodies) {
    mixer.add(body.mass);
    for (int k = 0; k < 3; ++k) mixer.add(body.center_of_mass[k]);
    for (int k = 0; k < 9; ++k) mixer.add(body.inertia.data()[k]);
  }
  for (int k = 0; k < model.velocity_count(); ++k) {
    mixer.add(model.parameters().damping[k]);
    mixer.add(model.parameters().friction[k]);
    mixer.add(model.parameters().armature[k]);
  }
  for (const Material& material : model.materials()) mixer.add(material.friction);
  for (const Actuator& actuator : model.actuators()) {
    for (const double gain : actuator.gain) mixer.add(gain);
    for (const double bias : actuator.bias) mixer.add(bias);
  }
  return mixer.result();
}

}  // namespace stiction::python
