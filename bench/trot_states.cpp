#include "bench/trot_states.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "examples/legged_robots.hpp"
#include "stiction/control/motions.hpp"
#include "stiction/sim/workspace_parts.hpp"

namespace stiction::bench {

namespace {

constexpr double first_time = 1.0;  ///< of the moments; before, the robot gathers speed [s]
constexpr double last_time = 3.0;   ///< [s]

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::span<const double> span_of(const Eigen::VectorXd& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// What the step that was evaluated last integrated. All contacts of one robot are one island.
TrotSystem system_of(Workspace& workspace) {
  const Workspace::Parts& parts = workspace.parts();
  const std::vector<AveragedSpring>& springs = parts.springs->averaged;
  const Eigen::Index rows = static_cast<Eigen::Index>(3 * springs.size());
  TrotSystem system;
  system.upsilon = parts.workers.front().problem.delassus().topLeftCorner(rows, rows);
  for (Eigen::VectorXd* numbers : {&system.stiffness, &system.damping, &system.position,
                                   &system.velocity, &system.acceleration}) {
    numbers->resize(rows);
  }
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Spring& spring = springs[i].spring;
    const Eigen::Index row = static_cast<Eigen::Index>(3 * i);
    system.stiffness.segment<3>(row) = to_eigen(spring.constants.stiffness);
    system.damping.segment<3>(row) = to_eigen(spring.constants.damping);
    system.position.segment<3>(row) = to_eigen(spring.stretch);
    system.velocity.segment<3>(row) = to_eigen(spring.velocity - spring.anchor_velocity);
    system.acceleration.segment<3>(row) = to_eigen(springs[i].acceleration);
  }
  return system;
}

StepOptions spring_options(double time_step) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.time_step = time_step;
  return options;
}

}  // namespace

LinearContacts TrotSystem::view() const {
  return {.rows = upsilon.rows(),
          .upsilon = upsilon.data(),
          .stride = upsilon.rows(),
          .stiffness = span_of(stiffness),
          .damping = span_of(damping),
          .position = span_of(position),
          .velocity = span_of(velocity),
          .acceleration = span_of(acceleration)};
}

double Trot::mean_contacts() const {
  double sum = 0.0;
  for (const TrotMoment& moment : moments) sum += static_cast<double>(moment.contacts);
  return sum / static_cast<double>(moments.size());
}

Trot record_trot(double time_step) {
  const LeggedRobot robot = solo12();
  Trot trot{
      robot.model, text_of(models_folder() / "solo12.urdf"), spring_options(time_step), {}, {}};
  Simulation simulation(robot.model, trot.options);
  simulation.set_state(robot.start);
  TrotOptions options;
  std::copy(robot.feet.begin(), robot.feet.end(), options.feet.begin());
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  TrotController controller(robot.model, robot.start, options);
  while (simulation.state().time < last_time) {
    const InverseDynamicsResult& result = controller.compute(simulation.state());
    if (!result.ok()) throw std::runtime_error(result.message);
    simulation.joint_forces() = result.torques;
    const State before = simulation.state();
    if (!simulation.step().ok()) throw std::runtime_error(simulation.report().message);
    if (before.time < first_time) continue;
    const std::size_t contacts = simulation.report().contacts.size();
    trot.moments.push_back({before, result.torques, contacts});
    if (contacts > 0) trot.systems.push_back(system_of(simulation.workspace()));
  }
  return trot;
}

}  // namespace stiction::bench
