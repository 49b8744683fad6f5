// A quadruped stands on its feet, held by a spring and damper (PD) on each joint. The PD acts
// implicitly, so stiff gains are stable. Torques stay within the limits of the joints.

#include <Eigen/Core>
#include <cstdio>
#include <exception>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file =
      argc > 1 ? std::filesystem::path(argv[1]) : stiction::models_folder() / "anymal_lumped.xml";
  stiction::Simulation simulation(stiction::load_model(file).model);
  const stiction::Model& model = simulation.model();

  // Standing: each leg's roll, hip and knee; front and hind legs mirror each other.
  for (const stiction::Joint& joint : model.joints()) {
    if (joint.kind == stiction::JointKind::floating) continue;
    const bool front = joint.name.substr(1, 1) == "F";
    const std::string part = joint.name.substr(3);
    const double angle = part == "HFE" ? 0.7 : part == "KFE" ? -0.9143 : 0.0;
    const double target = front ? angle : -angle;
    simulation.state().q[joint.position_index] = target;
    simulation.servos().push_back({.velocity_index = joint.velocity_index,
                                   .position_target = target,
                                   .stiffness = 400.0,
                                   .damping = 20.0});
  }
  simulation.state().q[2] = 0.5;

  simulation.run(2.0);
  const Eigen::Vector3d settled = simulation.state().q.head<3>();
  std::printf("settled with its base at %.4f m\n", settled.z());

  // Push it sideways for a tenth of a second.
  for (int i = 0; i < 100; ++i) {
    simulation.push({.body = 0, .force = {0.0, 60.0, 0.0}});
    simulation.step();
  }
  std::printf("pushed with 60 N: %.1f mm aside\n", 1e3 * (simulation.state().q[1] - settled.y()));

  simulation.run(2.0);
  const Eigen::Vector3d rest = simulation.state().q.head<3>();
  const stiction::StepReport& report = simulation.run(1.0);
  const double creep = (simulation.state().q.head<3>() - rest).norm();
  std::printf(
      "two seconds later it stands %.1f mm from its first position and creeps %.1e m in one "
      "second\n",
      1e3 * (rest - settled).norm(), creep);
  std::printf("%zu contacts, %s\n", report.contacts.size(), to_string(report.status).data());
  return report.ok() && rest.z() > 0.4 && creep < 1e-6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
