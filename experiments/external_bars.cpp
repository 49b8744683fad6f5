/// \file
/// The scenes of SimBenchmark [SB] at its own time steps: published errors of RaiSim,
/// MuJoCo, Bullet and ODE beside ours and those of today's MuJoCo, Bullet and ODE from the same
/// run.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "experiments/bar_scenes.hpp"
#include "experiments/experiment_output.hpp"
#include "experiments/progress.hpp"
#include "experiments/robot_bars.hpp"

namespace stiction::experiments {

namespace {

using bench::Table;

/// A quick run: simulated time of a scene, and wall time of an engine in it [s].
constexpr double quick_seconds = 1.0;
constexpr double quick_wall = 3.0;

struct Arguments {
  bool quick = false;
  std::vector<std::string> only;
  double seconds = 1e9;
  double wall = 1200.0;
};

enum Engine { stiction_engine, mujoco_engine, bullet_engine, ode_engine, engine_count };

/// Of the paper's site; empty where nothing is published.
struct Published {
  double raisim;
  std::string mujoco, bullet, ode;
};

/// One line of the table.
struct Bar {
  std::string name;
  double time_step;
  std::string error;
  Published published;
  std::function<BarResult(Engine, double, const RunLimits&)> run;
};

struct Line {
  const Bar* bar = nullptr;
  std::array<BarResult, engine_count> results;

