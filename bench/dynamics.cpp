/// \file
/// Times the dynamics kernels against MuJoCo and DART on the same robots and states, and says
/// whether the required ratios hold.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <optional>

#include "bench/kernels.hpp"
#include "bench/output.hpp"
#include "bench/partner.hpp"
#include "bench/program.hpp"

namespace stiction::bench {

namespace {

constexpr int state_count = 16;
constexpr std::uint64_t seed = 20;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Arguments {
  std::string json_file;
  std::string filter;
  bool quick = false;
  int blocks = 0;  ///< 0: as `quick` says
};

/// A robot, its states and its partners, alive as long as their contestants.
struct Match {
  Robot robot;
  std::vector<RobotState> states;
  std::vector<std::unique_ptr<Partner>> partners;
};

std::unique_ptr<Match> make_match(const std::string& name) {
  auto match = std::make_unique<Match>(Match{load_robot(name), {}, {}});
  match->states = random_states(match->robot.model, state_count, seed);
  for (const auto make : {make_mujoco_partner, make_dart_partner}) {
    if (auto partner = make(match->robot, match->states)) {
      match->partners.push_back(std::move(partner));
    }
  }
  return match;
}

/// Largest difference in relation to the largest entry.
double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference = std::max(difference, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
  }
  return difference / size;
}

/// Throws unless all engines accelerate alike: a race of robots that differ says nothing. The
/// tolerance leaves room for the rounding of different algorithms on a chain of 100 links.
double check_agreement(const Match& match) {
  constexpr double tolerance = 1e-9;
  double worst = 0.0;
  KernelRunner<double> runner(match.robot, match.states);
  KernelRunner<Lane> lanes(match.robot, match.states);
  for (const RobotState& state : match.states) {
    runner.next_state();
    runner.aba();
    lanes.next_state();
    lanes.aba();
    for (std::size_t k = 0; k < state.v.size(); ++k) {
      if (lane_value(lanes.acceleration()[k], 0) != runner.acceleration()[k]) {
        throw std::runtime_error(
            fmt::format("{}: results of a lane and of a single robot differ; nothing is timed",
                        match.robot.name));
      }
    }
    for (const auto& partner : match.partners) {
      const double difference =
          relative_difference(runner.acceleration(), partner->acceleration(state));
      worst = std::max(worst, difference);
      if (difference <= tolerance) continue;
      throw std::runtime_error(
          fmt::format("{}: {} computes other accelerations (relative difference {:.1e}, limit "
                      "{:.0e}); nothing is timed",
                      match.robot.name, partner->name(), difference, tolerance));
    }
  }
  return worst;
}

void add_contestants(Harness& harness, const Match& match, const std::string& filter) {
  const std::string& group = match.robot.name;
  const auto add = [&](const Partner::Contestant& contestant, double items) {
    const std::string full_name = group + "/" + contestant.first;
    if (full_name.find(filter) == std::string::npos) return;
    harness.add(group, contestant.first, contestant.second, items);
  };
  for (const auto& contestant : kernel_contestants<double>(match.robot, match.states)) {
    add(contestant, 1.0);
  }
  for (const auto& contestant : kernel_contestants<Lane>(match.robot, match.states)) {
    add(contestant, static_cast<double>(lane_width));
  }
  for (const auto& partner : match.partners) {
    for (const auto& contestant : partner->contestants()) add(contestant, 1.0);
  }
}

/// MuJoCo's way to the same result as one of our kernels.
std::string mujoco_equivalent(const std::string& kernel) {
  return kernel.rfind("ABA", 0) == 0 ? "mj_forward" : "mj: " + kernel;
}

/// Our kernels beside MuJoCo's equivalents, and DART.
std::string kernel_table(const Report& report, const Match& match) {
  const std::string& group = match.robot.name;
  Table table({group, "double", "lanes", "lanes ×", "MuJoCo", "double/MuJoCo", "lanes/MuJoCo",
               "DART", "double/DART"});
  for (const std::string kernel : kernel_names) {
    const double alone = report.seconds(group, contestant_name(kernel, false));
    const double lanes = report.seconds(group, contestant_name(kernel, true));
    const double mujoco = report.seconds(group, mujoco_equivalent(kernel));
    const double dart =
        kernel == "ABA" ? report.seconds(group, "DART computeForwardDynamics") : nan;
    if (std::isnan(alone) && std::isnan(lanes) && std::isnan(mujoco)) continue;
    table.add({kernel, microseconds(alone), microseconds(lanes), ratio_text(alone / lanes),
               microseconds(mujoco), ratio_text(alone / mujoco), ratio_text(lanes / mujoco),
               microseconds(dart), ratio_text(alone / dart)});
  }
  return table.text();
}

/// MuJoCo's functions one by one.
std::string mujoco_table(const Report& report, const std::vector<std::string>& groups) {
  std::vector<std::string> heading{"MuJoCo, function alone"};
  heading.insert(heading.end(), groups.begin(), groups.end());
  Table table(heading);
  bool measured = false;
  for (const char* name :
       {"mj_kinematics", "mj_comPos", "mj_crb", "mj_factorM", "mj_rne", "mj_forward"}) {
    std::vector<std::string> row{name};
    for (const std::string& group : groups) {
      measured = measured || report.find(group, name) != nullptr;
      row.push_back(microseconds(report.seconds(group, name)));
    }
    table.add(row);
  }
  return measured ? table.text() : std::string{};
}

/// A ratio that must hold on every machine.
struct Requirement {
  std::string what;
  double value = nan;
  double bound = 0.0;
  bool at_most = true;
  std::optional<double> goal;

