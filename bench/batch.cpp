/// \file
/// Many quadrupeds at once: Stiction's Batch, the same robots one after another, and MuJoCo with
/// one mjData per robot on the same threads. All contestants do a short block in turns; ratios are
/// those of neighbouring blocks.
///
/// The clock is wall time, because threads count. It sees the PD (the same code for all, on one
/// thread) and the step; on few cores with other users the quiet half of the blocks is what counts.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "bench/batch_contestant.hpp"
#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/statistics.hpp"
#include "bench/step_drive.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

namespace {

constexpr std::uint64_t seed = 11;
/// Robot-steps in a block, and before the first.
constexpr int block_steps = 4096;
constexpr int warm_up_steps = 300;
/// Robots start one after another, so that not all of them do the same at the same time.
constexpr int stagger = 7;

struct Arguments {
  std::string json_file;
  std::string filter;
  std::vector<std::string> counts{"1", "64", "1024"};
  std::vector<std::string> threads{"1", "2"};
  int rounds = 0;
  bool quick = false;
};

/// Drives one contestant through one case, for ever.
class BatchDriver {
 public:
  BatchDriver(BatchContestant& robots, int count, const StepCase& rules, const StepRobot& robot)
      : robots_(robots), rules_(rules), stand_(robot.stand) {
    for (int i = 0; i < count; ++i) {
      random_.emplace_back(seed + static_cast<std::uint64_t>(i));
      ages_.push_back((stagger * i) % std::max(1, rules.target_steps));
      targets_.emplace_back();
      start(i);
      choose_targets(i);
    }
  }

  void step() {
    for (int i = 0; i < static_cast<int>(ages_.size()); ++i) prepare(i);
    robots_.step();
  }

 private:
  void start(int i) {
    Random& random = random_[index(i)];
    Eigen::Vector3d position = stand_.head<3>();
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    if (rules_.thrown) {
      const double heading = random.uniform(0.0, 2.0 * std::numbers::pi);
      // From different heights, so that some fly, some land and some lie.
      position.z() = random.uniform(0.55, 1.0);
      velocity = {std::cos(heading), std::sin(heading), 0.0};
    }
    robots_.reset(i, position, velocity);
  }

  void choose_targets(int i) {
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      double& target = targets_[index(i)][k];
      target = stand_[static_cast<Eigen::Index>(7 + k)];
      if (rules_.deviation > 0.0) target += rules_.deviation * random_[index(i)].normal();
    }
  }

  void prepare(int i) {
    std::int64_t& age = ages_[index(i)];
    ++age;
    if (rules_.reset_steps > 0 && (age + 41 * i) % rules_.reset_steps == 0) start(i);
    if (!(rules_.stiffness > 0.0)) return;
    if (rules_.deviation > 0.0 && age % rules_.target_steps == 0) choose_targets(i);
    robots_.read_legs(i, legs_);
    LegTorques torques;
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      torques[k] = rules_.stiffness * (targets_[index(i)][k] - legs_.angle[k]) -
                   rules_.damping * legs_.rate[k];
    }
    robots_.set_torques(i, torques);
  }

  BatchContestant& robots_;
  const StepCase& rules_;
  Eigen::VectorXd stand_;
  std::vector<Random> random_;
  std::vector<std::int64_t> ages_;
  std::vector<LegTorques> targets_;
  LegState legs_;
};

struct Runner {
  std::unique_ptr<BatchContestant> robots;
  std::unique_ptr<BatchDriver> driver;
  std::vector<double> seconds;  ///< of each block, per robot and step
};

double time_of(Runner& runner, int count) {
  const int steps = std::max(1, block_steps / count);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) runner.driver->step();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / (static_cast<double>(steps) * count);
}

/// Of each round the ratio to the first runner, of these the median.
double ratio_to_first(const std::vector<Runner>& runners, std::size_t of) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < runners[of].seconds.size(); ++k) {
    ratios.push_back(runners[of].seconds[k] / runners.front().seconds[k]);
  }
  return median(std::move(ratios));
}