  [[nodiscard]] bool judged() const { return results[stiction_engine].finished; }
  [[nodiscard]] bool holds() const {
    return results[stiction_engine].value < bar->published.raisim;
  }
};

/// Whether two lines differ by their integrator alone.
bool same_scene(const Line& a, const Line& b) {
  const auto scene = [](const Line& line) {
    return line.bar->name.substr(0, line.bar->name.find(", rk4"));
  };
  return scene(a) == scene(b) && a.bar->time_step == b.bar->time_step;
}

MakeWorld world_maker(Engine engine) {
  switch (engine) {
    case mujoco_engine:
      return make_mujoco_world;
    case bullet_engine:
      return make_bullet_world;
    case ode_engine:
      return make_ode_world;
    default:
      return [](const BodyScene& scene) {
        StepOptions options;
        options.push_out_fraction = 0.0;
        return make_stiction_world(scene, options);
      };
  }
}

/// A scene without a robot, for all engines.
template <class Scene>
auto bodies(Scene scene) {
  return [scene](Engine engine, double time_step, const RunLimits& limits) {
    return scene(world_maker(engine), time_step, limits);
  };
}

/// A scene with a robot: Stiction and MuJoCo read the same text.
auto robot(BarResult (*scene)(RobotEngine, double, const RunLimits&), bool runge_kutta = false) {
  const auto own = runge_kutta ? RobotEngine::stiction_rk4 : RobotEngine::stiction;
  const auto other = runge_kutta ? RobotEngine::mujoco_rk4 : RobotEngine::mujoco;
  return [scene, own, other](Engine engine, double time_step, const RunLimits& limits) {
    if (engine == stiction_engine) return scene(own, time_step, limits);
    if (engine == mujoco_engine) return scene(other, time_step, limits);
    return BarResult{};
  };
}

std::vector<Bar> all_bars() {
  const auto rolling_along = [](int direction) {
    return bodies([direction](const MakeWorld& make, double h, const RunLimits& limits) {
      return rolling(make, h, direction, limits);
    });
  };
  const std::string velocity = "mean Δv² [m²/s²]";
  const std::string energy = "mean (E − E0)² [J²]";
  const std::string overlap = "mean Σ overlap² [m²]";
  return {
      {"rolling, along y",
       0.001,
       velocity,
       {4.1e-7, "≥ 2.5e-3", "5.7e-9", "3.14"},
       rolling_along(0)},
      {"rolling, along (0.5, 0.866)",
       0.001,
       velocity,
       {4.1e-7, "≥ 2.5e-3", "5.7e-9", "3.14"},
       rolling_along(1)},
      {"bouncing", 0.001, energy, {0.0186, "", "75245", "185"}, bodies(bouncing)},
      {"bouncing", 0.01, energy, {186.0, "", "7.4e6", "18808"}, bodies(bouncing)},
      {"666", 0.001, overlap, {1.35e-4, "0.095", "0.38", ""}, bodies(heap)},
      {"666", 0.01, overlap, {0.0153, "0.93", "37", ""}, bodies(heap)},
      {"elastic 666", 0.001, energy, {8.4, "", "41498", "112"}, bodies(elastic_heap)},
      {"ANYmal momentum",
       0.001,
       "mean (p − p0)² [N²s²]",
       {4.7e-5, "1.1e-3", "", "5e-26"},
       robot(momentum_error)},
      {"ANYmal momentum, rk4",
       0.001,
       "mean (p − p0)² [N²s²]",
       {4.7e-5, "5e-13", "", "5e-26"},
       robot(momentum_error, true)},
      {"ANYmal energy", 0.001, energy, {0.0118, "3.5", "3.7", "3.9"}, robot(energy_error)},
      {"ANYmal energy", 0.01, energy, {1.4, "", "", ""}, robot(energy_error)},
      {"ANYmal energy, rk4", 0.001, energy, {0.0118, "2e-17", "", ""}, robot(energy_error, true)},
      {"ANYmal energy, rk4", 0.01, energy, {1.4, "6e-11", "", ""}, robot(energy_error, true)},
  };
}

bool wanted(const Arguments& arguments, const std::string& name) {
  return arguments.only.empty() || std::ranges::any_of(arguments.only, [&](const auto& part) {
           return name.find(part) != std::string::npos;
         });
}

std::string number(double value) { return fmt::format("{:.2g}", value); }

std::string cell(const BarResult& result) {
  if (!result.measured) return "-";
  return number(result.value) + (result.finished ? "" : " (cut short)");
}

std::string cell(const std::string& published) { return published.empty() ? "-" : published; }

Table error_table(const std::vector<Line>& lines) {
  Table table({"scene", "h [ms]", "error", "RaiSim", "MuJoCo 1.50", "Bullet 2.88", "ODE 0.15",
               "**Stiction**", "MuJoCo 2.2.2", "Bullet 3.24", "ODE 0.16", "below RaiSim"});
  for (const Line& line : lines) {
    const Published& p = line.bar->published;
    table.add({line.bar->name, fmt::format("{:g}", 1e3 * line.bar->time_step), line.bar->error,
               number(p.raisim), cell(p.mujoco), cell(p.bullet), cell(p.ode),
               "**" + cell(line.results[stiction_engine]) + "**", cell(line.results[mujoco_engine]),
               cell(line.results[bullet_engine]), cell(line.results[ode_engine]),
               !line.judged() ? "not run to its end"
               : line.holds() ? "yes"
                              : "NO"});
  }
  return table;
}

/// What our solver found: contacts, iterations, steps without certificate, the worst residual.
std::vector<std::string> count_cells(const OwnCounts& own) {
  if (own.steps == 0) return {"-", "-", "-", "-"};
  const auto steps = static_cast<double>(own.steps);
  return {fmt::format("{:.1f}", own.contacts / steps),
          fmt::format("{:.1f}", own.iterations / steps),
          fmt::format("{} of {}", own.not_certified, own.steps),
          fmt::format("{:.1e}", own.worst_residual)};
}

Table time_table(const std::vector<Line>& lines) {
  Table table({"scene", "h [ms]", "Stiction [µs]", "contacts", "iterations", "not certified",
               "worst residual", "MuJoCo [µs]", "Bullet [µs]", "ODE [µs]"});
  const auto time = [](const BarResult& result) {
    return result.measured ? fmt::format("{:.0f}", 1e6 * result.step_seconds) : "-";
  };
  for (const Line& line : lines) {
    const BarResult& own = line.results[stiction_engine];
    std::vector<std::string> row{line.bar->name, fmt::format("{:g}", 1e3 * line.bar->time_step),
                                 time(own)};
    for (std::string& text : count_cells(own.own)) row.push_back(std::move(text));
    for (const Engine engine : {mujoco_engine, bullet_engine, ode_engine}) {
      row.push_back(time(line.results[engine]));
    }
    table.add(std::move(row));
  }
  return table;
}

Line measure(const Bar& bar, const Arguments& arguments) {
  Line line{&bar, {}};
  const RunLimits limits{arguments.seconds, arguments.wall};
  for (int engine = 0; engine < engine_count; ++engine) {
    line.results[static_cast<std::size_t>(engine)] =
        bar.run(static_cast<Engine>(engine), bar.time_step, limits);
  }
  return line;
}

constexpr double tower_step = 0.01;
constexpr int tower_cap = 60'000;

/// The published runs have no stabilisation, so overlaps are not pushed out here either; and the
/// first steps, whose load could be shared in many ways, may end before they are certified.
constexpr int own_iterations = 300;

BarResult own_tower(const RunLimits& limits) {
  StepOptions options;
  options.push_out_fraction = 0.0;
  options.solver_options.max_iterations = own_iterations;
  return tower([options](const BodyScene& scene) { return make_stiction_world(scene, options); },
               tower_step, 0, limits);
}

std::string steps_cell(const BarResult& result) {
  if (!result.measured) return "-";
  if (result.steps >= tower_cap) return fmt::format("{} (stands)", tower_cap);
  return fmt::format("{}{}", result.steps, result.finished ? "" : " (stands, cut short)");
}

/// Whether the tower stood as long as it was run.
bool show_tower(const Arguments& arguments, Progress& progress, ExperimentOutput& output) {
  const RunLimits limits{arguments.seconds, arguments.wall};
  progress.show("tower, Stiction");
  const BarResult own = own_tower(limits);
  Table ours({"Stiction, 1e-8, iterations at most", "stands [steps]", "time of a step [ms]",
              "contacts", "iterations", "not certified", "worst residual"});
  std::vector<std::string> row{std::to_string(own_iterations), steps_cell(own),
                               fmt::format("{:.2f}", 1e3 * own.step_seconds)};
  for (std::string& text : count_cells(own.own)) row.push_back(std::move(text));
  ours.add(std::move(row));
  Table table({"iterations", "RaiSim, published", "Bullet 2.88, published", "ODE 0.15, published",
               "MuJoCo 2.2.2", "Bullet 3.24", "ODE 0.16"});
  struct Row {
    int iterations;
    const char* raisim;
    const char* bullet;
    const char* ode;
  };
  const RunLimits short_limits{arguments.seconds, std::min(arguments.wall, 30.0)};
  for (const Row& r :
       {Row{10, "25", "24", "40"}, Row{40, "89", "58", "101"}, Row{100, "263", "98", "122"},
        Row{400, "5265", "144", "124"}, Row{1000, "60000", "147", "122"}}) {
    std::vector<std::string> cells{std::to_string(r.iterations), r.raisim, r.bullet, r.ode};
    progress.show(fmt::format("tower, others with {} iterations", r.iterations));
    for (const Engine engine : {mujoco_engine, bullet_engine, ode_engine}) {
      cells.push_back(
          steps_cell(tower(world_maker(engine), tower_step, r.iterations, short_limits)));
    }
    table.add(std::move(cells));
  }
  output.table("tower", "Kapla tower: steps until the last block is below 1 m", ours);
  output.table("tower_others", "The same, other engines", table);
  return own.steps >= tower_cap || !own.finished;
}

void show_speeds(ExperimentOutput& output) {
  Table table({"engine", "kHz"});
  for (const StandingSpeed& speed : standing_speeds()) {
    table.add({speed.engine, fmt::format("{:.0f}", 1e-3 * speed.rate)});
  }
  output.table("standing", "Standing ANYmal, h 5 ms: rate of steps", table);
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (arguments.quick) {
    arguments.seconds = std::min(arguments.seconds, quick_seconds);
    arguments.wall = std::min(arguments.wall, quick_wall);
  }
  std::vector<Bar> bars = all_bars();
  std::erase_if(bars, [&](const Bar& bar) { return !wanted(arguments, bar.name); });
  const bool with_tower = wanted(arguments, "kapla");
  const bool with_speeds = wanted(arguments, "standing");
  if (bars.empty() && !with_tower && !with_speeds) {
    throw std::invalid_argument("no scene has this in its name; try --help");
  }
  bool holds = true;
  {
    // The tower takes about as long as six scenes.
    Progress progress(static_cast<double>(bars.size()) + (with_tower ? 6.0 : 0.0));
    std::vector<Line> lines;
    for (const Bar& bar : bars) {
      progress.show(fmt::format("{}, h {:g} ms", bar.name, 1e3 * bar.time_step));
      lines.push_back(measure(bar, arguments));
      progress.add(1.0);
    }
    holds = std::ranges::all_of(lines, [&](const Line& line) {
      return std::ranges::any_of(
          lines, [&](const Line& l) { return same_scene(l, line) && (!l.judged() || l.holds()); });
    });
    if (!lines.empty()) {
      output.table("errors", "SimBenchmark: errors", error_table(lines));
      output.table("times", "Time of a step", time_table(lines));
    }
    if (with_tower) holds &= show_tower(arguments, progress, output);
  }
  if (with_speeds) show_speeds(output);
  return holds ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line(
      "Runs the scenes of SimBenchmark. Exit code 0 if every error that was measured to the end is "
      "below RaiSim's and the tower stands, else 1.",
      "external_bars");
  line.add_flag("--quick", arguments.quick, "1 s of each scene: errors are not judged then");
  line.add_option(
      "--only", arguments.only,
      "scenes with this in their name: rolling, bouncing, 666, momentum, energy, kapla, "
      "standing; can be repeated");
  line.add_option("--seconds", arguments.seconds, "longest simulated time per scene [s]")
      .positive();
  line.add_option("--wall", arguments.wall, "time limit per engine and scene [s]").positive();
  ExperimentOutput output("external_bars", "external_bars.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
