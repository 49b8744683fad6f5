#include "experiments/implicit/chains.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "stiction/core/random.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/model/solid.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {

namespace {

/// Capsules of 0.2 m from hinge to hinge; their ends keep apart, so that no two contacts coincide.
/// They do not touch each other: between neighbours, which one hinge alone can move against each
/// other, such a contact jams, and then Coulomb's law often has no answer.
Model chain(int bodies, double friction, bool balls, double bend, Random& random) {
  constexpr double pitch = 0.2, radius = 0.03, half = 0.06;
  SceneBuilder scene;
  scene.use_material(friction);
  scene.add_plane("floor");
  ModelBuilder& builder = scene.builder();
  int first = -1;
  int parent = -1;
  for (int k = 0; k < bodies; ++k) {
    const Eigen::Isometry3d along =
        at({0.5 * pitch, 0, 0}, std::acos(-1.0) / 2.0, Eigen::Vector3d::UnitY());
    if (k == 0) {
      const Eigen::Isometry3d pose =
          at({0, 0, 0.25}, random.uniform(-0.6, 0.6) * bend, Eigen::Vector3d::UnitY());
      first = parent = scene.add_capsule("link0", radius, half, 0.5, pose * along);
      continue;
    }
    LinkSpec link;
    link.name = fmt::format("link{}", k);
    link.shapes = {scene.capsule(radius, half)};
    const BodyInertia solid =
        scaled_to_mass(primitive_solid(ShapeKind::capsule, link.shapes.front().size), 0.5);
    link.mass = solid.mass;
    link.inertia = solid.inertia;
    JointSpec joint;
    joint.name = fmt::format("hinge{}", k);
    joint.kind = balls ? JointKind::spherical : JointKind::continuous;
    joint.parent = parent;
    joint.child = builder.add_link(std::move(link));
    joint.pose_in_parent = at(0, 0, 0.5 * pitch);
    joint.pose_in_child = at(0, 0, -0.5 * pitch);
    joint.axis = k % 2 == 0 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    // About Y a chain bends up and down, about X to the sides.
    const double reach = k % 2 == 0 ? 0.5 : bend;
    const double angle = random.uniform(-reach, reach);
    if (balls) {
      joint.damping = 0.005;  // keeps the links from spinning about their own axes
      joint.pose_in_parent = joint.pose_in_parent * at({0, 0, 0}, angle, joint.axis);
    } else {
      joint.initial_position = angle;
    }
    builder.add_joint(joint);
    for (int other = first; other < joint.child; ++other) {
      builder.exclude_collision(other, joint.child);
    }
    parent = joint.child;
  }
  return scene.build();
}

/// Lifts a chain so that its lowest point is 5 cm above the floor.
void lift(Simulation& simulation) {
  const Model& model = simulation.model();
  State& state = simulation.state();
  DynamicsData<double> data(model);
  update_kinematics<double>(model, data, as_span(state.q), as_span(state.v));
  double lowest = 1e9;
  for (const Shape& shape : model.shapes()) {
    if (shape.body == world_body) continue;
    const Eigen::Isometry3d pose = body_pose(data, shape.body) * shape.pose;
    const double reach = std::abs(pose.linear()(2, 2)) * shape.size[1] + shape.size[0];
    lowest = std::min(lowest, pose.translation().z() - reach);
  }
  state.q[2] += 0.05 - lowest;
}

/// How far chains bend up and down [rad]: long ones lie flatter, as their counts of contacts say.
double bend_of(int bodies) { return bodies <= 5 ? 0.5 : 0.15; }

}  // namespace

const std::vector<PublishedCell>& published_cells() {
  static const std::vector<PublishedCell> cells{
      {5, 7, 0.1, 3.8, 0.99},   {5, 7, 0.5, 2.6, 0.95},    {5, 7, 1.0, 2.8, 0.90},
      {5, 7, 2.0, 2.9, 0.88},   {10, 16, 0.1, 4.8, 0.98},  {10, 16, 0.5, 5.3, 0.85},
      {10, 16, 1.0, 4.9, 0.71}, {10, 16, 2.0, 4.6, 0.71},  {15, 27, 0.1, 6.5, 0.90},
      {15, 27, 0.5, 7.5, 0.73}, {15, 27, 1.0, 10.2, 0.60}, {15, 27, 2.0, 16.2, 0.55}};
  return cells;
}

std::vector<ContactProblem> record_chains(const PublishedCell& cell,
                                          const ChainSettings& settings) {
  std::vector<ContactProblem> problems;
  Random random(settings.seed);
  StepOptions options;
  options.time_step = settings.step;
  options.gap_rule = settings.gap_rule;
  for (int drop = 0; drop < settings.drops; ++drop) {
    Simulation simulation(
        chain(cell.bodies, cell.friction, settings.balls, bend_of(cell.bodies), random), options);
    lift(simulation);
    const long steps = std::lround(settings.seconds / settings.step);
    for (long k = 0; k < steps; ++k) {
      const StepReport& report = simulation.step();
      const bool presses = std::ranges::any_of(
          report.contacts, [](const StepContact& contact) { return contact.impulse.z > 0.0; });
      if (presses) problems.push_back(*simulation.workspace().last_problem());
    }
  }
  return problems;
}

}  // namespace stiction::experiments
