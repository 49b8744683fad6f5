// Three balls with different restitution. Each peak is restitution² times the previous one.

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

int main() try {
  const double bounces[] = {0.0, 0.5, 0.9};
  const double radius = 0.1;
  const double drop = 1.0;
  stiction::SceneBuilder scene("balls");
  scene.add_plane("floor");
  for (int i = 0; i < 3; ++i) {
    // A contact uses the larger restitution of its two materials. That of the floor is zero.
    scene.use_material(0.5, bounces[i]);
    scene.add_sphere("ball" + std::to_string(i), radius, 1.0, stiction::at(i, 0.0, drop + radius));
  }
  stiction::Simulation simulation(scene.build());

  // Peak heights of each ball.
  std::vector<double> peaks[3];
  double last_speed[3] = {};
  for (int step = 0; step < 3000; ++step) {
    simulation.step();
    for (int i = 0; i < 3; ++i) {
      const stiction::Joint& joint = simulation.model().joint(i);
      const double speed = simulation.state().v[joint.velocity_index + 2];
      const double height = simulation.state().q[joint.position_index + 2] - radius;
      if (last_speed[i] > 0.0 && speed <= 0.0 && height > 1e-3) peaks[i].push_back(height);
      last_speed[i] = speed;
    }
  }

  bool right = true;
  for (int i = 0; i < 3; ++i) {
    const double expected = bounces[i] * bounces[i] * drop;
    const double first = peaks[i].empty() ? 0.0 : peaks[i].front();
    std::printf("restitution %.1f: first peak %.4f m (%.4f), %zu bounces seen\n", bounces[i], first,
                expected, peaks[i].size());
    right &= std::abs(first - expected) < 0.01;
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
