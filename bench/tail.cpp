/// \file
/// The slowest steps: scenes on which solvers may be slow or fail, with default options. Mean,
/// median, 99th percentile and worst time of a step, iterations, and how many steps were not
/// certified; piles also in Bullet, ODE and MuJoCo.

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>

#include "bench/output.hpp"
#include "bench/pile_stiction.hpp"
#include "bench/program.hpp"
#include "bench/tail_scenes.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::bench {

namespace {

/// A step is not worse than this in 100 %, if it is not certified at the tolerance.
constexpr double lenient_tolerance = 1e-6;
/// At most this fraction of the steps may be uncertified.
constexpr double largest_uncertified = 1e-3;

struct Arguments {
  std::string json_file;
  std::string filter;
  bool quick = false;
  double time_limit = 60.0;
};

struct Outcome {
  std::string scene;
  std::string engine;
  std::vector<double> seconds;  ///< of each step
  double contacts = 0.0;        ///< all steps
  double iterations = 0.0;      ///< all steps
  int most_iterations = 0;
  int uncertified = 0;
  int beyond = 0;  ///< not even at `lenient_tolerance`
  bool ours = false;
  bool cut = false;  ///< by the time limit

  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double time : seconds) sum += time;
    return sum / static_cast<double>(seconds.size());
  }
  /// After the times were sorted.
  [[nodiscard]] double quantile(double fraction) const {
    const auto last = static_cast<double>(seconds.size() - 1);
    return seconds[static_cast<std::size_t>(fraction * last)];
  }
  [[nodiscard]] double steps() const { return static_cast<double>(seconds.size()); }
};

bool is_chosen(const Arguments& arguments, const Outcome& outcome) {
  return fmt::format("{}/{}", outcome.scene, outcome.engine).find(arguments.filter) !=
         std::string::npos;
}

/// Steps until all are done or the time limit is reached.
template <class Step>
void run_steps(int steps, const Arguments& arguments, Outcome& outcome, const Step& step) {
  const Instruments clock = machine_instruments();
  double total = 0.0;
  for (int k = 0; k < steps && !outcome.cut; ++k) {
    const double start = clock.cpu_seconds();
    step();
    const double time = clock.cpu_seconds() - start;
    outcome.seconds.push_back(time);
    total += time;
    outcome.cut = total > arguments.time_limit;
  }
  std::ranges::sort(outcome.seconds);
  fmt::print("{}/{}: mean {:.3f} ms, worst {:.3f} ms\n", outcome.scene, outcome.engine,
             1e3 * outcome.mean(), 1e3 * outcome.seconds.back());
  std::fflush(stdout);
}

void run_ours(const TailScene& scene, const Arguments& arguments, Outcome& outcome) {
  Simulation simulation(scene.make());
  run_steps(scene.steps, arguments, outcome, [&] {
    const StepReport& report = simulation.step();
    if (report.status == StepStatus::refused || report.status == StepStatus::diverged) {
      throw std::runtime_error(fmt::format("{}: a step failed: {}", scene.name, report.message));
    }
    outcome.contacts += static_cast<double>(report.contacts.size());
    outcome.iterations += report.iterations;
    outcome.most_iterations = std::max(outcome.most_iterations, report.iterations);
    outcome.uncertified += report.uncertified > 0 ? 1 : 0;
    outcome.beyond += report.certificate.certified(lenient_tolerance) ? 0 : 1;
  });
}

void run_other(const TailScene& scene, const PileEntry& entry, const Arguments& arguments,
               Outcome& outcome) {
  const std::unique_ptr<PileEngine> engine = entry.make(*scene.pile);
  run_steps(scene.steps, arguments, outcome, [&] {
    engine->step();
    outcome.contacts += engine->contacts();
  });
}

std::vector<PileEntry> other_engines() {
  std::vector<PileEntry> list = bullet_piles();
  for (const auto& others : {ode_piles(), mujoco_piles()}) {
    list.insert(list.end(), others.begin(), others.end());
  }
  return list;
}