  [[nodiscard]] bool measured() const { return !std::isnan(value); }
  [[nodiscard]] bool holds() const { return at_most ? value <= bound : value >= bound; }
};

std::vector<Requirement> requirements(const Report& report) {
  const std::string robot = "anymal_lumped";
  const auto time = [&](const std::string& name) { return report.seconds(robot, name); };
  const double mujoco = time("mj_forward");
  const std::string aba = contestant_name("ABA", false);
  return {
      {"ABA / mj_forward", time(aba) / mujoco, 0.40, true, 0.30},
      {"factorization, bias and Delassus of 4 feet / mj_forward",
       time(contestant_name("ABA + Delassus", false)) / mujoco, 0.50, true, 0.35},
      // A lone robot with limbs of the same structure sweeps them in lanes already; a chain has
      // none.
      {fmt::format("throughput of {} lanes / double, ABA of 10 links", lane_width),
       report.seconds("chain10", aba) / report.seconds("chain10", contestant_name("ABA", true)),
       0.875 * static_cast<double>(lane_width),
       false,
       {}},
      {fmt::format("throughput of {} lanes / double, ABA", lane_width),
       time(aba) / time(contestant_name("ABA", true)),
       0.375 * static_cast<double>(lane_width),
       false,
       {}},
      {"ABA of 100 links / of 10",
       report.seconds("chain100", aba) / report.seconds("chain10", aba),
       11.0,
       true,
       {}},
  };
}

std::string requirement_table(const std::vector<Requirement>& list) {
  Table table({"required", "is", "bound", "goal", ""});
  for (const Requirement& r : list) {
    const char* sign = r.at_most ? "≤" : "≥";
    table.add({r.what, ratio_text(r.value), fmt::format("{} {:.2f}", sign, r.bound),
               r.goal ? fmt::format("{} {:.2f}", sign, *r.goal) : "",
               !r.measured() ? "not measured"
               : r.holds()   ? "pass"
                             : "FAIL"});
  }
  return table.text();
}

nlohmann::json requirement_json(const std::vector<Requirement>& list) {
  nlohmann::json result = nlohmann::json::array();
  for (const Requirement& r : list) {
    nlohmann::json entry{{"what", r.what}, {"bound", r.bound}, {"at_most", r.at_most}};
    if (r.measured()) entry.update({{"value", r.value}, {"holds", r.holds()}});
    if (r.goal) entry["goal"] = *r.goal;
    result.push_back(entry);
  }
  return result;
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  const std::vector<std::string> names =
      arguments.quick
          ? std::vector<std::string>{"anymal_lumped", "chain10", "chain100"}
          : std::vector<std::string>{"anymal_lumped", "romeo", "chain10", "chain30", "chain100"};
  Options options;
  options.blocks = arguments.blocks > 0 ? arguments.blocks : arguments.quick ? 5 : 15;
  options.time_cap = arguments.quick ? 30.0 : 300.0;
  options.progress = progress_wanted();
  Harness harness(options);
  std::vector<std::unique_ptr<Match>> matches;
  double worst = 0.0;
  for (const std::string& name : names) {
    matches.push_back(make_match(name));
    worst = std::max(worst, check_agreement(*matches.back()));
    add_contestants(harness, *matches.back(), arguments.filter);
  }
  if (harness.size() == 0) {
    throw std::invalid_argument(
        fmt::format("no contestant has '{}' in its name", arguments.filter));
  }
  fmt::print("All engines agree on the accelerations (largest relative difference {:.0e}).\n",
             worst);

  const Report report = harness.run();
  const std::vector<Requirement> required = requirements(report);
  fmt::print("Times in µs per robot, {} lanes.\n\n", lane_width);
  for (const auto& match : matches) fmt::print("{}\n", kernel_table(report, *match));
  fmt::print("{}\n{}\n{}", mujoco_table(report, names), requirement_table(required),
             measurement_note(report));
  if (!arguments.json_file.empty()) {
    nlohmann::json document = to_json(report);
    document["machine"] = machine_description();
    document["required"] = requirement_json(required);
    write_json(arguments.json_file, document);
  }
  return std::all_of(required.begin(), required.end(),
                     [](const Requirement& r) { return !r.measured() || r.holds(); })
             ? 0
             : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Times the dynamics kernels against MuJoCo and DART. Exit code 0 if the required ratios that "
      "were measured hold, else 1.",
      "bench_dynamics");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--filter", arguments.filter,
                  "only contestants with this in their name, such as chain or anymal_lumped/ABA");
  line.add_option("--blocks", arguments.blocks, "valid blocks required per contestant")
      .range(5, 1000);
  line.add_flag("--quick", arguments.quick, "fewer robots and blocks, at most half a minute");
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
