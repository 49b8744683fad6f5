/// \file
/// The scenes of SimBenchmark [SB] at its own time steps: published errors of RaiSim,
/// MuJoCo, Bullet and ODE beside ours and those of today's MuJoCo, Bullet and ODE from the same
/// run.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "experiments/bar_scenes.hpp"
#include "experiments/robot_bars.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  std::filesystem::path out;
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

std::vector<Bar> bars() {
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

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& text : cells) line += " " + text + " |";
  return line + "\n";
}

std::string heading(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t k = 0; k < cells.size(); ++k) rule += "---|";
  return row(cells) + rule + "\n";
}

std::string error_table(const std::vector<Line>& lines) {
  std::string text =
      heading({"scene", "h [ms]", "error", "RaiSim", "MuJoCo 1.50", "Bullet 2.88", "ODE 0.15",
               "**Stiction**", "MuJoCo 2.2.2", "Bullet 3.24", "ODE 0.16", "below RaiSim"});
  for (const Line& line : lines) {
    const Published& p = line.bar->published;
    text +=
        row({line.bar->name, fmt::format("{:g}", 1e3 * line.bar->time_step), line.bar->error,
             number(p.raisim), cell(p.mujoco), cell(p.bullet), cell(p.ode),
             "**" + cell(line.results[stiction_engine]) + "**", cell(line.results[mujoco_engine]),
             cell(line.results[bullet_engine]), cell(line.results[ode_engine]),
             !line.judged() ? "not run to its end"
             : line.holds() ? "yes"
                            : "NO"});
  }
  return text;
}

std::string time_table(const std::vector<Line>& lines) {
  std::string text =
      heading({"scene", "h [ms]", "Stiction [µs]", "contacts", "iterations", "not certified",
               "worst residual", "MuJoCo [µs]", "Bullet [µs]", "ODE [µs]"});
  const auto time = [](const BarResult& result) {
    return result.measured ? fmt::format("{:.0f}", 1e6 * result.step_seconds) : "-";
  };
  for (const Line& line : lines) {
    const BarResult& own = line.results[stiction_engine];
    const double steps = static_cast<double>(std::max(1LL, own.own.steps));
    const bool counted = own.own.steps > 0;
    text += row({line.bar->name, fmt::format("{:g}", 1e3 * line.bar->time_step), time(own),
                 counted ? fmt::format("{:.1f}", own.own.contacts / steps) : "-",
                 counted ? fmt::format("{:.1f}", own.own.iterations / steps) : "-",
                 counted ? fmt::format("{} of {}", own.own.not_certified, own.own.steps) : "-",
                 counted ? fmt::format("{:.1e}", own.own.worst_residual) : "-",
                 time(line.results[mujoco_engine]), time(line.results[bullet_engine]),
                 time(line.results[ode_engine])});
  }
  return text;
}

Line measure(const Bar& bar, const Arguments& arguments) {
  Line line{&bar, {}};
  const RunLimits limits{arguments.seconds, arguments.wall};
  for (int engine = 0; engine < engine_count; ++engine) {
    line.results[static_cast<std::size_t>(engine)] =
        bar.run(static_cast<Engine>(engine), bar.time_step, limits);
  }
  fmt::print(stderr, "{} at {} s: {}\n", bar.name, bar.time_step,
             cell(line.results[stiction_engine]));
  return line;
}

// ---- the tower
// -----------------------------------------------------------------------------------

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

/// Whether the tower stood as long as it was run, and the text about it.
std::pair<bool, std::string> tower_section(const Arguments& arguments) {
  const RunLimits limits{arguments.seconds, arguments.wall};
  const BarResult own = own_tower(limits);
  const double steps = static_cast<double>(std::max(1LL, own.own.steps));
  std::string text = fmt::format(
      "\n## Kapla tower\n\n"
      "102 blocks of 10 kg, h 10 ms: number of steps until the last block is below 1 m, at "
      "most 60,000. No stabilisation, as published. \"Stands, cut short\" means that the "
      "tower still stood when the time limit ended the run.\n\n"
      "Stiction (default solver to 1e-8, at most {} iterations): **{}**; {:.2f} ms per step, "
      "{:.0f} contacts and {:.0f} iterations on average, {} of {} steps not certified, worst "
      "residual {:.1e}. MuJoCo 1.50, published: 218 to 3297 steps.\n\n",
      own_iterations, steps_cell(own), 1e3 * own.step_seconds, own.own.contacts / steps,
      own.own.iterations / steps, own.own.not_certified, own.own.steps, own.own.worst_residual);
  text += heading({"iterations", "RaiSim, published", "Bullet 2.88, published",
                   "ODE 0.15, published", "MuJoCo 2.2.2", "Bullet 3.24", "ODE 0.16"});
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
    for (const Engine engine : {mujoco_engine, bullet_engine, ode_engine}) {
      cells.push_back(
          steps_cell(tower(world_maker(engine), tower_step, r.iterations, short_limits)));
    }
    text += row(cells);
  }
  return {own.steps >= tower_cap || !own.finished, text};
}

