// Loads a robot, drops it on the floor and steps through time.
// Run it with a URDF or MJCF file as argument. Without one, it uses the built-in quadruped.

#include <cstdio>
#include <exception>
#include <filesystem>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path file =
      argc > 1 ? std::filesystem::path(argv[1]) : stiction::models_folder() / "anymal_lumped.xml";
  stiction::Simulation simulation(stiction::load_model(file).model);
  std::printf("%s: %d bodies, steps of %g ms\n", simulation.model().name().c_str(),
              simulation.model().body_count(), 1e3 * simulation.time_step());

  // Nothing holds the joints: the robot falls and folds up.
  for (int i = 0; i < 5; ++i) {
    const stiction::StepReport& report = simulation.run(0.2);
    std::printf("t = %.1f s: base at %.3f m, %zu contacts, residual %.1e (%s)\n",
                simulation.state().time, simulation.state().q[2], report.contacts.size(),
                report.certificate.residual(), to_string(report.status).data());
  }

  // Each step is certified, counted as not certified, or refused. Nothing fails silently.
  const stiction::RunCounts& counts = simulation.counts();
  std::printf("%lld steps, %lld not certified, %lld refused; deepest overlap %.1e m\n",
              counts.steps, counts.not_certified, counts.refused, counts.deepest_overlap);
  return counts.refused == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
