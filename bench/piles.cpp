/// \file
/// Piles of spheres and boxes in Stiction, Bullet, ODE and MuJoCo: time per step, contacts, how far
/// bodies overlap and creep, and how the time grows with the contacts.
///
/// Every engine lets the same start fall into a heap by itself; then it is judged for a while, and
/// then all take turns under the clock, each with a heap at rest.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>

#include "bench/output.hpp"
#include "bench/pile_stiction.hpp"
#include "bench/program.hpp"

namespace stiction::bench {

namespace {

constexpr std::array edges{3, 5, 8, 10, 16};
constexpr int settling_steps = 1000;  ///< 2 s
constexpr int judged_steps = 100;
constexpr int looks_every = 10;    ///< steps from one look at the overlaps to the next
constexpr int counted_steps = 20;  ///< for the contacts of a pile, after it was timed in turns
constexpr double largest_growth = 1.15;

struct Arguments {
  std::string json_file;
  std::string filter;
  int smallest = 1;
  int largest = 4096;
  int blocks = 15;
};

/// What one engine did with one pile.
struct Outcome {
  std::string group;
  std::string name;
  std::string engine;
  PileKind kind = PileKind::spheres;
  int bodies = 0;
  double contacts = 0.0;      ///< mean
  double mean_overlap = 0.0;  ///< [m]
  double deepest = 0.0;       ///< [m]
  double speed = 0.0;         ///< mean path of a body over time, at rest [m/s]
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< per step
  /// The same in turns with piles of other sizes, and the contacts then; for growth alone.
  double seconds_in_turns = std::numeric_limits<double>::quiet_NaN();
  double contacts_in_turns = 0.0;
};

std::vector<PileEntry> all_entries() {
  std::vector<PileEntry> list = stiction_piles();
  for (const auto& others : {bullet_piles(), ode_piles(), mujoco_piles()}) {
    list.insert(list.end(), others.begin(), others.end());
  }
  return list;
}

/// Lets the pile settle, then watches it.
void settle_and_judge(const PileScene& scene, PileEngine& engine, Outcome& outcome) {
  for (int k = 0; k < settling_steps; ++k) engine.step();
  std::vector<Eigen::Isometry3d> before(scene.poses.size(), Eigen::Isometry3d::Identity());
  std::vector<Eigen::Isometry3d> now = before;
  engine.read(before);
  PileJudge judge(scene);
  for (int k = 0; k < judged_steps; ++k) {
    engine.step();
    outcome.contacts += static_cast<double>(engine.contacts()) / judged_steps;
    engine.read(now);
    if (k % looks_every == 0) judge.look(now);
  }
  double path = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    path += (now[i].translation() - before[i].translation()).norm();
  }
  outcome.speed = path / static_cast<double>(now.size()) / (judged_steps * pile_time_step);
  outcome.mean_overlap = judge.mean_overlap();
  outcome.deepest = judge.deepest();
}

Options harness_options(const Arguments& arguments) {
  Options options;
  options.blocks = arguments.blocks;
  options.groups = 5;
  options.time_cap = 120.0;
  options.progress = progress_wanted();
  return options;
}

using Engines = std::vector<std::unique_ptr<PileEngine>>;

/// An engine with a pile in it, and where in the list of outcomes its own is.
struct Kept {
  std::size_t place = 0;
  std::unique_ptr<PileEngine> engine;
};

/// All engines with piles of one kind and size. They are handed over to `kept`, but for MuJoCo's,
/// whose arrays fill the memory.
void run_group(PileKind kind, int edge, const Arguments& arguments, std::vector<Outcome>& all,
               std::vector<Kept>& kept) {
  const PileScene scene = make_pile(kind, edge);
  const auto bodies = static_cast<int>(scene.poses.size());
  const std::string group = fmt::format("{} {}", bodies, to_string(kind));
  Harness harness(harness_options(arguments));
  Engines engines;
  const std::size_t first = all.size();
  for (const PileEntry& entry : all_entries()) {
    if (bodies > entry.largest[kind == PileKind::spheres ? 0 : 1]) continue;
    if (fmt::format("{}/{}", group, entry.name()).find(arguments.filter) == std::string::npos) {
      continue;
    }
    Outcome outcome;
    outcome.group = group;
    outcome.name = entry.name();
    outcome.engine = entry.engine;
    outcome.kind = kind;
    outcome.bodies = bodies;
    try {
      std::unique_ptr<PileEngine> engine = entry.make(scene);
      settle_and_judge(scene, *engine, outcome);
      engines.push_back(std::move(engine));
    } catch (const std::runtime_error& error) {
      // Another engine's limit is no reason to end; our own failure is.
      if (entry.engine == "Stiction") throw;
      fmt::print("{}: {} is skipped: {}\n", group, entry.name(), error.what());
      continue;
    }
    all.push_back(outcome);
    harness.add(group, entry.name(), [engine = engines.back().get()](std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) engine->step();
    });
  }
  if (engines.empty()) return;
  const Report report = harness.run();
  for (std::size_t i = first; i < all.size(); ++i) {
    all[i].seconds = report.seconds(group, all[i].name);
  }
  fmt::print("{}: {}", group, measurement_note(report));
  std::fflush(stdout);
  for (std::size_t i = first; i < all.size(); ++i) {
    if (all[i].engine != "MuJoCo") kept.push_back({i, std::move(engines[i - first])});
  }
}