/// The fastest setting of MuJoCo in a case, by a short trial with few robots; -1 without MuJoCo.
int fastest_setting(const StepRobot& robot, const StepCase& rules) {
  constexpr int robots = 32, trials = 5;
  std::vector<Runner> runners;
  for (std::size_t k = 0; k < mujoco_batch_settings().size(); ++k) {
    Runner runner{make_mujoco_batch(robot, robots, 1, static_cast<int>(k)), nullptr, {}};
    runner.driver = std::make_unique<BatchDriver>(*runner.robots, robots, rules, robot);
    for (int step = 0; step < warm_up_steps; ++step) runner.driver->step();
    runners.push_back(std::move(runner));
  }
  for (int trial = 0; trial < trials; ++trial) {
    for (Runner& runner : runners) runner.seconds.push_back(time_of(runner, robots));
  }
  const auto fastest = std::ranges::min_element(
      runners, {}, [](const Runner& runner) { return median(runner.seconds); });
  return fastest == runners.end() ? -1 : static_cast<int>(fastest - runners.begin());
}

std::vector<Runner> make_runners(const StepRobot& robot, const StepCase& rules, int count,
                                 int threads, int setting) {
  std::vector<Runner> runners;
  const auto add = [&](std::unique_ptr<BatchContestant> robots) {
    Runner runner{std::move(robots), nullptr, {}};
    runner.driver = std::make_unique<BatchDriver>(*runner.robots, count, rules, robot);
    for (int k = 0; k < warm_up_steps; ++k) runner.driver->step();
    runners.push_back(std::move(runner));
  };
  add(make_stiction_loop(robot, count));
  add(make_stiction_batch(robot, count, threads));
  if (setting >= 0) add(make_mujoco_batch(robot, count, threads, setting));
  return runners;
}

int number_in(const std::string& text, int least, int most, const char* option) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least && value <= most) return value;
  throw std::invalid_argument(
      fmt::format("{}: '{}' is not a whole number from {} to {}", option, text, least, most));
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  std::vector<int> threads;
  for (const std::string& text : arguments.threads) {
    threads.push_back(number_in(text, 1, 256, "--threads"));
  }
  std::vector<int> counts;
  for (const std::string& text : arguments.counts) {
    counts.push_back(number_in(text, 1, 16'384, "--counts"));
  }
  const int rounds = arguments.rounds > 0 ? arguments.rounds : arguments.quick ? 7 : 31;
  const StepRobot robot = load_step_robot();
  nlohmann::json document{{"machine", machine_description()}, {"results", nlohmann::json::array()}};
  Table table({"contestant", "robots", "case", "steps/s", "time, of one after another", "certified",
               "deepest overlap [µm]"});
  for (const StepCase& rules : step_cases()) {
    if (rules.name.find(arguments.filter) == std::string::npos) continue;
    const int setting = fastest_setting(robot, rules);
    for (const int count : counts) {
      for (const int number : threads) {
        std::vector<Runner> runners = make_runners(robot, rules, count, number, setting);
        for (int round = 0; round < rounds; ++round) {
          for (Runner& runner : runners) runner.seconds.push_back(time_of(runner, count));
        }
        for (std::size_t k = 0; k < runners.size(); ++k) {
          const BatchContestant& robots = *runners[k].robots;
          const double rate = 1.0 / median(runners[k].seconds);
          const double certified = robots.certified();
          table.add({robots.name(), fmt::format("{}", count), rules.name,
                     fmt::format("{:.0f}", rate), ratio_text(ratio_to_first(runners, k)),
                     std::isnan(certified) ? "" : fmt::format("{:.4f} %", 100.0 * certified),
                     fmt::format("{:.3g}", 1e6 * robots.deepest())});
          document["results"].push_back({{"name", robots.name()},
                                         {"case", rules.name},
                                         {"count", count},
                                         {"steps_per_second", rate},
                                         {"time_ratio", ratio_to_first(runners, k)},
                                         {"deepest_overlap", robots.deepest()}});
        }
      }
    }
  }
  fmt::print("{}", table.text());
  if (!arguments.json_file.empty()) write_json(arguments.json_file, document);
  return 0;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps many quadrupeds at once with Stiction and MuJoCo, and compares steps per second.",
      "bench_batch");
  line.add_option("--counts", arguments.counts, "numbers of robots").separated_by(',');
  line.add_option("--threads", arguments.threads, "numbers of threads").separated_by(',');
  line.add_option("--filter", arguments.filter, "only cases with this in their name");
  line.add_option("--rounds", arguments.rounds, "blocks per contestant").range(3, 10'000);
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_flag("--quick", arguments.quick, "fewer blocks, about two minutes");
  return run_program(line, argc, argv, [&] { return run(arguments); });
}
