// Restitution never adds energy: random impacts with friction.

#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double restitution = 0.9;

Eigen::Isometry3d random_pose(Random& random, const Eigen::Vector3d& position) {
  Eigen::Isometry3d pose = at(position);
  pose.linear() =
      Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
          .normalized()
          .toRotationMatrix();
  return pose;
}

/// A body with two more on hinges: its impacts couple all three directions strongly. They do not
/// touch each other: with two hinges between them such a contact may jam, and then Coulomb's law
/// has no answer.
void add_linked(SceneBuilder& scene, Random& random, const Eigen::Isometry3d& pose) {
  const int root = scene.add_box("root", {0.2, 0.05, 0.03}, 1.0, pose);
  int parent = root;
  for (int k = 0; k < 2; ++k) {
    LinkSpec link;
    link.name = "link" + std::to_string(k);
    link.mass = random.uniform(0.2, 2.0);
    link.center_of_mass = {0.2, 0, 0};
    link.inertia = link.mass * Eigen::Vector3d(0.001, 0.02, 0.02).asDiagonal().toDenseMatrix();
    link.shapes = {scene.capsule(0.03, 0.15, at({0.2, 0, 0}, 1.5707963, Eigen::Vector3d::UnitY()))};
    JointSpec joint;
    joint.name = "hinge" + std::to_string(k);
    joint.parent = parent;
    joint.child = parent = scene.builder().add_link(std::move(link));
    for (int other = root; other < parent; ++other) {
      scene.builder().exclude_collision(other, parent);
    }
    joint.pose_in_parent = at(k == 0 ? 0.25 : 0.42, 0, 0);
    joint.axis = Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    scene.builder().add_joint(joint);
  }
}

Model random_scene(Random& random, int kind) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(random.uniform(0.0, 1.5), restitution);
  scene.add_plane("floor");
  const Eigen::Isometry3d pose = random_pose(random, {0, 0, 0.8});
  switch (kind) {
    case 0:
      scene.add_box("root", {0.2, 0.1, random.uniform(0.02, 0.2)}, 1.0, pose);
      break;
    case 1:
      scene.add_capsule("root", 0.05, 0.3, 1.0, pose);
      break;
    default:
      add_linked(scene, random, pose);
      break;
  }
  return scene.build();
}

/// No gravity, so contacts alone change the energy, and their work over each step must not be
/// positive beyond what the solver's tolerance of 1e-8 may feign.
TEST(ImpactEnergy, NeverGrowsInRandomImpacts) {
  Random random(11);
  int impacts = 0;
  double worst = -1e9;
  for (int k = 0; k < 600; ++k) {
    const Model model = random_scene(random, k % 3);
    StepOptions options{.time_step = 0.001};
    options.balance = true;
    Simulation simulation(model, options);
    State& state = simulation.state();
    for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = random.normal();
    state.v[2] = -random.uniform(5.0, 8.0);
    for (int step = 0; step < 200; ++step) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message << " in throw " << k << " of seed 11";
      const bool bounced = std::ranges::any_of(
          report.contacts, [](const StepContact& c) { return c.restitution > 0.0; });
      if (!bounced) continue;
      ++impacts;
      const double share = report.balance.contact_work / report.balance.kinetic_energy;
      worst = std::max(worst, share);
      EXPECT_LT(share, 1e-7) << "in throw " << k << ", step " << step << " of seed 11";
    }
  }
  EXPECT_GT(impacts, 600);
  RecordProperty("largest_share_gained", std::to_string(worst));
}

/// Without friction and off-centre blows nothing is lost beside (1 − ε²) of the normal motion.
TEST(ImpactEnergy, CentralImpactKeepsSquareOfRestitution) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(0.7, restitution);
  scene.add_plane("floor");
  scene.add_sphere("ball", 0.1, 2.0, at(0, 0, 0.5));
  Simulation simulation(scene.build(), StepOptions{.time_step = 0.001});
  set_velocity(simulation.model(), simulation.state(), "ball", {0, 0, -3.0});
  simulation.run(0.3);
  EXPECT_NEAR(linear_velocity(simulation.model(), simulation.state(), "ball").z(),
              3.0 * restitution, 1e-9);
}

/// Balls that have just bounced are hit again before they are out of reach: each of the two impacts
/// by itself keeps the energy, and so must both in one step.
TEST(ImpactEnergy, StaysInAHeapOfElasticBalls) {
  const Model model = load_model(models_folder() / "scenes" / "elastic_666.xml").model;
  for (const char* solver : {"hybrid", "per_contact", "pgs"}) {
    StepOptions options;
    options.solver = solver;
    options.balance = true;
    Simulation simulation(model, options);
    double start = 0.0;
    double worst = 0.0;
    for (int step = 0; step < 3000; ++step) {
      const StepBalance balance = simulation.step().balance;
      const double energy = balance.kinetic_energy + balance.potential_energy;
      if (step == 0) start = energy;
      worst = std::max(worst, std::abs(energy - start));
    }
    EXPECT_GT(start, 30e3);
    EXPECT_LT(worst, 1.0) << solver;
  }
}

}  // namespace
}  // namespace stiction