/// Piles of all sizes in turns: minutes pass from one size to the next above, and a machine that is
/// slower then would count as growth.
void time_growth(PileKind kind, const Arguments& arguments, std::vector<Outcome>& all,
                 std::span<const Kept> kept) {
  if (kept.size() < 2) return;
  Harness harness(harness_options(arguments));
  const std::string group = fmt::format("all {}", to_string(kind));
  const auto name = [&all](const Kept& one) {
    return fmt::format("{}/{}", all[one.place].group, all[one.place].name);
  };
  for (const Kept& one : kept) {
    harness.add(group, name(one), [engine = one.engine.get()](std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) engine->step();
    });
  }
  const Report report = harness.run();
  for (const Kept& one : kept) {
    Outcome& outcome = all[one.place];
    outcome.seconds_in_turns = report.seconds(group, name(one));
    for (int k = 0; k < counted_steps; ++k) {
      one.engine->step();
      outcome.contacts_in_turns += static_cast<double>(one.engine->contacts()) / counted_steps;
    }
  }
  fmt::print("{}: {}", group, measurement_note(report));
  std::fflush(stdout);
}

/// Slope of log time over log contacts, by least squares; NaN for fewer than two piles.
double growth(const std::vector<Outcome>& all, PileKind kind, const std::string& name) {
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const Outcome& outcome : all) {
    if (outcome.kind != kind || outcome.name != name || !(outcome.seconds > 0.0)) continue;
    const bool in_turns = outcome.seconds_in_turns > 0.0;
    const double a = std::log(in_turns ? outcome.contacts_in_turns : outcome.contacts);
    const double b = std::log(in_turns ? outcome.seconds_in_turns : outcome.seconds);
    n += 1.0;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

std::string result_table(const std::vector<Outcome>& all) {
  Table table({"pile", "engine", "µs per step", "contacts", "ns per contact", "overlap mean [µm]",
               "deepest [µm]", "creep [mm/s]"});
  for (const Outcome& o : all) {
    table.add({o.group, o.name, microseconds(o.seconds), fmt::format("{:.0f}", o.contacts),
               fmt::format("{:.0f}", 1e9 * o.seconds / o.contacts),
               fmt::format("{:.2f}", 1e6 * o.mean_overlap), fmt::format("{:.1f}", 1e6 * o.deepest),
               fmt::format("{:.3f}", 1e3 * o.speed)});
  }
  return table.text();
}

struct Requirement {
  std::string what;
  double value = 0.0;
  double bound = 0.0;
  [[nodiscard]] bool holds() const { return value <= bound; }
};

/// In each pile we are the fastest and overlap least; and our time grows about as the contacts do.
std::vector<Requirement> requirements(const std::vector<Outcome>& all) {
  std::vector<Requirement> list;
  const auto own = [](const Outcome& o) { return o.engine == "Stiction"; };
  for (const Outcome& ours : all) {
    if (!own(ours)) continue;
    double time = std::numeric_limits<double>::infinity();
    double overlap = time;
    double deepest = time;
    for (const Outcome& other : all) {
      if (own(other) || other.group != ours.group) continue;
      time = std::min(time, other.seconds);
      overlap = std::min(overlap, other.mean_overlap);
      deepest = std::min(deepest, other.deepest);
    }
    if (!std::isfinite(time)) continue;
    list.push_back(
        {ours.group + ": time relative to the best other engine", ours.seconds / time, 1.0});
    list.push_back({ours.group + ": mean overlap relative to the best other engine",
                    ours.mean_overlap / overlap, 1.0});
    list.push_back({ours.group + ": deepest overlap relative to the best other engine",
                    ours.deepest / deepest, 1.0});
  }
  for (const PileKind kind : pile_kinds) {
    const double value = growth(all, kind, stiction_piles().front().name());
    if (std::isfinite(value)) {
      list.push_back({fmt::format("{}: time ~ contacts to the power of", to_string(kind)), value,
                      largest_growth});
    }
  }
  return list;
}

std::string requirement_table(const std::vector<Requirement>& list) {
  Table table({"required", "is", "at most", ""});
  for (const Requirement& r : list) {
    table.add({r.what, fmt::format("{:.3f}", r.value), fmt::format("{:.2f}", r.bound),
               r.holds() ? "pass" : "FAIL"});
  }
  return table.text();
}

std::string growth_lines(const std::vector<Outcome>& all) {
  std::string text;
  for (const PileKind kind : pile_kinds) {
    for (const PileEntry& entry : all_entries()) {
      const double value = growth(all, kind, entry.name());
      if (!std::isfinite(value)) continue;
      text +=
          fmt::format("{} of {}: time ~ contacts^{:.3f}\n", entry.name(), to_string(kind), value);
    }
  }
  return text;
}

void write_results(const Arguments& arguments, const std::vector<Outcome>& all,
                   const std::vector<Requirement>& required) {
  nlohmann::json document{{"machine", machine_description()}};
  for (const Outcome& o : all) {
    document["piles"].push_back({{"pile", o.group},
                                 {"engine", o.name},
                                 {"bodies", o.bodies},
                                 {"contacts", o.contacts},
                                 {"seconds", o.seconds},
                                 {"seconds_in_turns", o.seconds_in_turns},
                                 {"contacts_in_turns", o.contacts_in_turns},
                                 {"mean_overlap", o.mean_overlap},
                                 {"deepest_overlap", o.deepest},
                                 {"creep", o.speed}});
  }
  for (const Requirement& r : required) {
    document["required"].push_back(
        {{"what", r.what}, {"value", r.value}, {"bound", r.bound}, {"holds", r.holds()}});
  }
  write_json(arguments.json_file, document);
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  std::vector<Outcome> all;
  for (const PileKind kind : pile_kinds) {
    std::vector<Kept> kept;
    for (const int edge : edges) {
      const int bodies = edge * edge * edge;
      if (bodies < arguments.smallest || bodies > arguments.largest) continue;
      run_group(kind, edge, arguments, all, kept);
    }
    time_growth(kind, arguments, all, kept);
  }
  if (all.empty()) {
    throw std::invalid_argument(
        fmt::format("no contestant has '{}' in its name", arguments.filter));
  }
  const std::vector<Requirement> required = requirements(all);
  fmt::print("\n{}\n{}\n{}", result_table(all), growth_lines(all), requirement_table(required));
  if (!arguments.json_file.empty()) write_results(arguments, all, required);
  return std::ranges::all_of(required, &Requirement::holds) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Piles of 27 to 4096 spheres and boxes in Stiction, Bullet, ODE and MuJoCo. Exit code 0 if "
      "Stiction is the fastest and overlaps least in each pile that was run, else 1.",
      "bench_piles");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--filter", arguments.filter,
                  "only contestants with this in their name, such as `125 boxes` or ODE");
  line.add_option("--smallest", arguments.smallest, "smallest number of bodies in a pile")
      .range(1, 4096);
  line.add_option("--largest", arguments.largest, "largest number of bodies in a pile")
      .range(27, 4096);
  line.add_option("--blocks", arguments.blocks, "valid blocks required per contestant")
      .range(5, 10000);
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
