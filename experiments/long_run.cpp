/// \file
/// Hours of random actions and pushes on ANYmal and Romeo: no NaN, every step certified or counted,
/// memory flat. What is not certified can be kept for the study of solvers.

#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <unistd.h>

#include "experiments/experiment_output.hpp"
#include "experiments/random_actions.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/record/state_file.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  bool quick = false;
  std::string robot = "both";
  double hours = 0.0;  ///< 0: as `--quick` has it
  std::uint64_t seed = 1;
  double step = 0.001;
  double tolerance = 1e-8;
  std::string solver = "hybrid";
  std::filesystem::path keep;
  int keep_at_most = 50;
};

/// Resident memory of this process [MB].
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A line on a terminal that is written anew twice a second; nothing in a pipe.
class Progress {
 public:
  explicit Progress(std::string name) : name_(std::move(name)), shown_(bench::progress_wanted()) {}
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(long long done, long long all, const RunCounts& counts) {
    const double elapsed = seconds_since(start_);
    if (!shown_ || elapsed < next_) return;
    next_ = elapsed + 0.5;
    const double share = static_cast<double>(done) / static_cast<double>(all);
    const double left = share > 0.0 ? elapsed / share - elapsed : 0.0;
    fmt::print(stderr, "\r\033[K{}: {:.1f} %, {:.0f} min left, {} not certified, {} refused", name_,
               100.0 * share, left / 60.0, counts.not_certified, counts.refused);
  }

 private:
  std::string name_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_ = 0.0;
};

/// Keeps what a solver could not do: the state before the step, and the problem if contacts are all
/// there is in it.
class Keeper {
 public:
  Keeper(std::filesystem::path folder, int at_most) : folder_(std::move(folder)), left_(at_most) {}

  void keep(const std::string& robot, const State& before, RandomActions& run) {
    if (folder_.empty() || left_ == 0) return;
    --left_;
    const std::string name = fmt::format("{}_{}", robot, run.count());
    Simulation& simulation = run.simulation();
    save_state(folder_ / (name + ".state"), simulation.model(), before);
    std::ofstream(folder_ / "index.txt", std::ios::app) << fmt::format(
        "{}: {} contacts, {} limits and others; {}\n", name, simulation.report().contacts.size(),
        simulation.report().constraints.size(), simulation.report().message);
    const ContactProblem* problem = simulation.workspace().last_problem();
    if (problem == nullptr || !simulation.report().constraints.empty()) return;
    save_fclib(folder_ / (name + ".hdf5"), *problem,
               {.title = name, .description = simulation.report().message, .math_info = {}});
  }

  [[nodiscard]] bool wants() const { return !folder_.empty() && left_ > 0; }

 private:
  std::filesystem::path folder_;
  int left_ = 0;
};

struct Robot {
  std::string name;
  std::string file;
  ActionRules rules;
};

std::vector<Robot> robots() {
  return {{"anymal", "anymal.urdf", {.height = 0.7, .reach = 1.0}},
          {"romeo", "romeo.urdf", {.height = 1.1, .reach = 0.6}}};
}

struct Result {
  RunCounts counts;
  long long diverged_streak = 0;
  double megabytes_early = 0.0;  ///< after a hundredth of the run
  double megabytes_late = 0.0;
  double seconds = 0.0;
  double fastest = 0.0;
  double contacts = 0.0;
  double away = 0.0;  ///< from where it began [m]
  std::uint64_t hash = 0;
  bool finite = true;
};

/// A state that is refused again and again would hide that nothing happens any more.
constexpr long long longest_streak = 10'000;

