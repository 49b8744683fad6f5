// One step from one saved state, with every solver and every law. Only the method differs. The
// scene is two stacked boxes on the floor; the upper one was just hit from the side.

#include <cstdio>
#include <exception>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

int main() try {
  stiction::SceneBuilder scene("stack");
  scene.use_material(0.5);
  scene.add_plane("floor");
  scene.add_box("lower", {0.2, 0.2, 0.1}, 2.0, stiction::at(0.0, 0.0, 0.1));
  scene.add_box("upper", {0.1, 0.1, 0.1}, 1.0, stiction::at(0.0, 0.0, 0.3));
  stiction::Simulation simulation(scene.build());
  simulation.run(0.2);
  set_velocity(simulation.model(), simulation.state(), "upper", {0.5, 0.1, 0.0});
  const stiction::State frozen = simulation.state();

  std::printf("%-26s %-16s %-14s %6s %10s  upper box afterwards [m/s]\n", "solver", "law", "status",
              "iter.", "residual");
  bool certified = false;
  for (const std::string_view solver : stiction::solver_names()) {
    for (const stiction::Law law :
         {stiction::Law::coulomb, stiction::Law::max_dissipation, stiction::Law::convex}) {
      simulation.set_state(frozen);
      simulation.options().solver = solver;
      simulation.options().solver_options.law = law;
      const stiction::StepReport& report = simulation.step();
      if (report.solver_status == stiction::SolverStatus::unsupported) continue;
      const Eigen::Vector3d v = linear_velocity(simulation.model(), simulation.state(), "upper");
      std::printf("%-26s %-16s %-14s %6d %10.1e  (%.6f, %.6f, %+.6f)\n", solver.data(),
                  to_string(law).data(), to_string(report.solver_status).data(), report.iterations,
                  report.certificate.residual(), v.x(), v.y(), v.z());
      if (solver == "hybrid" && law == stiction::Law::coulomb) certified = report.ok();
    }
  }

  // Restore the saved state.
  simulation.set_state(frozen);
  return certified && same_bits(frozen, simulation.state()) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