void run_others(const TailScene& scene, const Arguments& arguments, std::vector<Outcome>& all) {
  if (!scene.pile) return;
  const auto bodies = static_cast<int>(scene.pile->poses.size());
  for (const PileEntry& entry : other_engines()) {
    Outcome outcome;
    outcome.scene = scene.name;
    outcome.engine = entry.name();
    const std::size_t kind = scene.pile->kind == PileKind::spheres ? 0 : 1;
    if (bodies > entry.largest[kind] || !is_chosen(arguments, outcome)) continue;
    try {
      run_other(scene, entry, arguments, outcome);
    } catch (const std::runtime_error& error) {
      fmt::print("{}: {} is skipped: {}\n", scene.name, entry.name(), error.what());
      continue;
    }
    all.push_back(std::move(outcome));
  }
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); }

std::string result_table(const std::vector<Outcome>& all) {
  Table table({"scene", "engine", "steps", "contacts", "mean [ms]", "median", "p99", "worst",
               "iterations", "most", "uncertified", "above 1e-6"});
  for (const Outcome& o : all) {
    const auto ours = [&o](std::string text) { return o.ours ? std::move(text) : "-"; };
    table.add({o.scene, o.engine, fmt::format("{}{}", o.seconds.size(), o.cut ? " (cut)" : ""),
               fmt::format("{:.0f}", o.contacts / o.steps()), milliseconds(o.mean()),
               milliseconds(o.quantile(0.5)), milliseconds(o.quantile(0.99)),
               milliseconds(o.seconds.back()),
               ours(fmt::format("{:.1f}", o.iterations / o.steps())),
               ours(fmt::format("{}", o.most_iterations)), ours(fmt::format("{}", o.uncertified)),
               ours(fmt::format("{}", o.beyond))});
  }
  return table.markdown();
}

void write_results(const Arguments& arguments, const std::vector<Outcome>& all) {
  nlohmann::json document{{"machine", machine_description()}};
  for (const Outcome& o : all) {
    document["scenes"].push_back({{"scene", o.scene},
                                  {"engine", o.engine},
                                  {"steps", o.seconds.size()},
                                  {"cut", o.cut},
                                  {"contacts", o.contacts / o.steps()},
                                  {"mean", o.mean()},
                                  {"median", o.quantile(0.5)},
                                  {"p99", o.quantile(0.99)},
                                  {"worst", o.seconds.back()},
                                  {"iterations", o.iterations / o.steps()},
                                  {"most_iterations", o.most_iterations},
                                  {"uncertified", o.uncertified},
                                  {"beyond_1e-6", o.beyond}});
  }
  write_json(arguments.json_file, document);
}

/// Of our own runs: whether enough steps are certified.
bool requirements_hold(const std::vector<Outcome>& all) {
  bool holds = true;
  for (const Outcome& o : all) {
    if (!o.ours) continue;
    const bool enough = o.uncertified <= largest_uncertified * o.steps() && o.beyond == 0;
    if (!enough) {
      fmt::print("FAIL {}: {} of {} steps are not certified, {} of them not even at {:.0e}\n",
                 o.scene, o.uncertified, o.seconds.size(), o.beyond, lenient_tolerance);
    }
    holds = holds && enough;
  }
  return holds;
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  std::vector<Outcome> all;
  for (const TailScene& scene : tail_scenes()) {
    if (arguments.quick && !scene.quick) continue;
    Outcome ours;
    ours.scene = scene.name;
    ours.engine = "Stiction";
    ours.ours = true;
    if (is_chosen(arguments, ours)) {
      run_ours(scene, arguments, ours);
      all.push_back(std::move(ours));
    }
    run_others(scene, arguments, all);
  }
  if (all.empty()) {
    throw std::invalid_argument(fmt::format("no scene has '{}' in its name", arguments.filter));
  }
  fmt::print("\n{}\n", result_table(all));
  if (!arguments.json_file.empty()) write_results(arguments, all);
  return requirements_hold(all) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "The slowest steps of heaps, stacks, dominoes, a rope and robots, with default options. Exit "
      "code 0 if at least 99.9 % of the steps of each scene are certified, and all at 1e-6; else "
      "1.",
      "bench_tail");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--filter", arguments.filter,
                  "only scenes and engines with this in their name, such as `27 spheres/Bullet`");
  line.add_flag("--quick", arguments.quick, "small scenes only, about a minute");
  line.add_option("--time-limit", arguments.time_limit,
                  "CPU time after which a scene ends, of each engine [s]")
      .positive();
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