Result run_robot(const Robot& robot, const Arguments& arguments) {
  StepOptions options;
  options.time_step = arguments.step;
  options.solver = arguments.solver;
  options.solver_options.tolerance = arguments.tolerance;
  RandomActions run(robot_on_floor(models_folder() / robot.file), options, robot.rules,
                    arguments.seed);
  const auto steps = static_cast<long long>(std::round(arguments.hours * 3600.0 / arguments.step));
  Keeper keeper(arguments.keep, arguments.keep_at_most);
  Progress progress(robot.name);
  Result result;
  State before = run.simulation().state();
  const auto start = std::chrono::steady_clock::now();
  for (long long k = 0; k < steps && result.diverged_streak < longest_streak; ++k) {
    if (keeper.wants()) before = run.simulation().state();
    const StepReport& report = run.step();
    if (report.status == StepStatus::not_certified) keeper.keep(robot.name, before, run);
    const bool stood_still =
        report.status == StepStatus::refused || report.status == StepStatus::diverged;
    result.diverged_streak = stood_still ? result.diverged_streak + 1 : 0;
    result.finite &=
        run.simulation().state().q.allFinite() && run.simulation().state().v.allFinite();
    if (k == steps / 100) result.megabytes_early = resident_megabytes();
    if (k % 1000 == 0) progress.show(k, steps, run.simulation().counts());
  }
  result.seconds = seconds_since(start);
  result.megabytes_late = resident_megabytes();
  result.counts = run.simulation().counts();
  result.fastest = run.fastest();
  result.contacts = run.mean_contacts();
  result.away = run.simulation().state().q.head<2>().norm();
  result.hash = hash(run.simulation().state());
  return result;
}

int run(Arguments arguments, ExperimentOutput& output) {
  if (!make_solver(arguments.solver)) {
    throw std::invalid_argument(fmt::format("there is no solver '{}'", arguments.solver));
  }
  if (!arguments.keep.empty()) check_writable(arguments.keep / "index.txt");
  if (arguments.hours == 0.0) arguments.hours = arguments.quick ? 0.1 : 10.0;
  bench::Table table({"robot", "hours", "steps", "not certified", "refused", "worst residual",
                      "mean contacts", "deepest overlap, mm", "fastest", "away, m", "MB at 1 %",
                      "MB at end", "times real time", "hash"});
  bool good = true;
  for (const Robot& robot : robots()) {
    if (arguments.robot != "both" && arguments.robot != robot.name) continue;
    const Result r = run_robot(robot, arguments);
    good &= r.finite && r.diverged_streak < longest_streak;
    const double simulated = static_cast<double>(r.counts.steps) * arguments.step;
    table.add({robot.name, fmt::format("{:g}", simulated / 3600.0),
               fmt::format("{}", r.counts.steps), fmt::format("{}", r.counts.not_certified),
               fmt::format("{}", r.counts.refused), fmt::format("{:.1e}", r.counts.worst_residual),
               fmt::format("{:.2f}", r.contacts),
               fmt::format("{:.3f}", 1e3 * r.counts.deepest_overlap),
               fmt::format("{:.0f}", r.fastest), fmt::format("{:.0f}", r.away),
               fmt::format("{:.1f}", r.megabytes_early), fmt::format("{:.1f}", r.megabytes_late),
               fmt::format("{:.1f}", simulated / r.seconds), fmt::format("{:016x}", r.hash)});
    fmt::print("{}: {}\n", robot.name, r.finite ? "every number stayed finite" : "NaN");
  }
  output.table(
      "robots",
      fmt::format("\nh = {:g} ms, solver {}, tolerance {:.0e}, seed {}", 1e3 * arguments.step,
                  arguments.solver, arguments.tolerance, arguments.seed),
      table);
  return good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line("Hours of random actions and pushes on ANYmal and Romeo.",
                                    "long_run");
  line.add_option("--robot", arguments.robot, "anymal, romeo or both")
      .one_of({"anymal", "romeo", "both"});
  line.add_flag("--quick", arguments.quick, "a tenth of an hour of each robot");
  line.add_option("--hours", arguments.hours, "simulated hours; default 10").range(1e-5, 1000.0);
  line.add_option("--seed", arguments.seed, "seed of the actions and pushes");
  line.add_option("--step", arguments.step, "h [s]").range(1e-5, 0.02);
  line.add_option("--tolerance", arguments.tolerance, "tolerance of the certificate")
      .range(1e-14, 1e-2);
  line.add_option("--solver", arguments.solver, "name of the solver");
  line.add_option("--keep", arguments.keep,
                  "folder for states and problems that were not certified")
      .existing_folder();
  line.add_option("--keep-at-most", arguments.keep_at_most, "largest number of them per robot")
      .range(0, 100000);
  ExperimentOutput output("long_run", "experiments.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
