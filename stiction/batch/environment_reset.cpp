#include "stiction/batch/environment_reset.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "stiction/core/mixer.hpp"

namespace stiction {

namespace {

double draw(Random& random, double spread) { return spread * random.uniform(-1.0, 1.0); }

void disturb_base(const Joint& joint, const RandomSpread& spread, Random& random, State& state) {
  auto position = state.q.segment<3>(joint.position_index);
  position.x() += draw(random, spread.base_position);
  position.y() += draw(random, spread.base_position);
  position.z() += spread.base_height * random.uniform();
  Eigen::Map<Eigen::Quaterniond> turn(state.q.data() + joint.position_index + 3);
  const double yaw = draw(random, spread.base_yaw);
  turn = (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * turn).normalized();
  auto velocity = state.v.segment<6>(joint.velocity_index);
  for (int k = 0; k < 3; ++k) velocity[k] += draw(random, spread.base_velocity);
  for (int k = 3; k < 6; ++k) velocity[k] += draw(random, spread.base_turning);
}

}  // namespace

void disturb(const Model& model, const RandomSpread& spread, Random& random, State& state) {
  for (const Joint& joint : model.joints()) {
    if (joint.kinematic) continue;
    if (joint.kind == JointKind::floating) {
      disturb_base(joint, spread, random, state);
    } else if (velocity_size(joint.kind) == 1) {
      double& q = state.q[joint.position_index];
      const double moved = q + draw(random, spread.joint_position);
      // A joint that starts beyond its limits is not brought back: it only may not go further.
      q = std::clamp(moved, std::min(q, joint.limits.lower), std::max(q, joint.limits.upper));
      state.v[joint.velocity_index] += draw(random, spread.joint_velocity);
    }
  }
}

Random random_of_reset(std::uint64_t seed, std::uint64_t environment, std::uint64_t reset) {
  Mixer mixer;
  mixer.add(seed);
  mixer.add(environment);
  mixer.add(reset);
  return Random(mixer.result());
}

std::string fault_of(const RandomSpread& spread) {
  const std::pair<const char*, double> numbers[] = {{"joint_position", spread.joint_position},
                                                    {"joint_velocity", spread.joint_velocity},
                                                    {"base_position", spread.base_position},
                                                    {"base_height", spread.base_height},
                                                    {"base_yaw", spread.base_yaw},
                                                    {"base_velocity", spread.base_velocity},
                                                    {"base_turning", spread.base_turning}};
  for (const auto& [name, value] : numbers) {
    if (value >= 0.0 && std::isfinite(value)) continue;
    return fmt::format("the random spread {} is {}; give a finite number from 0 up", name, value);
  }
  return {};
}

}  // namespace stiction
