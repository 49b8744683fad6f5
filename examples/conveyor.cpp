// A parcel on a conveyor belt. The surface of the belt moves, the belt itself does not. The parcel
// accelerates at µg until it has the speed of the belt, then sticks to it.

#include <cmath>
#include <cstdio>
#include <exception>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

int main() try {
  const double friction = 0.6;
  const double speed = 0.5;  // [m/s]
  stiction::SceneBuilder scene("belt");
  scene.use_material(friction);
  stiction::Shape belt = scene.conveyor({2.0, 0.3, 0.05}, {speed, 0.0, 0.0});
  belt.name = "belt";
  scene.add_fixed(belt);
  scene.add_box("parcel", {0.08, 0.06, 0.05}, 1.0, stiction::at(-1.0, 0.0, 0.1));
  stiction::Simulation simulation(scene.build());

  double slip_ends = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const stiction::StepReport& report = simulation.step();
    bool slips = false;
    for (const stiction::StepContact& contact : report.contacts) {
      slips |= contact.mode == stiction::ContactMode::slip;
    }
    if (slips) slip_ends = simulation.state().time;
    if (i % 400 == 0) {
      std::printf("t = %.3f s: parcel at %+.3f m, %.4f m/s, %s\n", simulation.state().time,
                  simulation.state().q[0], simulation.state().v[0], slips ? "slips" : "rides");
    }
  }
  const double expected = speed / (friction * 9.81);
  std::printf("slip ended at %.4f s; Coulomb's law predicts %.4f s\n", slip_ends, expected);
  std::printf("riding speed %.12f m/s\n", simulation.state().v[0]);
  const bool rides = std::abs(simulation.state().v[0] - speed) < 1e-9;
  return rides && std::abs(slip_ends - expected) < 2.0 * simulation.time_step() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
