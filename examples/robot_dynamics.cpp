// Loads a robot, computes its dynamics, and changes its mass without reading the file again.
// Run it with a URDF or MJCF file as argument. Without one, it uses the built-in quadruped.

#include <cstdio>
#include <exception>
#include <filesystem>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/io/load.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file =
      argc > 1 ? std::filesystem::path(argv[1]) : stiction::models_folder() / "anymal.urdf";
  const stiction::Model model = stiction::load_model(file).model;
  std::printf("%s: %d bodies, %d velocities, %.3f kg\n", model.name().c_str(), model.body_count(),
              model.velocity_count(), model.total_mass());

  // All scratch memory of the kernels, allocated once. The kernels allocate nothing.
  stiction::DynamicsData<double> data(model);
  const stiction::State state = model.initial_state();
  const Eigen::VectorXd no_force = Eigen::VectorXd::Zero(model.velocity_count());

  // Forward dynamics: without joint forces, a floating robot falls at g.
  const Eigen::VectorXd fall =
      stiction::articulated_body_algorithm(model, data, state.q, state.v, no_force);
  std::printf("free fall: vertical acceleration %.4f m/s²\n", fall[2]);

  // Mass matrix of the same state, and the forces that hold it still.
  const Eigen::MatrixXd M = stiction::mass_matrix(model, data);
  const Eigen::VectorXd holding = stiction::bias_forces(model, data);
  std::printf("M is %td x %td; holding the robot up takes %.2f N\n", M.rows(), M.cols(),
              holding[2]);

  // Jacobian of a foot, linear rows first.
  if (const auto foot = model.find_frame("LF_FOOT")) {
    const auto J = stiction::frame_jacobian(model, data, *foot);
    const Eigen::Vector3d p = stiction::frame_pose(model, data, *foot).translation();
    std::printf("foot at (%.3f, %.3f, %.3f), rank of the Jacobian at most %td\n", p.x(), p.y(),
                p.z(), J.rows());
  }

  // A heavier copy for domain randomisation. It shares everything except the numbers.
  stiction::ModelParameters parameters = model.parameters();
  parameters.scale_mass(0, 1.2);
  const stiction::Model heavier = model.with_parameters(parameters);
  std::printf("with a base 20 %% heavier: %.3f kg\n", heavier.total_mass());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