std::string speed_section() {
  std::string text =
      "\n## Standing ANYmal\n\n"
      "One robot, PD 40/1, h 5 ms. Rate in kHz of the versions above on this machine, each "
      "engine with its fastest setting. Published on another machine: RaiSim 124, MuJoCo 30, "
      "Bullet 14, DART 8.8, ODE 2.2.\n\n";
  text += heading({"engine", "kHz"});
  for (const StandingSpeed& speed : standing_speeds()) {
    text += row({speed.engine, fmt::format("{:.0f}", 1e-3 * speed.rate)});
  }
  return text;
}

constexpr const char* introduction =
    "# External benchmarks: SimBenchmark\n\n"
    "Written by `experiment_external_bars --out docs/external_bars.md`; do not edit.\n\n"
    "The scenes of SimBenchmark at its own time steps. A scene passes if the error of "
    "Stiction is below that of RaiSim in one of its lines.\n\n"
    "- **Published figures** are from the authors of SimBenchmark (RaiSim before its "
    "release, MuJoCo 1.50, Bullet 2.88, ODE 0.15.2). All other figures are from this run.\n"
    "- **Settings** are the defaults of each engine, except: MuJoCo uses the elliptic cone, "
    "with PGS for more than 60 bodies and Newton's method otherwise. Bullet uses double "
    "precision, no sleeping, and sequential impulses with 10 iterations. ODE uses the quick "
    "step with 20 iterations.\n"
    "- **Overlaps** are not pushed out, as published (MuJoCo's soft contacts do this by "
    "themselves).\n"
    "- **Restitution** does not exist in MuJoCo, so MuJoCo is left out of scenes that "
    "bounce.\n"
    "- **Robots** are `models/beth.urdf` without joint torques. Stiction and MuJoCo read the "
    "same text. By default, Stiction uses `trapezoid` and MuJoCo uses Euler; in the lines "
    "with `rk4`, both use a fourth-order rule.\n"
    "- **Momentum**: by default, robots in contact move by the semi-implicit rule, which is "
    "of first order. This causes the momentum error while the ball leans on the torso (1.1 "
    "s). With `rk4`, robots keep their momentum.\n\n";

int run(const Arguments& arguments) {
  if (!arguments.out.empty()) check_writable(arguments.out);
  const std::vector<Bar> all = bars();
  std::vector<Line> lines;
  for (const Bar& bar : all) {
    if (wanted(arguments, bar.name)) lines.push_back(measure(bar, arguments));
  }
  std::string text = introduction;
  if (!lines.empty()) {
    text += error_table(lines) + "\n## Time of a step\n\n" + time_table(lines);
  }
  bool holds = std::ranges::all_of(lines, [&](const Line& line) {
    return std::ranges::any_of(
        lines, [&](const Line& l) { return same_scene(l, line) && (!l.judged() || l.holds()); });
  });
  if (wanted(arguments, "kapla")) {
    const auto [stands, section] = tower_section(arguments);
    holds = holds && stands;
    text += section;
  }
  if (wanted(arguments, "standing")) text += speed_section();
  fmt::print("{}", text);
  if (!arguments.out.empty()) write_file(arguments.out, text);
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
      "experiment_external_bars");
  line.add_option(
      "--only", arguments.only,
      "scenes with this in their name: rolling, bouncing, 666, momentum, energy, kapla, "
      "standing; can be repeated");
  line.add_option("--seconds", arguments.seconds, "longest simulated time per scene [s]")
      .positive();
  line.add_option("--wall", arguments.wall, "time limit per engine and scene [s]").positive();
  line.add_option("--out", arguments.out, "also write the text to this file");
  return stiction::bench::run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
