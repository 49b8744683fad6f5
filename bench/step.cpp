/// \file
/// One quadruped, stepped by Stiction, MuJoCo, Bullet and ODE in turns: time per step, contacts,
/// how well feet stay where they are, and whether the required ratios hold.
///
/// Inside the timed region: reading the joints, the torques of the PD (the same code for all),
/// the step with Stiction's certificate, and the rare resets.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <optional>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/step_drive.hpp"
#include "bench/step_stiction.hpp"

namespace stiction::bench {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Arguments {
  std::string json_file;
  std::string filter;
  int blocks = 0;  ///< 0: as `quick` says
  bool quick = false;
  bool untimed = false;
  int steps = 0;  ///< above 0: only steps of ours, without a clock
};

/// One engine in one case, alive as long as its contestant.
struct Runner {
  std::unique_ptr<StepEngine> engine;
  std::unique_ptr<StepDriver> driver;
};

/// What does not depend on the clock.
struct Quality {
  std::array<double, 4> contacts{nan, nan, nan, nan};  ///< mean of each case
  double creep = nan;                                  ///< of a foot, standing for 10 s [m]
  double penetration = nan;                            ///< peak in `drop` [m]
  double standing_height = nan;                        ///< of the base [m]
  double lowest_mild = nan;                            ///< of the base in `mild` [m]
};

/// What our own reports say of a case.
struct OwnQuality {
  double certified = 0.0;  ///< share of the steps
  double worst_residual = 0.0;
  double iterations = 0.0;  ///< mean
  StepTimings stages;       ///< means [s]
};

std::vector<StepEntry> all_entries() {
  std::vector<StepEntry> list = stiction_entries();
  for (const auto& others : {mujoco_entries(), bullet_entries(), ode_entries()}) {
    list.insert(list.end(), others.begin(), others.end());
  }
  return list;
}

bool wanted(const std::string& filter, const StepCase& rules, const StepEntry& entry) {
  return fmt::format("{}/{}", rules.name, entry.name()).find(filter) != std::string::npos;
}

// ---- what the clock does not see
// -----------------------------------------------------------------

double largest_shift(const std::array<Eigen::Vector3d, 4>& a,
                     const std::array<Eigen::Vector3d, 4>& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, (a[k] - b[k]).head<2>().norm());
  }
  return most;
}

/// The foot that creeps furthest within 10 s, after 5 s to settle.
void look_at_standing(StepEngine& engine, StepDriver& driver, StepObserver& observer,
                      Quality& quality) {
  driver.run(5000);
  observer.look(engine);
  const auto before = observer.feet();
  driver.run(10'000);
  observer.look(engine);
  quality.creep = largest_shift(before, observer.feet());
  quality.standing_height = observer.base_height();
}

Quality quality_of(const StepEntry& entry, const StepRobot& robot) {
  Quality quality;
  StepObserver observer(robot);
  for (std::size_t c = 0; c < step_cases().size(); ++c) {
    const StepCase& rules = step_cases()[c];
    const auto engine = entry.make(robot, entry.index);
    StepDriver driver(*engine, rules, robot);
    if (rules.name == "stand") look_at_standing(*engine, driver, observer, quality);
    const int steps = rules.name == "stand" ? 100 : 10'000;
    double contacts = 0.0, deepest = -1.0, lowest = 1e9;
    for (int k = 0; k < steps; ++k) {
      driver.step();
      contacts += engine->contacts();
      observer.look(*engine);
      deepest = std::max(deepest, observer.penetration());
      lowest = std::min(lowest, observer.base_height());
    }
    quality.contacts[c] = contacts / steps;
    if (rules.name == "drop") quality.penetration = deepest;
    if (rules.name == "mild") quality.lowest_mild = lowest;
  }
  return quality;
}

void add_stages(StepTimings& sum, const StepTimings& one, double weight) {
  sum.kinematics += weight * one.kinematics;
  sum.collide += weight * one.collide;
  sum.assemble += weight * one.assemble;
  sum.solve += weight * one.solve;
  sum.certify += weight * one.certify;
  sum.integrate += weight * one.integrate;
  sum.report += weight * one.report;
}

OwnQuality own_quality_of(const StepRobot& robot, const StepCase& rules) {
  constexpr int warm_up = 1000, steps = 20'000;
  StictionEngine engine(robot);
  engine.options().timings = true;
  StepDriver driver(engine, rules, robot);
  driver.run(warm_up);
  OwnQuality quality;
  for (int k = 0; k < steps; ++k) {
    driver.step();
    const StepReport& report = engine.report();
    quality.certified += report.ok() ? 1.0 / steps : 0.0;
    quality.worst_residual = std::max(quality.worst_residual, report.certificate.residual());
    quality.iterations += static_cast<double>(report.iterations) / steps;
    add_stages(quality.stages, report.timings, 1.0 / steps);
  }
  return quality;
}

/// Steps ours without a clock and without the other engines, for a program that counts
/// instructions.
int count_only(const StepRobot& robot, const Arguments& arguments) {
  const StepEntry entry = stiction_entries().front();
  for (const StepCase& rules : step_cases()) {
    if (!wanted(arguments.filter, rules, entry)) continue;
    const auto engine = entry.make(robot, entry.index);
    StepDriver(*engine, rules, robot).run(arguments.steps);
    fmt::print("{}: {} steps\n", rules.name, arguments.steps);
  }
  return 0;
}

// ---- tables
// --------------------------------------------------------------------------------------

std::string time_table(const Report& report, const std::vector<StepEntry>& entries) {
  Table table({"µs per step", "stand", "drop", "rand", "mild"});
  for (const StepEntry& entry : entries) {
    std::vector<std::string> line{entry.name()};
    for (const StepCase& rules : step_cases()) {
      line.push_back(microseconds(report.seconds(rules.name, entry.name())));
    }
    table.add(std::move(line));
  }
  return table.text();
}

std::string quality_table(const std::vector<StepEntry>& entries,
                          const std::vector<Quality>& qualities) {
  Table table({"mean contacts", "stand", "drop", "rand", "mild", "creep of a foot in 10 s [µm]",
               "deepest in drop [mm]", "base standing [m]", "lowest in mild [m]"});
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Quality& q = qualities[k];
    std::vector<std::string> line{entries[k].name()};
    for (const double contacts : q.contacts) line.push_back(fmt::format("{:.2f}", contacts));
    line.insert(line.end(),
                {fmt::format("{:.3g}", 1e6 * q.creep), fmt::format("{:.2g}", 1e3 * q.penetration),
                 fmt::format("{:.4f}", q.standing_height), fmt::format("{:.3f}", q.lowest_mild)});
    table.add(std::move(line));
  }
  return table.text();
}

