#include "experiments/bar_scenes.hpp"

#include <chrono>
#include <cmath>

#include "stiction/core/random.hpp"

namespace stiction::experiments {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Steps a world until the time is over or `done` says so; `look` is called after each step with
/// the number of steps so far and does not count as time.
template <class Look, class Done>
BarResult run(BodyWorld* world, const BodyScene& scene, double seconds, const RunLimits& limits,
              const Eigen::Vector3d& push, Look look, Done done) {
  BarResult result;
  if (world == nullptr) return result;
  result.measured = true;
  const double simulated = std::min(seconds, limits.simulated);
  const auto steps = std::llround(simulated / scene.time_step);
  result.finished = simulated >= seconds;
  double stepping = 0.0;
  const Clock::time_point start = Clock::now();
  while (result.steps < steps && !done()) {
    const Clock::time_point before = Clock::now();
    world->step(push);
    stepping += seconds_since(before);
    ++result.steps;
    look(result.steps);
    if (seconds_since(start) > limits.wall) {
      result.finished = false;
      break;
    }
  }
  result.step_seconds = stepping / static_cast<double>(std::max(1LL, result.steps));
  if (world->counts() != nullptr) result.own = *world->counts();
  return result;
}

constexpr auto never = [] { return false; };

/// Mean of (E − E0)² over the steps.
BarResult energy_error(const MakeWorld& make, const BodyScene& scene, double seconds,
                       const RunLimits& limits) {
  const auto world = make(scene);
  const double at_first = world ? total_energy(scene, *world) : 0.0;
  double sum = 0.0;
  BarResult result = run(
      world.get(), scene, seconds, limits, Eigen::Vector3d::Zero(),
      [&](long long) {
        const double error = total_energy(scene, *world) - at_first;
        sum += error * error;
      },
      never);
  result.value = sum / static_cast<double>(result.steps);
  return result;
}

BodyScene balls_of_heap(const std::string& name, double time_step, double base_height,
                        double restitution) {
  BodyScene scene{.name = name, .floor_restitution = restitution, .time_step = time_step};
  Random random(1);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        const Eigen::Vector3d jitter(random.uniform(), random.uniform(), random.uniform());
        const Eigen::Vector3d place = 0.21 * Eigen::Vector3d(i, j, k) + 1e-3 * jitter +
                                      Eigen::Vector3d(0.0, 0.0, base_height);
        scene.bodies.push_back(
            {BodySpec::Kind::ball, Eigen::Vector3d::Constant(0.1), 10.0, place, 0.0, restitution});
      }
    }
  }
  return scene;
}

}  // namespace

BarResult rolling(const MakeWorld& make, double time_step, int direction, const RunLimits& limits) {
  constexpr double force = 150.0, ball_mass = 1.0, box_mass = 10.0, seconds = 4.0;
  BodyScene scene{.name = "rolling", .floor_friction = 0.4, .time_step = time_step};
  scene.bodies.push_back(
      {BodySpec::Kind::box, {10.0, 10.0, 0.5}, box_mass, {0.0, 0.0, 0.5}, 0.4, 0.0});
  for (int i = -2; i <= 2; ++i) {
    for (int j = -2; j <= 2; ++j) {
      scene.bodies.push_back({BodySpec::Kind::ball,
                              Eigen::Vector3d::Constant(0.5),
                              ball_mass,
                              {2.0 * i, 2.0 * j, 1.5},
                              0.8,
                              0.0});
    }
  }
  const Eigen::Vector3d along =
      direction == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d(0.5, 0.5 * std::sqrt(3.0), 0.0);
  // The box slides on the floor, the balls roll on it: each resists with 2/7 of its mass.
  const double count = 25.0;
  const double box_acceleration =
      (force - scene.floor_friction * (box_mass + count * ball_mass) * gravity) /
      (box_mass + 2.0 / 7.0 * count * ball_mass);
  const double ball_acceleration = 2.0 / 7.0 * box_acceleration;
  const auto world = make(scene);
  double sum = 0.0;
  BarResult result = run(
      world.get(), scene, seconds, limits, force * along,
      [&](long long steps) {
        const double t = static_cast<double>(steps) * time_step;
        sum += (world->motion(0).velocity - box_acceleration * t * along).squaredNorm();
        for (int ball = 1; ball <= 25; ++ball) {
          const Eigen::Vector3d error =
              world->motion(ball).velocity - ball_acceleration * t * along;
          sum += error.squaredNorm() / count;
        }
      },
      never);
  result.value = sum / static_cast<double>(result.steps);
  return result;
}

BarResult bouncing(const MakeWorld& make, double time_step, const RunLimits& limits) {
  BodyScene scene{.name = "bouncing", .floor_restitution = 1.0, .time_step = time_step};
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      scene.bodies.push_back({BodySpec::Kind::ball,
                              Eigen::Vector3d::Constant(0.1),
                              10.0,
                              {2.0 * i, 2.0 * j, 5.0},
                              0.0,
                              1.0});
    }
  }
  return energy_error(make, scene, 20.0, limits);
}

BarResult heap(const MakeWorld& make, double time_step, const RunLimits& limits) {
  const BodyScene scene = balls_of_heap("666", time_step, 0.101, 0.0);
  const auto world = make(scene);
  double sum = 0.0;
  BarResult result = run(
      world.get(), scene, 10.0, limits, Eigen::Vector3d::Zero(),
      [&](long long) { sum += squared_overlaps(scene, *world); }, never);
  result.value = sum / static_cast<double>(result.steps);
  return result;
}

BarResult elastic_heap(const MakeWorld& make, double time_step, const RunLimits& limits) {
  return energy_error(make, balls_of_heap("elastic 666", time_step, 1.101, 1.0), 10.0, limits);
}

BodyScene tower_scene(double time_step, int iterations) {
  BodyScene scene{
      .name = "tower", .floor_friction = 0.8, .time_step = time_step, .iterations = iterations};
  const auto add = [&scene](const Eigen::Vector3d& size, double x, double y, double z) {
    scene.bodies.push_back({BodySpec::Kind::box, 0.5 * size, 10.0, {x, y, z}, 0.8, 0.0});
  };
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 8; ++j) add({0.05, 0.25, 0.1}, 0.2 * j, 0.0, 0.2 * i + 0.05);
    const Eigen::Vector3d wall(0.2, 0.05, 0.1);
    for (const double x : {0.1, 0.5, 0.9, 1.3}) add(wall, x, -0.1, 0.2 * i + 0.15);
    for (const double x : {0.1, 0.3, 0.7, 1.1, 1.3}) add(wall, x, 0.1, 0.2 * i + 0.15);
  }
  return scene;
}

BarResult tower(const MakeWorld& make, double time_step, int iterations, const RunLimits& limits) {
  constexpr double cap = 60'000.0, collapsed_below = 1.0;
  const BodyScene scene = tower_scene(time_step, iterations);
  const auto world = make(scene);
  const int last = static_cast<int>(scene.bodies.size()) - 1;
  BarResult result = run(
      world.get(), scene, cap * time_step, limits, Eigen::Vector3d::Zero(), [](long long) {},
      [&] { return world->motion(last).position.z() < collapsed_below; });
  result.value = static_cast<double>(result.steps);
  return result;
}

}  // namespace stiction::experiments
