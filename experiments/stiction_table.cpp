/// \file
/// True stiction: how far things creep that should rest, in an hour, with nothing put to sleep.
/// MuJoCo on the same files beside it. And a force of 1e-6 N beyond the friction cone does move the
/// box.

#include <algorithm>
#include <fmt/core.h>

#include "experiments/experiment_output.hpp"
#include "experiments/progress.hpp"
#include "experiments/stiction_scenes.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {

namespace {

constexpr double h = 0.001;  // [s]; that of the files

class StictionRest : public RestEngine {
 public:
  StictionRest(const std::filesystem::path& file, const RestScene& scene, double tolerance)
      : simulation_(load_model(file).model, options(tolerance)), data_(simulation_.model()) {
    if (!scene.keyframe.empty()) simulation_.reset_to_keyframe(scene.keyframe);
  }

  void set_control(int actuator, double value) override { simulation_.control()[actuator] = value; }
  void run(long steps) override { simulation_.run(static_cast<double>(steps) * h); }
  long long not_certified() override { return simulation_.counts().not_certified; }

  Poses poses() override {
    const Model& model = simulation_.model();
    const State& state = simulation_.state();
    update_kinematics<double>(model, data_, as_span(state.q), as_span(state.v));
    Poses result;
    for (int i = 0; i < model.body_count(); ++i) result.push_back(body_pose(data_, i));
    return result;
  }

 private:
  static StepOptions options(double tolerance) {
    StepOptions options;
    options.time_step = h;
    options.solver_options.tolerance = tolerance;
    return options;
  }

  Simulation simulation_;
  DynamicsData<double> data_;
};

struct Arguments {
  bool quick = false;
  double hours = 0.0;            ///< 0: as `--quick` has it
  double partner_seconds = 0.0;  ///< the same
  double tolerance = 1e-11;
};

struct Creep {
  double furthest = 0.0;  ///< from where it was after settling [m]
  double end = 0.0;       ///< the same at the end [m]
  double seconds = 0.0;   ///< simulated after settling
  long long not_certified = 0;

  [[nodiscard]] double per_hour() const { return furthest * 3600.0 / seconds; }
};

Creep measure(RestEngine& engine, const RestScene& scene, double seconds) {
  constexpr int looks = 1000;
  engine.run(std::lround(scene.settling_time / h));
  const long long before = engine.not_certified();
  const Poses start = engine.poses();
  const long steps = std::max(1L, std::lround(seconds / h / looks));
  Creep creep;
  for (int k = 0; k < looks; ++k) {
    engine.run(steps);
    creep.end = moved(start, engine.poses());
    creep.furthest = std::max(creep.furthest, creep.end);
  }
  creep.seconds = looks * static_cast<double>(steps) * h;
  creep.not_certified = engine.not_certified() - before;
  return creep;
}

std::string length(double metres) { return fmt::format("{:.1e}", metres); }

void add_row(bench::Table& table, const std::string& scene, const std::string& engine,
             const Creep& creep) {
  table.add({scene, engine, fmt::format("{:g}", creep.seconds), length(creep.furthest),
             length(creep.end), length(creep.per_hour()),
             engine == "Stiction" ? fmt::format("{}", creep.not_certified) : "-"});
}

/// How far the box goes within 10 s if it is pulled by so much beyond the cone [m].
double pulled(const std::filesystem::path& folder, double beyond, double tolerance) {
  const RestScene scene = rest_scenes().front();
  StictionRest engine(folder / scene.file, scene, tolerance);
  engine.set_control(0, slope_box_limit() + beyond);
  engine.run(std::lround(scene.settling_time / h));
  const Poses start = engine.poses();
  engine.run(std::lround(10.0 / h));
  return moved(start, engine.poses());
}

/// A pull on the box inside and outside the cone, for 10 s each. Returns whether the one holds it
/// and the other moves it.
bool show_pulls(const std::filesystem::path& folder, double tolerance, ExperimentOutput& output) {
  const double held = pulled(folder, -1e-6, tolerance);
  const double slid = pulled(folder, 1e-6, tolerance);
  // Beyond the cone by f the box gets (cos + µ sin) f/m downhill. It moves when the 10 s begin.
  const double foretold =
      0.5 * 1e-6 * (std::cos(0.34906585) + 0.5 * std::sin(0.34906585)) * (121.0 - 1.0);
  bench::Table table({"pull", "moves in 10 s [m]", "½at² over the same time [m]"});
  table.add({"1e-6 N inside the cone", fmt::format("{:.1e}", held), "0"});
  table.add(
      {"1e-6 N outside the cone", fmt::format("{:.3e}", slid), fmt::format("{:.3e}", foretold)});
  output.table("pulls",
               fmt::format("Box on the slope, pulled for 10 s. The cone ends at {:.9f} N.",
                           slope_box_limit()),
               table);
  return held < 1e-8 && slid > 1e-5;
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (arguments.hours == 0.0) arguments.hours = arguments.quick ? 0.05 : 1.0;
  if (arguments.partner_seconds == 0.0) arguments.partner_seconds = arguments.quick ? 5.0 : 60.0;
  const std::filesystem::path folder = models_folder() / "scenes";
  bench::Table table({"scene", "engine", "simulated [s]", "furthest [m]", "at the end [m]",
                      "m per hour", "not certified"});
  bool good = true;
  {
    // MuJoCo's steps take about ten times as long.
    const double partner = 10.0 * arguments.partner_seconds;
    const double own = 3600.0 * arguments.hours;
    const auto scenes = static_cast<double>(rest_scenes().size());
    Progress progress(scenes * (own + partner * static_cast<double>(mujoco_settings().size())));
    for (const RestScene& scene : rest_scenes()) {
      progress.show(scene.name + ", Stiction");
      StictionRest engine(folder / scene.file, scene, arguments.tolerance);
      const Creep ours = measure(engine, scene, own);
      progress.add(own);
      good &= ours.per_hour() < 1e-8 && ours.not_certified == 0;
      add_row(table, scene.name, "Stiction", ours);
      for (const MujocoSetting& setting : mujoco_settings()) {
        progress.show(scene.name + ", MuJoCo, " + setting.name);
        const auto mujoco = mujoco_engine(folder, scene, setting);
        add_row(table, scene.name, "MuJoCo 2.2.2, " + setting.name,
                measure(*mujoco, scene, arguments.partner_seconds));
        progress.add(partner);
      }
    }
  }
  output.table(
      "creep",
      fmt::format("h = 1 ms, solver tolerance {:.0e}, nothing sleeps", arguments.tolerance), table);
  good &= show_pulls(folder, arguments.tolerance, output);
  return good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line("Creep of resting bodies in an hour, compared with MuJoCo.",
                                    "stiction_table");
  line.add_flag("--quick", arguments.quick, "3 minutes of each scene, and 5 s with MuJoCo");
  line.add_option("--hours", arguments.hours, "simulated hours after settling; default 1")
      .range(1e-3, 100.0);
  line.add_option("--partner-seconds", arguments.partner_seconds,
                  "seconds simulated with MuJoCo; default 60")
      .range(1.0, 1e6);
  line.add_option("--tolerance", arguments.tolerance, "tolerance of the certificate")
      .range(1e-13, 1e-2);
  ExperimentOutput output("stiction_table", "stiction.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
