// Two fingers of an arm hold a 1 kg box by friction alone. The box does not creep. If the grip is
// too weak, it falls.

#include <cstdio>
#include <exception>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file = argc > 1
                                         ? std::filesystem::path(argv[1])
                                         : stiction::models_folder() / "scenes" / "gripper.xml";
  stiction::Simulation simulation(stiction::load_model(file).model);
  const stiction::Model& model = simulation.model();
  simulation.reset_to_keyframe("hold");
  const auto object = [&] {
    return pose_of(model, simulation.state(), "object").translation().eval();
  };

  const Eigen::Vector3d start = object();
  simulation.run(3.0);
  const Eigen::Vector3d settled = object();
  std::printf("grip of %.0f N: the arm sags by %.2f mm under the load\n", simulation.control()[3],
              1e3 * (start.z() - settled.z()));
  const stiction::StepReport& held = simulation.run(1.0);
  const double creep = (object() - settled).norm();
  std::printf("then the box creeps %.1e m in one second; %zu contacts, %s\n", creep,
              held.contacts.size(), to_string(held.status).data());
  bool right = held.ok() && creep < 1e-6;

  // Each finger carries half the weight. This needs a grip of m g / (2 µ) = 6.13 N.
  for (const double grip : {6.5, 5.5}) {
    simulation.control().tail<2>().setConstant(grip);
    const double before = object().z();
    simulation.run(0.3);
    const double fallen = before - object().z();
    std::printf("grip of %.1f N: the box %s (%.2f mm in 0.3 s)\n", grip,
                fallen > 0.01 ? "falls" : "holds", 1e3 * fallen);
    right &= (fallen > 0.01) == (grip < 6.13);
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
