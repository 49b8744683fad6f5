// Thousands of robots at once: states and inputs as arrays, each robot with its own mass and
// friction, fallen ones reset by a mask.

#include <cstdio>
#include <stiction/batch/batch.hpp>
#include <stiction/core/paths.hpp>
#include <stiction/io/load.hpp>
#include <vector>

int main() {
  using namespace stiction;
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  constexpr int count = 256;
  Batch batch(model, count);  // all cores

  // Each robot gets numbers of its own, and starts near the keyframe.
  std::vector<double> mass(count), friction(count);
  for (int i = 0; i < count; ++i) {
    mass[static_cast<std::size_t>(i)] = 0.9 + 0.2 * i / count;
    friction[static_cast<std::size_t>(i)] = 0.5 + 0.5 * i / count;
  }
  batch.scale_masses(mass);
  batch.scale_friction(friction);
  const RandomSpread spread{.joint_position = 0.1, .base_height = 0.05, .base_yaw = 3.0};
  batch.reset_randomly("stand", spread, 1);

  // Servos hold the joints; their targets are an array that a policy would write.
  std::vector<JointServo> servos;
  const State stand = model.keyframe_state(*model.find_keyframe("stand"));
  for (const Joint& joint : model.joints()) {
    if (velocity_size(joint.kind) != 1) continue;
    servos.push_back({.velocity_index = joint.velocity_index,
                      .position_target = stand.q[joint.position_index],
                      .stiffness = 100.0,
                      .damping = 2.0});
  }
  batch.set_servos(servos);

  const auto nq = static_cast<std::size_t>(model.position_count());
  int falls = 0;
  for (int k = 0; k < 50; ++k) {
    batch.step(20);  // 20 ms with the same targets
    // Who has fallen starts again; the others go on.
    std::vector<std::uint8_t> fallen(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double height = batch.positions()[i * nq + 2];
      fallen[i] = height < 0.25 || batch.frozen()[i] != 0 ? 1 : 0;
      falls += fallen[i];
    }
    batch.reset_randomly("stand", spread, 1, fallen);
  }

  const RunCounts counts = batch.counts();
  std::printf("%lld steps, %lld not certified, %d falls\n", counts.steps, counts.not_certified,
              falls);
  for (int i = 0; i < count; ++i) {
    if (!batch.fault(i).empty()) std::printf("%s\n", batch.fault(i).c_str());
  }
  return counts.steps == 256LL * 50 * 20 && counts.not_certified == 0 ? 0 : 1;
}
