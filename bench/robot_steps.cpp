/// \file
/// How long a step of robots that others wrote takes: by stage, beside MuJoCo 2.2.2 where that
/// reads the file, and beside the times of MuJoCo 3 that ../shared/reference/mujoco3 lists.
///
/// Every robot starts from its first keyframe with that keyframe's control and default options.
/// Both engines take turns in blocks of 0.05 s of simulated time or 100 steps; the median of the
/// blocks counts, as in the reference.

#include "bench/robot_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fmt/core.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "stiction/collision/collider.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/step.hpp"
#include "stiction/touch/start_overlaps.hpp"

namespace stiction::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double block_time = 0.05;   ///< simulated [s], at least
constexpr int fewest_in_block = 100;  ///< steps; for fewer, reading the clock shows

struct Arguments {
  std::vector<std::string> files;
  int steps = 1000;
  double seconds = 4.0;  ///< at most, per file and engine
  bool untimed = false;
  bool stages_only = false;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  if (values.empty()) return unknown;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Stiction with default options.
class StictionRun : public RobotRun {
 public:
  explicit StictionRun(const fs::path& file)
      : model_(load(file)), workspace_(model_), state_(start_of(model_)) {
    if (!model_.keyframes().empty()) control_ = model_.keyframes().front().control;
  }
  void step() override {
    if (control_.size() > 0) input_.control = {control_.data(), model_.actuators().size()};
    stiction::step(model_, options_, input_, state_, workspace_, report_);
    ++steps_;
    certified_ += report_.ok() ? 1 : 0;
    contacts_ += static_cast<double>(report_.contacts.size());
  }
  [[nodiscard]] double time_step() const override { return model_.time_step(); }
  void measure_stages() { options_.timings = true; }
  [[nodiscard]] const StepReport& report() const { return report_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] ColliderWork work() const { return workspace_.collider().work(); }
  [[nodiscard]] double certified_share() const { return certified_ / std::max(steps_, 1.0); }
  [[nodiscard]] double mean_contacts() const { return contacts_ / std::max(steps_, 1.0); }

 private:
  [[nodiscard]] static State start_of(const Model& model) {
    return model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
  }
  /// As `stiction simulate` does: links that overlap at the start do not collide.
  [[nodiscard]] static Model load(const fs::path& file) {
    const Model model = load_model(file).model;
    return without_overlaps(model, find_start_overlaps(model, start_of(model)));
  }

  Model model_;
  Workspace workspace_;
  State state_;
  Eigen::VectorXd control_;
  StepOptions options_;
  StepInput input_;
  StepReport report_;
  double steps_ = 0.0;
  double certified_ = 0.0;
  double contacts_ = 0.0;
};

/// Seconds of CPU time per step of each block.
struct Blocks {
  RobotRun* run = nullptr;
  std::vector<double> seconds;
  double worst = 0.0;  ///< block
  double total = 0.0;
  int steps = 0;

  void run_one() {
    const int count =
        std::max(fewest_in_block, static_cast<int>(std::lround(block_time / run->time_step())));
    const double start = cpu_seconds();
    for (int i = 0; i < count; ++i) run->step();
    const double spent = cpu_seconds() - start;
    seconds.push_back(spent / count);
    worst = std::max(worst, spent / count);
    total += spent;
    steps += count;
  }
};

struct Row {
  std::string name;
  int velocities = 0;
  double contacts = unknown;
  ColliderWork work;
  double certified = unknown;
  double ours = unknown;       ///< [s]
  double worst = unknown;      ///< slowest block [s]
  double mujoco = unknown;     ///< 2.2.2, same run [s]
  double reference = unknown;  ///< MuJoCo 3, on another machine [s]
  StepTimings stages;          ///< medians [s]
  std::string fault;
};

/// `…/menagerie/unitree_go1/scene.xml` → `menagerie__unitree_go1__scene`, `…/suite/walker.xml` →
/// `dm_control__walker`.
std::string reference_name(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  if (folder == "suite") return "dm_control__" + file.stem().string();
  return "menagerie__" + folder + "__" + file.stem().string();
}

double reference_seconds(const fs::path& file) {
  std::ifstream text(fs::path(STICTION_REFERENCE_DIR) / "mujoco3" /
                     (reference_name(file) + ".json"));
  if (!text) return unknown;
  const json document = json::parse(text, nullptr, false);
  const json::json_pointer at("/trajectories/own/cpu_us_per_step");
  return document.contains(at) ? 1e-6 * document.at(at).get<double>() : unknown;
}

std::vector<fs::path> default_files() {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = STICTION_REFERENCE_DIR;
  for (const auto& robot : fs::directory_iterator(folder / "menagerie", error)) {
    for (const auto& file : fs::directory_iterator(robot.path(), error)) {
      if (file.path().extension() == ".xml" &&
          file.path().filename().string().starts_with("scene")) {
        files.push_back(file.path());
      }
    }
  }
  for (const auto& file : fs::directory_iterator(folder / "suite", error)) {
    if (file.path().extension() == ".xml") files.push_back(file.path());
  }
  std::ranges::sort(files);
  return files;
}

/// A run of its own, because reading the clock takes time as well. Medians, because the stages are
/// timed by a clock that also runs while others use the machine.
StepTimings median_stages(const fs::path& file, const Arguments& arguments) {
  constexpr std::array stages{&StepTimings::kinematics, &StepTimings::collide,
                              &StepTimings::assemble,   &StepTimings::solve,
                              &StepTimings::certify,    &StepTimings::integrate};
  std::array<std::vector<double>, stages.size()> seconds;
  StictionRun run(file);
  run.measure_stages();
  const double start = cpu_seconds();
  for (int done = 0; done < arguments.steps && cpu_seconds() - start < arguments.seconds; ++done) {
    run.step();
    for (std::size_t k = 0; k < stages.size(); ++k) {
      seconds[k].push_back(run.report().timings.*stages[k]);
    }
  }
  StepTimings result;
  for (std::size_t k = 0; k < stages.size(); ++k) result.*stages[k] = median(seconds[k]);
  return result;
}

void race(const fs::path& file, const Arguments& arguments, Row& row) {
  StictionRun stiction(file);
  row.velocities = stiction.model().velocity_count();
  const std::unique_ptr<RobotRun> mujoco = make_mujoco_run(file);
  Blocks own{.run = &stiction, .seconds = {}};
  Blocks theirs{.run = mujoco.get(), .seconds = {}};
  while (own.steps < arguments.steps && own.total < arguments.seconds) {
    own.run_one();
    if (mujoco && theirs.total < arguments.seconds) theirs.run_one();
  }
  row.ours = median(own.seconds);
  row.worst = own.worst;
  row.mujoco = median(theirs.seconds);
  row.work = stiction.work();
  row.certified = stiction.certified_share();
  row.contacts = stiction.mean_contacts();
}

/// `folder/file` without its extension.
std::string name_of(const fs::path& file) {
  return (file.parent_path().filename() / file.stem()).string();
}

Row measure(const fs::path& file, const Arguments& arguments) {
  Row row;
  row.name = name_of(file);
  row.reference = reference_seconds(file);
  try {
    if (!arguments.untimed) row.stages = median_stages(file, arguments);
    race(file, arguments, row);
  } catch (const std::exception& error) {
    row.fault = std::string(error.what()).substr(0, 100);
  }
  return row;
}

std::string percent(double share) { return fmt::format("{:.1f}", 100.0 * share); }

/// Median of how much longer MuJoCo 2.2.2 takes here than MuJoCo 3 took where the reference was
/// made; NaN without any robot that both ran.
double calibration_of(const std::vector<Row>& rows) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const double ratio = row.mujoco / row.reference;
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return median(std::move(ratios));
}

