#include "bench/peers/peer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

namespace stiction::bench {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(fmt::format("the comparison cannot build {} in every engine", what));
}

}  // namespace

std::vector<ScalarJoint> scalar_joints(const Model& model) {
  std::vector<ScalarJoint> joints;
  for (const Joint& joint : model.joints()) {
    if (velocity_size(joint.kind) != 1) continue;
    joints.push_back({joint.body, joint.position_index, joint.velocity_index,
                      joint.kind != JointKind::prismatic});
  }
  return joints;
}

void check_peer_model(const PeerModel& scene) {
  const Model& model = scene.model;
  for (const Joint& joint : model.joints()) {
    const bool known = velocity_size(joint.kind) == 1 || joint.kind == JointKind::floating;
    if (!known || joint.kinematic) refuse(fmt::format("joint '{}'", joint.name));
    const bool turns_freely = std::isinf(joint.limits.lower) && std::isinf(joint.limits.upper) &&
                              std::isinf(joint.limits.velocity);
    if (!turns_freely) refuse(fmt::format("the limits of joint '{}'", joint.name));
  }
  const ModelParameters& numbers = model.parameters();
  for (const Eigen::VectorXd* values : {&numbers.damping, &numbers.armature, &numbers.friction}) {
    if (values->size() > 0 && values->maxCoeff() > 0.0) {
      refuse("damping, armature or friction of joints");
    }
  }
  if (model.spring_stiffness().size() > 0 && model.spring_stiffness().maxCoeff() > 0.0) {
    refuse("springs of joints");
  }
  if (!model.couplings().empty() || !model.tendons().empty()) refuse("couplings and tendons");
  const std::vector<char> touching = touching_shapes(model);
  for (std::size_t k = 0; k < touching.size(); ++k) {
    if (touching[k] == 0) continue;
    const Shape& shape = model.shapes()[k];
    const Material& material = model.materials()[static_cast<std::size_t>(shape.material)];
    const double friction = material.frictionless ? 0.0 : material.friction;
    if (friction != scene.friction) refuse("shapes of different friction");
  }
}

std::vector<char> touching_shapes(const Model& model) {
  const int count = static_cast<int>(model.shapes().size());
  std::vector<char> touching(static_cast<std::size_t>(count), 0);
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (!model.may_collide(a, b)) continue;
      touching[static_cast<std::size_t>(a)] = touching[static_cast<std::size_t>(b)] = 1;
    }
  }
  return touching;
}

std::vector<PeerEntry> all_peers() {
  std::vector<PeerEntry> entries = stiction_peers();
  for (const auto& others : {mujoco_peers(), bullet_peers(), ode_peers(), dart_peers()}) {
    entries.insert(entries.end(), others.begin(), others.end());
  }
  return entries;
}

std::vector<PeerEngineName> missing_peers() {
  std::vector<PeerEngineName> missing;
  if (mujoco_peers().empty()) missing.push_back({"MuJoCo", "libmujoco-dev"});
  if (bullet_peers().empty()) missing.push_back({"Bullet", "libbullet-dev"});
  if (ode_peers().empty()) missing.push_back({"ODE", "libode-dev"});
  if (dart_peers().empty()) {
    missing.push_back({"DART", "libdart-utils-urdf-dev libdart-external-ikfast-dev"});
  }
  return missing;
}

}  // namespace stiction::bench
