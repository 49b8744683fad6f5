#include "stiction/record/model_identity.hpp"

#include <fmt/format.h>
#include <string_view>

#include "stiction/core/mixer.hpp"

namespace stiction {

namespace {

std::uint64_t unsigned_count(int count) { return static_cast<std::uint64_t>(count); }

}  // namespace

ModelIdentity identity_of(const Model& model) {
  Mixer mixer;
  for (int body = 0; body < model.body_count(); ++body) {
    mixer.add(std::string_view(model.body_name(body)));
    mixer.add(static_cast<std::uint64_t>(model.parent(body) + 1));
    mixer.add(to_string(model.joint(body).kind));
  }
  return {model.name(), unsigned_count(model.position_count()),
          unsigned_count(model.velocity_count()), mixer.result(),
          unsigned_count(model.activation_count())};
}

std::string difference_of(const ModelIdentity& stored, const ModelIdentity& own) {
  if (stored.name != own.name) {
    return fmt::format("it belongs to '{}', but this is '{}'", stored.name, own.name);
  }
  if (stored.position_count != own.position_count || stored.velocity_count != own.velocity_count) {
    return fmt::format("it has {} positions and {} velocities, but '{}' has {} and {}",
                       stored.position_count, stored.velocity_count, own.name, own.position_count,
                       own.velocity_count);
  }
  if (stored.activation_count != own.activation_count) {
    return fmt::format("it has {} activations of actuators, but '{}' has {}",
                       stored.activation_count, own.name, own.activation_count);
  }
  if (stored.structure != own.structure) {
    return fmt::format("bodies or joints of '{}' have other names or another order", own.name);
  }
  return {};
}

}  // namespace stiction
