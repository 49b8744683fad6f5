#include "stiction/sim/solve_islands.hpp"

#include "stiction/sim/stopwatch.hpp"

namespace stiction {

void solve_islands(const IslandInput& input, const StepOptions& options, ThreadTeam& team,
                   std::vector<IslandWorker>& workers, StepSolution& solution, StepMotion& motion,
                   UncertifiedProblems& uncertified, StepTimings& timings) {
  while (workers.size() < static_cast<std::size_t>(options.threads)) {
    workers.emplace_back(input.scene.model, input.scene.layout);
  }
  start_solution(input.set, input.islands, input.targets, solution);
  uncertified.clear();
  auto solve_one = [&](int island, int thread) {
    IslandWorker& worker = workers[static_cast<std::size_t>(thread)];
    Stopwatch watch(options.timings);
    assemble_island(input, island, solution.impulses, worker);
    watch.lap(worker.timings.assemble);
    solve_island(input, island, worker, solution);
    watch.lap(worker.timings.solve);
    certify_island(input, island, worker, solution);
    if (uncertified.keeps() && !worker.report.certified()) {
      uncertified.add({island, worker.report.certificate.residual(),
                       std::string(worker.report.message), worker.problem});
    }
    watch.lap(worker.timings.certify);
    move_island(input, island, solution, worker, motion);
    watch.lap(worker.timings.move);
  };
  team.run(options.threads, input.islands.count(), solve_one);
  if (!options.timings) return;
  for (IslandWorker& worker : workers) {
    timings.assemble += worker.timings.assemble;
    timings.solve += worker.timings.solve;
    timings.certify += worker.timings.certify;
    timings.integrate += worker.timings.move;
    worker.timings = {};
  }
}

}  // namespace stiction
