/// \file
/// True stiction: how far things creep that should rest, in an hour, with nothing put to sleep.
/// MuJoCo on the same files beside it. And a force of 1e-6 N beyond the friction cone does move the
/// box.

#include <algorithm>
#include <fmt/core.h>

#include "bench/output.hpp"
#include "bench/program.hpp"
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
  double hours = 1.0;
  double partner_seconds = 60.0;
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
             length(creep.end), length(creep.per_hour())});
}

void note_progress(const std::string& what) {
  if (bench::progress_wanted()) fmt::print(stderr, "\r\033[K{}", what);
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

int run(const Arguments& arguments) {
  const std::filesystem::path folder = models_folder() / "scenes";
  bench::Table table(
      {"scene", "engine", "simulated, s", "furthest, m", "at the end, m", "m per hour"});
  bool good = true;
  for (const RestScene& scene : rest_scenes()) {
    note_progress(scene.name + ", Stiction");
    StictionRest engine(folder / scene.file, scene, arguments.tolerance);
    const Creep ours = measure(engine, scene, 3600.0 * arguments.hours);
    good &= ours.per_hour() < 1e-8 && ours.not_certified == 0;
    add_row(table, scene.name, "Stiction", ours);
    if (ours.not_certified > 0)
      fmt::print("{}: {} steps not certified\n", scene.name, ours.not_certified);
    for (const MujocoSetting& setting : mujoco_settings()) {
      note_progress(scene.name + ", MuJoCo, " + setting.name);
      const auto partner = mujoco_engine(folder, scene, setting);
      add_row(table, "", "MuJoCo 2.2.2, " + setting.name,
              measure(*partner, scene, arguments.partner_seconds));
    }
  }
  note_progress("");
  fmt::print("h = 1 ms, solver tolerance {:.0e}, nothing sleeps\n\n{}\n", arguments.tolerance,
             table.text());
  const double held = pulled(folder, -1e-6, arguments.tolerance);
  const double slid = pulled(folder, 1e-6, arguments.tolerance);
  // Beyond the cone by f the box gets (cos + µ sin) f/m downhill.
  fmt::print(
      "Box on the slope, pulled for 10 s. The cone ends at {:.9f} N.\n"
      "  1e-6 N less: moves {:.1e} m\n  1e-6 N more: moves {:.3e} m (½ a t² = {:.3e} m, "
      "moving already when the 10 s begin)\n",
      slope_box_limit(), held, slid,
      0.5 * 1e-6 * (std::cos(0.34906585) + 0.5 * std::sin(0.34906585)) * (121.0 - 1.0));
  good &= held < 1e-8 && slid > 1e-5;
  return good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line("Creep of resting bodies in an hour, compared with MuJoCo.",
                                    "stiction_table");
  line.add_option("--hours", arguments.hours, "simulated hours after settling").range(1e-3, 100.0);
  line.add_option("--partner-seconds", arguments.partner_seconds, "seconds simulated with MuJoCo")
      .range(1.0, 1e6);
  line.add_option("--tolerance", arguments.tolerance, "tolerance of the certificate")
      .range(1e-13, 1e-2);
  return stiction::bench::run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
