// Fast bodies and thin walls: nothing passes.

#include <gtest/gtest.h>
#include <numbers>

#include "stiction/core/random.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double half_thickness = 0.005;  // [m]
constexpr double speed = 100.0;           // [m/s]: ten walls in a step
constexpr double h = 0.001;

enum class Missile { sphere, box, capsule };

struct Shot {
  Missile missile = Missile::sphere;
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< of the wall
  double distance = 0.3;                               ///< from missile to wall at the start [m]
  double slant = 0.0;                                  ///< [rad]
  double spin = 0.0;                                   ///< [rad/s]
  double wall_speed = 0.0;                             ///< towards the missile [m/s]
  bool kinematic = false;
  Integrator integrator = Integrator::trapezoid;
};

constexpr double size = 0.02;  // [m]

void add_missile(SceneBuilder& scene, const Shot& shot, const Eigen::Isometry3d& pose) {
  switch (shot.missile) {
    case Missile::sphere:
      scene.add_sphere("missile", size, 0.1, pose);
      break;
    case Missile::box:
      scene.add_box("missile", {size, size, size}, 0.1, pose);
      break;
    case Missile::capsule:
      // Large enough that no impact spins it by more than a radian or two in a step.
      scene.add_capsule("missile", 4.0 * size, 4.0 * size, 0.1, pose);
      break;
  }
}

/// How far the missile's centre is on its own side of the wall's middle, at least, in 30 ms [m].
double closest(const Shot& shot, Random& random) {
  SceneBuilder scene;
  scene.set_gravity(Eigen::Vector3d::Zero());
  scene.use_material(random.uniform(0.0, 1.0), random.index(2) * 0.5);
  Eigen::Isometry3d wall = at(0, 0, 0);
  wall.linear() = shot.turn;
  const Shape plate = scene.box({10.0, 10.0, half_thickness});
  if (shot.kinematic) {
    scene.add_kinematic("wall", {plate}, wall);
  } else {
    Shape fixed = plate;
    fixed.pose = wall;
    scene.add_fixed(fixed);
  }
  const Eigen::Vector3d n = shot.turn.col(2);
  Eigen::Isometry3d pose = at(n * (half_thickness + 8.0 * size + shot.distance));
  pose.linear() =
      Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
          .normalized()
          .toRotationMatrix();
  add_missile(scene, shot, pose);
  Simulation simulation(scene.build(), StepOptions{.time_step = h, .integrator = shot.integrator});
  const Eigen::Vector3d direction =
      -std::cos(shot.slant) * n + std::sin(shot.slant) * shot.turn.col(0);
  set_velocity(simulation.model(), simulation.state(), "missile", speed * direction,
               shot.spin * shot.turn.col(1));
  if (shot.kinematic) {
    set_velocity(simulation.model(), simulation.state(), "wall", shot.wall_speed * n);
  }
  double least = 1e9;
  for (int k = 0; k < 30; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.ok()) << report.message;
    const Eigen::Vector3d centre =
        pose_of(simulation.model(), simulation.state(), "missile").translation();
    least = std::min(least, n.dot(centre) - shot.wall_speed * simulation.state().time);
  }
  return least;
}

Shot random_shot(Missile missile, Random& random) {
  Shot shot;
  shot.missile = missile;
  shot.turn = Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
                  .normalized()
                  .toRotationMatrix();
  shot.distance = random.uniform(0.0, 0.3);
  shot.slant = random.uniform(0.0, 1.4);
  shot.integrator = random.index(2) == 0 ? Integrator::trapezoid : Integrator::semi_implicit;
  return shot;
}

TEST(Tunnel, FastSphereStaysOutsideOfAThinWall) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    const Shot shot = random_shot(Missile::sphere, random);
    // A ball on a plane: linearisation is exact, so the surface itself is the limit.
    EXPECT_GT(closest(shot, random), half_thickness + size - 1e-9) << "shot " << k << " of seed 1";
  }
}

TEST(Tunnel, FastSphereStaysOutsideOfAMovingWall) {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    Shot shot = random_shot(Missile::sphere, random);
    shot.kinematic = true;
    shot.wall_speed = random.uniform(-30.0, 30.0);
    EXPECT_GT(closest(shot, random), half_thickness + size - 1e-9) << "shot " << k << " of seed 2";
  }
}

/// A box or capsule turns while it is stopped, so corners may get in a little; the middle of the
/// body never reaches the wall.
TEST(Tunnel, FastBoxesAndCapsulesDoNotPass) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    Shot shot = random_shot(k % 2 == 0 ? Missile::box : Missile::capsule, random);
    if (shot.missile == Missile::capsule) shot.integrator = Integrator::trapezoid;
    shot.spin = k % 3 == 0 ? random.uniform(-200.0, 200.0) : 0.0;
    shot.kinematic = k % 5 == 0;
    shot.wall_speed = shot.kinematic ? random.uniform(-30.0, 30.0) : 0.0;
    EXPECT_GT(closest(shot, random), half_thickness) << "shot " << k << " of seed 3";
  }
}

TEST(Tunnel, FastBodiesDoNotPassEachOther) {
  Random random(4);
  for (int k = 0; k < 100; ++k) {
    SceneBuilder scene;
    scene.set_gravity(Eigen::Vector3d::Zero());
    scene.use_material(0.5);
    const double gap = random.uniform(0.0, 0.5);
    scene.add_box("plate", {0.5, 0.5, half_thickness}, 1.0, at(0, 0, 0));
    scene.add_sphere("ball", size, 0.1,
                     at(random.uniform(-0.1, 0.1), 0, half_thickness + size + gap));
    Simulation simulation(scene.build(), StepOptions{.time_step = h});
    set_velocity(simulation.model(), simulation.state(), "ball", {0, 0, -0.5 * speed});
    set_velocity(simulation.model(), simulation.state(), "plate", {0, 0, 0.5 * speed});
    simulation.run(0.02);
    const Eigen::Isometry3d plate = pose_of(simulation.model(), simulation.state(), "plate");
    const Eigen::Isometry3d ball = pose_of(simulation.model(), simulation.state(), "ball");
    EXPECT_GT((plate.inverse() * ball).translation().z(), half_thickness) << k << " of seed 4";
  }
}

}  // namespace
}  // namespace stiction