void print(const std::vector<Row>& rows) {
  const double calibration = calibration_of(rows);
  Table table({"robot", "nv", "contacts", "pairs", "tested", "certified %", "µs", "worst",
               "kinematics", "collide", "assemble", "solve", "certify", "integrate", "MuJoCo 2.2.2",
               "MuJoCo 3 scaled", "ratio"});
  std::vector<double> ratios;
  for (const Row& row : rows) {
    if (!row.fault.empty()) {
      fmt::print("{}: {}\n", row.name, row.fault);
      continue;
    }
    const double scaled = calibration * row.reference;
    const double best = std::isfinite(scaled) ? scaled : row.mujoco;
    if (std::isfinite(best)) ratios.push_back(row.ours / best);
    table.add({row.name, std::to_string(row.velocities), fmt::format("{:.1f}", row.contacts),
               std::to_string(row.work.pairs), std::to_string(row.work.tested),
               percent(row.certified), microseconds(row.ours), microseconds(row.worst),
               microseconds(row.stages.kinematics), microseconds(row.stages.collide),
               microseconds(row.stages.assemble), microseconds(row.stages.solve),
               microseconds(row.stages.certify), microseconds(row.stages.integrate),
               microseconds(row.mujoco), microseconds(scaled), ratio_text(row.ours / best)});
  }
  fmt::print("{}\n", table.text());
  const auto within = [&](double limit) {
    return std::ranges::count_if(ratios, [&](double ratio) { return ratio <= limit; });
  };
  fmt::print(
      "MuJoCo 2.2.2 here / MuJoCo 3 in the reference: {} (median of the files that both run)\n"
      "of {} robots {} are faster than MuJoCo, {} at least twice; median ratio {}\n",
      ratio_text(calibration), ratios.size(), within(1.0), within(0.5), ratio_text(median(ratios)));
}

int run(const Arguments& arguments) {
  std::vector<fs::path> files(arguments.files.begin(), arguments.files.end());
  if (files.empty()) files = default_files();
  if (files.empty()) {
    throw std::invalid_argument(
        fmt::format("no robots in {}: name some files", STICTION_REFERENCE_DIR));
  }
  std::vector<Row> rows;
  for (const fs::path& file : files) {
    if (arguments.stages_only) {
      StictionRun stiction(file);
      for (int i = 0; i < arguments.steps; ++i) stiction.step();
      continue;
    }
    rows.push_back(measure(file, arguments));
    if (progress_wanted())
      fmt::print(stderr, "{}: {}\n", rows.back().name, microseconds(rows.back().ours));
  }
  if (!rows.empty()) print(rows);
  return 0;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps robots of MJCF and URDF files from their first keyframe and prints µs per step by "
      "stage, beside MuJoCo.",
      "bench_robots");
  line.add_option("files", arguments.files,
                  "files (default: all scenes of the reference robots, where they are there)");
  line.add_option("--steps", arguments.steps, "steps per robot").range(1, 10'000'000);
  line.add_option("--seconds", arguments.seconds, "CPU seconds per robot and engine, at most")
      .positive();
  line.add_flag("--untimed-stages", arguments.untimed, "leave out the run that times the stages");
  line.add_flag("--only-step", arguments.stages_only,
                "only step Stiction, for callgrind and counts of instructions");
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