std::string own_table(const std::vector<OwnQuality>& qualities) {
  Table table({"Stiction, µs of the stages", "kinematics", "collide", "assemble", "solve",
               "certify", "integrate", "report", "certified", "worst residual", "iterations"});
  for (std::size_t c = 0; c < qualities.size(); ++c) {
    const OwnQuality& q = qualities[c];
    table.add({step_cases()[c].name, microseconds(q.stages.kinematics),
               microseconds(q.stages.collide), microseconds(q.stages.assemble),
               microseconds(q.stages.solve), microseconds(q.stages.certify),
               microseconds(q.stages.integrate), microseconds(q.stages.report),
               fmt::format("{:.3f} %", 100.0 * q.certified),
               fmt::format("{:.1e}", q.worst_residual), fmt::format("{:.2f}", q.iterations)});
  }
  return table.text();
}

/// The fastest setting of an engine in a case; nullptr if none was measured.
const Result* fastest(const Report& report, const std::vector<StepEntry>& entries,
                      const std::string& engine, const std::string& group, bool ranked) {
  const Result* best = nullptr;
  for (const StepEntry& entry : entries) {
    if (entry.engine != engine || entry.ranked != ranked) continue;
    const Result* result = report.find(group, entry.name());
    if (result != nullptr && (best == nullptr || result->seconds < best->seconds)) best = result;
  }
  return best;
}

/// A ratio that must hold on every machine.
struct Requirement {
  std::string what;
  double value = nan;
  double bound = 0.0;
  bool binding = true;  ///< else for information

  [[nodiscard]] bool measured() const { return !std::isnan(value); }
  [[nodiscard]] bool holds() const { return !binding || !measured() || value >= bound; }
};

std::vector<Requirement> requirements(const Report& report, const std::vector<StepEntry>& entries) {
  std::vector<Requirement> list;
  for (const StepCase& rules : step_cases()) {
    const double own = report.seconds(rules.name, entries.front().name());
    const auto add = [&](const std::string& engine, bool ranked, double bound) {
      const Result* best = fastest(report, entries, engine, rules.name, ranked);
      if (best == nullptr) return;
      list.push_back({fmt::format("{}: {}", rules.name, best->name), best->seconds / own, bound,
                      ranked && bound > 0.0});
    };
    add("MuJoCo", true, rules.required_mujoco);
    add("MuJoCo", false, 0.0);
    add("Bullet", true, rules.required_others);
    add("ODE", true, rules.required_others);
  }
  return list;
}

std::string requirement_table(const std::vector<Requirement>& list) {
  Table table({"times faster than the fastest setting", "is", "bound", ""});
  for (const Requirement& r : list) {
    table.add({r.what, ratio_text(r.value), r.binding ? fmt::format("≥ {:.1f}", r.bound) : "",
               !r.measured() ? "not measured"
               : !r.binding  ? ""
               : r.holds()   ? "pass"
                             : "FAIL"});
  }
  return table.text();
}

