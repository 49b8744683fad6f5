// Reads the contacts of a step: the pair of shapes, point, force, and whether it sticks or slips.
// The scene is a box on a slope of 20°. With friction 0.5, it sticks up to 26.6°.

#include <cmath>
#include <cstdio>
#include <exception>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file = argc > 1
                                         ? std::filesystem::path(argv[1])
                                         : stiction::models_folder() / "scenes" / "slope_box.xml";
  stiction::Simulation simulation(stiction::load_model(file).model);
  const stiction::Model& model = simulation.model();
  const double h = simulation.time_step();
  const stiction::StepReport& report = simulation.run(0.5);

  bool sticks = !report.contacts.empty();
  for (const stiction::StepContact& contact : report.contacts) {
    // Impulses are in the axes of the contact: two tangents, then the normal from a to b.
    const auto& [t1, t2, n] = contact.impulse;
    std::printf(
        "%s on %s: gap %+.1e m, normal force %.3f N, friction %.3f N of at most %.3f N, %s\n",
        model.shapes()[static_cast<std::size_t>(contact.shape_b)].name.c_str(),
        model.shapes()[static_cast<std::size_t>(contact.shape_a)].name.c_str(), contact.gap, n / h,
        std::hypot(t1, t2) / h, contact.friction * n / h, to_string(contact.mode).data());
    sticks &= contact.mode != stiction::ContactMode::slip;
  }

  // The sum of all contact forces carries the box.
  const Eigen::Vector3d force = contact_force(report, 0, h);
  const double weight = -model.gravity().z() * model.total_mass();
  std::printf("total force (%.4f, %.4f, %.4f) N, weight %.4f N\n", force.x(), force.y(), force.z(),
              weight);
  std::printf("speed of the box: %.1e m/s\n", simulation.state().v.norm());
  const bool carried = (force - Eigen::Vector3d(0.0, 0.0, weight)).norm() < 1e-6 * weight;
  return sticks && carried && simulation.state().v.norm() < 1e-9 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
