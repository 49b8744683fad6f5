/// \file
/// Iterations of implicit complementarity on chains that fall on a floor and come to rest there,
/// without warm start, beside the published ones [INC, Table I]; and the pyramid LCP on the same
/// problems.

#include <array>
#include <fmt/core.h>

#include "experiments/experiment_output.hpp"
#include "experiments/implicit/chains.hpp"
#include "experiments/implicit/iteration_counts.hpp"
#include "experiments/progress.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  ChainSettings chains;
  bool quick = false;
  std::string joints = "both";
  int partner_every = 5;
};

/// The paper does not say when it stops.
constexpr std::array tolerances{1e-3, 1e-6};

/// All results on the problems of one cell with one kind of joints.
struct CellResult {
  PublishedCell cell;
  bool balls = false;
  double contacts = 0.0;  ///< mean
  long problems = 0;
  std::vector<IterationCounts> counts;  ///< by tolerance, then by algorithm
  PyramidCosts pyramids;

  [[nodiscard]] const IterationCounts& at(std::size_t tolerance, std::size_t algorithm) const {
    return counts[tolerance * algorithms().size() + algorithm];
  }
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string count_text(int count) { return count < 0 ? "-" : fmt::format("{}", count); }

std::string cell_name(const CellResult& result) {
  return fmt::format("{}, {}", result.cell.bodies, result.cell.friction);
}

CellResult measure(const PublishedCell& cell, const ChainSettings& settings, int partner_every,
                   Progress& progress) {
  CellResult result;
  result.cell = cell;
  result.balls = settings.balls;
  progress.show(fmt::format("{} bodies, µ {}, {}", cell.bodies, cell.friction,
                            settings.balls ? "ball joints" : "hinges"));
  const std::vector<ContactProblem> problems = record_chains(cell, settings);
  result.problems = static_cast<long>(problems.size());
  for (const ContactProblem& problem : problems) result.contacts += problem.contact_count();
  result.contacts /= std::max(1.0, static_cast<double>(problems.size()));
  for (const double tolerance : tolerances) {
    for (const Algorithm& algorithm : algorithms()) {
      result.counts.push_back(count_iterations(problems, algorithm, tolerance));
    }
  }
  result.pyramids = solve_pyramids(problems, partner_every);
  progress.add(cell.bodies * cell.bodies * cell.bodies);
  return result;
}

void show_counts(const std::vector<CellResult>& results, bool balls, std::size_t tolerance,
                 ExperimentOutput& output) {
  bench::Table table({"bodies, µ", "contacts (published)", "published", "full", "R = 1", "full",
                      "solved", "own R", "full", "solved", "ours", "median", "90 %", "most", "full",
                      "solved", "sweeps"});
  int met = 0;
  int cells = 0;
  for (const CellResult& result : results) {
    if (result.balls != balls) continue;
    std::vector<std::string> row{
        cell_name(result), fmt::format("{:.1f} ({})", result.contacts, result.cell.contacts),
        fmt::format("{:.1f}", result.cell.iterations), percent(result.cell.full)};
    for (const std::size_t k : {0, 1}) {
      const IterationCounts& plain = result.at(tolerance, k);
      row.push_back(fmt::format("{:.2f}", plain.mean));
      row.push_back(percent(plain.full));
      row.push_back(fmt::format("{:.1f} %", 100.0 * plain.solved_share()));
    }
    const IterationCounts& ours = result.at(tolerance, 2);
    row.push_back(fmt::format("{:.2f}", ours.mean_of_all));
    row.push_back(count_text(ours.within(0.5)));
    row.push_back(count_text(ours.within(0.9)));
    row.push_back(ours.solved.empty() ? "-" : fmt::format("{}", ours.solved.back()));
    row.push_back(percent(ours.full));
    row.push_back(fmt::format("{:.2f} %", 100.0 * ours.solved_share()));
    row.push_back(fmt::format("{:.1f}", ours.sweeps));
    table.add(std::move(row));
    ++cells;
    met += ours.mean_of_all <= result.cell.iterations ? 1 : 0;
  }
  output.table(fmt::format("{}_{:g}", balls ? "balls" : "hinges", tolerances[tolerance]),
               fmt::format("{}, to {:g}: mean iterations, share of full Newton steps, certified "
                           "problems",
                           balls ? "Ball joints" : "Hinges", tolerances[tolerance]),
               table);
  fmt::print("Ours has at most the published mean in {} of {} cells.\n\n", met, cells);
}

void show_pyramids(const std::vector<CellResult>& results, ExperimentOutput& output) {
  bench::Table table({"bodies, µ, joints", "problems", "rows of ours", "variables", "pivots",
                      "solved", "µs", "µs of ours, to 1e-6"});
  for (const CellResult& result : results) {
    const PyramidCosts& lemke = result.pyramids;
    table.add({cell_name(result) + (result.balls ? ", balls" : ", hinges"),
               fmt::format("{}", lemke.problems), fmt::format("{:.0f}", 3.0 * result.contacts),
               fmt::format("{:.0f}", lemke.variables), fmt::format("{:.1f}", lemke.pivots),
               percent(lemke.solved), fmt::format("{:.0f}", lemke.microseconds),
               fmt::format("{:.0f}", result.at(1, 2).microseconds)});
  }
  output.table("pyramids",
               "Lemke's method on the LCP with 8-sided pyramids, some of the same problems", table);
}

std::string counts_csv(const std::vector<CellResult>& results) {
  std::string text =
      "joints,bodies,friction,mean_contacts,published_contacts,published_iterations,published_full,"
      "algorithm,tolerance,problems,certified,mean_certified,mean_all,median,within_90,most,full,"
      "sweeps,us\n";
  for (const CellResult& result : results) {
    for (const IterationCounts& each : result.counts) {
      text += fmt::format(
          "{},{},{:g},{:.3f},{},{:g},{:g},{},{:g},{},{},{:.4f},{:.4f},{},{},{},{:.4f},{:.3f},{:.2f}"
          "\n",
          result.balls ? "balls" : "hinges", result.cell.bodies, result.cell.friction,
          result.contacts, result.cell.contacts, result.cell.iterations, result.cell.full,
          each.algorithm == "ours"
              ? "ours"
              : (each.algorithm == "published, R = 1" ? "published_one_R" : "published_own_R"),
          each.tolerance, each.problems, each.solved.size(), each.mean, each.mean_of_all,
          each.within(0.5), each.within(0.9), each.solved.empty() ? -1 : each.solved.back(),
          each.full, each.sweeps, each.microseconds);
    }
  }
  return text;
}

/// Share of problems that are certified within a number of iterations.
plot::Line distribution(const IterationCounts& counts) {
  plot::Line line;
  line.label = counts.algorithm;
  for (std::size_t i = 0; i < counts.solved.size(); ++i) {
    const bool last = i + 1 == counts.solved.size() || counts.solved[i + 1] != counts.solved[i];
    if (!last || counts.solved[i] < 1) continue;
    line.x.push_back(counts.solved[i]);
    line.y.push_back(100.0 * static_cast<double>(i + 1) / static_cast<double>(counts.problems));
  }
  return line;
}

/// One panel for each length and tolerance, at the friction of 1.
plot::Figure distributions(const std::vector<CellResult>& results) {
  plot::Figure figure;
  figure.title = "Problems certified within a number of iterations, µ = 1";
  for (const CellResult& result : results) {
    if (result.cell.friction != 1.0 || result.balls != results.front().balls) continue;
    for (std::size_t k = 0; k < tolerances.size(); ++k) {
      plot::Panel panel;
      panel.title = fmt::format("{} bodies, to {:g}", result.cell.bodies, tolerances[k]);
      panel.x_label = "iterations";
      panel.y_label = "problems [%]";
      panel.y_scale = plot::Scale::linear;
      for (std::size_t a = 0; a < algorithms().size(); ++a) {
        panel.lines.push_back(distribution(result.at(k, a)));
      }
      figure.panels.push_back(std::move(panel));
    }
  }
  return figure;
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (arguments.quick) arguments.chains.drops = 1;
  std::vector<bool> kinds;
  if (arguments.joints != "hinges") kinds.push_back(true);
  if (arguments.joints != "balls") kinds.push_back(false);
  double total = 0.0;
  for (const PublishedCell& cell : published_cells())
    total += cell.bodies * cell.bodies * cell.bodies;
  std::vector<CellResult> results;
  {
    Progress progress(total * static_cast<double>(kinds.size()));
    for (const bool balls : kinds) {
      arguments.chains.balls = balls;
      for (const PublishedCell& cell : published_cells()) {
        results.push_back(measure(cell, arguments.chains, arguments.partner_every, progress));
      }
    }
  }
  fmt::print(
      "Implicit complementarity, dogleg, no warm start; h = {:g} ms, gap rule {}, {} drops of {:g} "
      "s, seed {}; all steps in which some contact presses. Means of the published algorithm are "
      "over the problems that it solves, ours are over all.\n\n",
      1e3 * arguments.chains.step, to_string(arguments.chains.gap_rule), arguments.chains.drops,
      arguments.chains.seconds, arguments.chains.seed);
  for (const bool balls : kinds) {
    for (std::size_t k = 0; k < tolerances.size(); ++k) show_counts(results, balls, k, output);
  }
  show_pyramids(results, output);
  output.csv("counts", counts_csv(results));
  output.figure("", distributions(results));
  return 0;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line(
      "Iterations of implicit complementarity on falling chains, compared with the published ones.",
      "implicit_complementarity");
  line.add_flag("--quick", arguments.quick, "one drop per cell of the table");
  line.add_option("--drops", arguments.chains.drops, "drops per cell of the table").range(1, 10000);
  line.add_option("--seconds", arguments.chains.seconds, "duration of each drop [s]")
      .range(0.01, 100.0);
  line.add_option("--step", arguments.chains.step, "h [s]").range(1e-4, 0.05);
  std::string rule = std::string(to_string(arguments.chains.gap_rule));
  line.add_option("--gap-rule", rule, "velocity (as published) or position")
      .one_of({"velocity", "position"});
  line.add_option("--joints", arguments.joints, "balls, hinges, or both")
      .one_of({"balls", "hinges", "both"});
  line.add_option("--partner-every", arguments.partner_every,
                  "Lemke's method solves every N-th problem")
      .range(1, 1000000);
  line.add_option("--seed", arguments.chains.seed, "seed of the postures");
  ExperimentOutput output("implicit_complementarity", "implicit_complementarity.md");
  return run_experiment(line, output, argc, argv, [&] {
    arguments.chains.gap_rule = *stiction::parse_gap_rule(rule);
    return run(arguments, output);
  });
}
