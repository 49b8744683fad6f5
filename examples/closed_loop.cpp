// A four-bar linkage: three bars on hinges, with the end connected to the ground (MJCF `connect`).
// A motor turns the crank, the rocker swings, and the loop stays closed.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file = argc > 1
                                         ? std::filesystem::path(argv[1])
                                         : stiction::models_folder() / "scenes" / "four_bar.xml";
  stiction::Simulation simulation(stiction::load_model(file).model);
  const stiction::Model& model = simulation.model();
  const stiction::Coupling& loop = model.couplings().front();
  stiction::DynamicsData<double> data(model);

  // Distance between the two ends of the loop.
  const auto opening = [&] {
    update_kinematics(model, data, simulation.state().q, simulation.state().v);
    const auto end = [&](int body, const Eigen::Isometry3d& pose) -> Eigen::Vector3d {
      if (body < 0) return pose.translation();
      return body_pose(data, body) * pose.translation();
    };
    return (end(loop.body_a, loop.pose_a) - end(loop.body_b, loop.pose_b)).norm();
  };

  const stiction::Joint& driven = model.joint(*model.find_joint("crank"));
  const int crank = driven.position_index;
  const int rocker = model.joint(*model.find_joint("rocker")).position_index;
  simulation.servos().push_back(
      {.velocity_index = driven.velocity_index, .velocity_target = 6.2832, .damping = 10.0});
  double widest = 0.0;
  for (int i = 1; i <= 2000; ++i) {
    if (!simulation.step().ok()) std::printf("%s\n", simulation.report().message.c_str());
    widest = std::max(widest, opening());
    if (i % 400 == 0) {
      std::printf("t = %.1f s: crank %+7.2f rad, rocker %+6.3f rad, loop error %.1e m\n",
                  simulation.state().time, simulation.state().q[crank],
                  simulation.state().q[rocker], opening());
    }
  }
  std::printf("largest loop error: %.1e m\n", widest);
  const bool turned = simulation.state().q[crank] > 6.2832;
  return turned && widest < 1e-4 && simulation.counts().not_certified == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
