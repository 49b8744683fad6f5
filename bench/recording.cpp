/// \file
/// What recording costs: the standing quadruped, stepped with and without a Recorder in turns, at
/// every step and at one frame in ten. The caller's thread pays for copying; the recorder's own
/// thread must need less time than the simulation, or the caller waits for it in the end.

#include "stiction/record/recording.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <stdlib.h>
#include <time.h>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/step_drive.hpp"
#include "bench/step_stiction.hpp"

namespace stiction::bench {

namespace {

constexpr double largest_ratio = 1.25;  ///< of the caller's time per step, with over without
constexpr double minute = 60.0;         ///< [s]

struct Arguments {
  std::string json_file;
  std::string folder;
  int blocks = 60;
  int steps = 60'000;
};

/// A folder for recordings, gone at the end.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) {
    const std::filesystem::path base =
        parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent);
    std::string name = (base / "stiction_bench_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The robot on its feet, settled; with or without a recorder.
class Runner {
 public:
  Runner(const StepRobot& robot, const std::filesystem::path& path, int steps_per_frame)
      : engine_(robot), driver_(engine_, step_cases().front(), robot) {
    driver_.run(2000);
    if (steps_per_frame == 0) return;
    RecorderOptions options;
    options.steps_per_frame = steps_per_frame;
    recorder_ = std::make_unique<Recorder>(path, engine_.model(), RunDescription{}, options);
    recorder_->start(engine_.state());
  }
  void run(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      driver_.step();
      if (recorder_) recorder_->step(engine_.state(), engine_.report());
    }
  }
  void finish() {
    if (recorder_) recorder_->finish();
  }

 private:
  StictionEngine engine_;
  StepDriver driver_;
  std::unique_ptr<Recorder> recorder_;
};

struct Rate {
  std::string name;
  int steps_per_frame = 0;  ///< 0: not recorded
};
const std::vector<Rate>& rates() {
  static const std::vector<Rate> all{
      {"not recorded", 0}, {"every step", 1}, {"one frame in ten steps", 10}};
  return all;
}

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Of one whole run, with the time until the file is closed; all per step.
struct WholeRun {
  std::vector<double> wall;    ///< [s]
  std::vector<double> writer;  ///< CPU time of the recorder's thread [s]
  double bytes = 0.0;          ///< of the file
};

void run_whole(const StepRobot& robot, const std::filesystem::path& path, int steps_per_frame,
               int steps, WholeRun& result) {
  Runner runner(robot, path, steps_per_frame);
  const double wall = seconds_of(CLOCK_MONOTONIC);
  const double all = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  runner.run(steps);
  runner.finish();
  result.wall.push_back((seconds_of(CLOCK_MONOTONIC) - wall) / steps);
  result.writer.push_back(
      (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - all - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own)) /
      steps);
  if (steps_per_frame > 0) {
    result.bytes = static_cast<double>(std::filesystem::file_size(path)) / steps;
  }
}

std::vector<WholeRun> whole_runs(const StepRobot& robot, const Scratch& scratch, int steps) {
  constexpr int rounds = 5;
  std::vector<WholeRun> results(rates().size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      run_whole(robot, scratch.file("whole.h5"), rates()[k].steps_per_frame, steps, results[k]);
    }
  }
  return results;
}

Report callers_time(const StepRobot& robot, const Scratch& scratch, int blocks) {
  Options options;
  options.blocks = blocks;
  options.time_cap = 60.0;
  options.progress = progress_wanted();
  Harness harness(options);
  std::vector<std::unique_ptr<Runner>> runners;
  for (const Rate& rate : rates()) {
    runners.push_back(std::make_unique<Runner>(
        robot, scratch.file(fmt::format("caller{}.h5", rate.steps_per_frame)),
        rate.steps_per_frame));
    harness.add("stand", rate.name,
                [runner = runners.back().get()](std::int64_t n) { runner->run(n); });
  }
  return harness.run();
}

struct Line {
  std::string name;
  double caller = 0.0;  ///< CPU time of the caller's thread per step [s]
  double ratio = 0.0;   ///< to that without recording
  double writer = 0.0;  ///< CPU time of the recorder's thread per step [s]
  double wall = 0.0;    ///< time per step until the file is closed, over that without recording
  double minute = 0.0;  ///< size of a minute at 1 ms a step [bytes]
  bool holds = true;
};

std::vector<Line> lines_of(const Report& report, const std::vector<WholeRun>& runs,
                           double time_step) {
  std::vector<Line> lines;
  const double plain = report.seconds("stand", rates().front().name);
  for (std::size_t k = 0; k < rates().size(); ++k) {
    Line line;
    line.name = rates()[k].name;
    line.caller = report.seconds("stand", line.name);
    line.ratio = line.caller / plain;
    line.writer = median(runs[k].writer);
    line.wall = median(runs[k].wall) / median(runs.front().wall);
    line.minute = runs[k].bytes * minute / time_step;
    line.holds = line.ratio <= largest_ratio && line.writer <= plain;
    lines.push_back(line);
  }
  return lines;
}

std::string table_of(const std::vector<Line>& lines) {
  Table table({"standing quadruped", "caller [µs]", "ratio", "writer [µs]", "keeps up",
               "ratio of wall time", "MB per minute", ""});
  for (const Line& line : lines) {
    const bool recorded = line.minute > 0.0;
    table.add({line.name, microseconds(line.caller), ratio_text(line.ratio),
               recorded ? microseconds(line.writer) : "",
               !recorded                             ? ""
               : line.writer <= lines.front().caller ? "yes"
                                                     : "no",
               ratio_text(line.wall), recorded ? fmt::format("{:.1f}", 1e-6 * line.minute) : "",
               !recorded    ? ""
               : line.holds ? "PASS"
                            : "FAIL"});
  }
  return table.text();
}

void write_results(const std::string& path, const Report& report, const std::vector<Line>& lines) {
  nlohmann::json document = to_json(report);
  document["machine"] = machine_description();
  for (const Line& line : lines) {
    document["recording"].push_back({{"name", line.name},
                                     {"caller", line.caller},
                                     {"ratio", line.ratio},
                                     {"writer", line.writer},
                                     {"wall_ratio", line.wall},
                                     {"bytes_per_minute", line.minute},
                                     {"holds", line.holds}});
  }
  write_json(path, document);
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  const StepRobot robot = load_step_robot();
  const Scratch scratch(arguments.folder);
  const Report report = callers_time(robot, scratch, arguments.blocks);
  const std::vector<Line> lines =
      lines_of(report, whole_runs(robot, scratch, arguments.steps), robot.time_step);
  fmt::print("{}\nbound: ratio at most {:.2f}, and the writer takes no longer than the step\n{}",
             table_of(lines), largest_ratio, measurement_note(report));
  if (!arguments.json_file.empty()) write_results(arguments.json_file, report, lines);
  return std::ranges::all_of(lines, &Line::holds) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps the standing quadruped alternately with and without a recording. Exit code 0 if "
      "recording costs at most 25 % and its writer keeps up, else 1.",
      "bench_recording");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--folder", arguments.folder,
                  "folder in which recordings are written and removed");
  line.add_option("--blocks", arguments.blocks, "valid blocks required per contestant")
      .range(5, 10000);
  line.add_option("--steps", arguments.steps, "steps per run").range(1000, 10000000);
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