std::string goal_line(const Report& report, const StepEntry& own) {
  std::string line = "goals:";
  for (const StepCase& rules : step_cases()) {
    line +=
        fmt::format(" {} {} of {} µs;", rules.name,
                    microseconds(report.seconds(rules.name, own.name())), microseconds(rules.goal));
  }
  line.back() = '\n';
  return line;
}

nlohmann::json number(double value) {
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value);
}

nlohmann::json quality_json(const std::vector<StepEntry>& entries,
                            const std::vector<Quality>& qualities) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t k = 0; k < qualities.size(); ++k) {
    const Quality& q = qualities[k];
    list.push_back({{"name", entries[k].name()},
                    {"mean_contacts", q.contacts},
                    {"foot_creep", number(q.creep)},
                    {"peak_penetration", number(q.penetration)},
                    {"standing_height", number(q.standing_height)}});
  }
  return list;
}

void write_results(const Arguments& arguments, const Report& report,
                   const std::vector<Requirement>& required, const std::vector<StepEntry>& entries,
                   const std::vector<Quality>& qualities) {
  nlohmann::json document = to_json(report);
  document["machine"] = machine_description();
  document["quality"] = quality_json(entries, qualities);
  for (const Requirement& r : required) {
    document["required"].push_back({{"what", r.what},
                                    {"value", number(r.value)},
                                    {"bound", r.bound},
                                    {"binding", r.binding},
                                    {"holds", r.holds()}});
  }
  write_json(arguments.json_file, document);
}

// ---- the program
// ---------------------------------------------------------------------------------

/// The step is warm: everything allocated, the standing robot settled.
std::vector<Runner> add_contestants(Harness& harness, const std::vector<StepEntry>& entries,
                                    const StepRobot& robot, const std::string& filter) {
  std::vector<Runner> runners;
  for (const StepCase& rules : step_cases()) {
    for (const StepEntry& entry : entries) {
      if (!wanted(filter, rules, entry)) continue;
      Runner runner{entry.make(robot, entry.index), nullptr};
      runner.driver = std::make_unique<StepDriver>(*runner.engine, rules, robot);
      StepDriver* driver = runner.driver.get();
      driver->run(2000);
      harness.add(rules.name, entry.name(), [driver](std::int64_t n) { driver->run(n); });
      runners.push_back(std::move(runner));
    }
  }
  return runners;
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  Options options;
  options.blocks = arguments.blocks > 0 ? arguments.blocks : arguments.quick ? 25 : 100;
  options.groups = 5;
  options.time_cap = arguments.quick ? 60.0 : 600.0;
  options.progress = progress_wanted();

  const StepRobot robot = load_step_robot();
  if (arguments.steps > 0) return count_only(robot, arguments);
  const std::vector<StepEntry> entries = all_entries();
  Harness harness(options);
  const std::vector<Runner> runners = add_contestants(harness, entries, robot, arguments.filter);
  if (runners.empty()) {
    throw std::invalid_argument(
        fmt::format("no contestant has '{}' in its name", arguments.filter));
  }
  std::vector<Quality> qualities;
  for (const StepEntry& entry : entries) qualities.push_back(quality_of(entry, robot));
  std::vector<OwnQuality> own;
  for (const StepCase& rules : step_cases()) own.push_back(own_quality_of(robot, rules));
  fmt::print("{}\n{}\n", quality_table(entries, qualities), own_table(own));
  if (arguments.untimed) return 0;

  const Report report = harness.run();
  const std::vector<Requirement> required = requirements(report, entries);
  fmt::print("{}\n{}\n{}{}", time_table(report, entries), requirement_table(required),
             goal_line(report, entries.front()), measurement_note(report));
  if (!arguments.json_file.empty()) {
    write_results(arguments, report, required, entries, qualities);
  }
  return std::ranges::all_of(required, [](const Requirement& r) { return r.holds(); }) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps one quadruped with Stiction, MuJoCo, Bullet and ODE. Exit code 0 if the required "
      "ratios that were measured hold, else 1.",
      "bench_step");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--filter", arguments.filter,
                  "only contestants with this in their name, such as stand/ or drop/MuJoCo");
  line.add_option("--blocks", arguments.blocks, "valid blocks required per contestant")
      .range(5, 10000);
  line.add_flag("--quick", arguments.quick, "fewer blocks, at most a minute");
  line.add_flag("--untimed", arguments.untimed,
                "measure only contacts, creep, penetration and stages");
  line.add_option("--steps", arguments.steps,
                  "only step Stiction this often per case, for scripts/count_instructions")
      .range(1, 1'000'000);
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
