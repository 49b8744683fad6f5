#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "bench/output.hpp"
#include "experiments/exponential/cost_ratios.hpp"
#include "experiments/exponential/published_motions.hpp"
#include "experiments/exponential/results.hpp"

namespace stiction::experiments {

namespace {

/// [EXP, Table II] and its re-run, [ms].
struct StableSteps {
  const char* motion;
  const char* method;
  double published;
  double rerun;
};
constexpr StableSteps stable_steps[] = {
    {"squat", "exponential", 40.0, 40.0},    {"squat", "explicit_euler", 0.08, 0.156},
    {"squat", "implicit_euler", 20.0, 20.0}, {"jump", "exponential", 10.0, 10.0},
    {"jump", "explicit_euler", 0.16, 0.156}, {"jump", "implicit_euler", 5.0, 5.0},
    {"trot", "exponential", 2.0, 2.0},       {"trot", "explicit_euler", 0.13, 0.125},
    {"trot", "implicit_euler", 2.0, 2.0},    {"romeo", "exponential", 5.0, 5.0},
    {"romeo", "explicit_euler", 1.25, 1.25}, {"romeo", "implicit_euler", 10.0, 10.0},
};

std::string number(double value) { return value > 0.0 ? fmt::format("{:.3g}", value) : "-"; }

/// Mean local error of the authors' re-run; 0 if there is none. The default rules are another model
/// of contact: only their exponential method is set beside it.
double rerun_error(const std::vector<LocalError>& table, const StudyRow& row) {
  const bool exponential = row.method == exponential_name || row.method == order_one_name;
  if (row.source != "published" || row.rules == "-") return 0.0;
  if (row.rules != "authors" && !exponential) return 0.0;
  const char* method = row.method == "rk4"              ? "RK4"
                       : row.method == "explicit_euler" ? "Eul-exp"
                       : row.method == "implicit_euler" ? "Eul-imp"
                                                        : "Expo";
  const int products = row.method == exponential_name ? -1 : row.method == order_one_name ? 0 : 100;
  double mean = 0.0;
  for (const LocalError& entry : table) {
    const bool fits = entry.method == method && entry.products == products &&
                      std::abs(entry.step - row.step) < 1e-9;
    // The rows that were worked around come later.
    if (fits && !entry.failed) mean = entry.mean;
  }
  return mean;
}

/// All methods and steps, on the screen alone.
bool print_errors(const Results& results, const std::string& motion, const std::string& source,
                  const std::vector<LocalError>& rerun) {
  bench::Table table({"method", "rules", "step, ms", "mean error", "their re-run", "largest",
                      "x real time", "stable"});
  bool any = false;
  bool good = true;
  for (const StudyRow& row : results.study) {
    if (row.motion != motion || row.source != source) continue;
    any = true;
    const double theirs = rerun_error(rerun, row);
    // Their start has nine digits, and soles that chatter make one per cent of it.
    if (theirs > 0.0 && row.method == exponential_name) good &= row.error.mean <= 1.01 * theirs;
    table.add({row.method, row.rules, fmt::format("{:.4g}", 1e3 * row.step),
               fmt::format("{:.3e}", row.error.mean),
               theirs > 0.0 ? fmt::format("{:.3e}", theirs) : "-",
               fmt::format("{:.2e}", row.error.largest), fmt::format("{:.3g}", row.real_time),
               row.stable ? "yes" : "no"});
  }
  if (any)
    fmt::print("\n{}, {} motion: local error over a control step\n\n{}", motion, source,
               table.text());
  return good;
}

const StudyRow* find_row(const Results& results, const std::string& motion,
                         const std::string& source, std::string_view rules,
                         const std::string& method, double step) {
  for (const StudyRow& row : results.study) {
    if (row.motion == motion && row.source == source && row.rules == rules &&
        row.method == method && std::abs(row.step - step) < 1e-9) {
      return &row;
    }
  }
  return nullptr;
}

std::string error_text(double error) { return error > 0.0 ? fmt::format("{:.3g}", error) : "-"; }

/// Mean local errors of exponential integration, a line per step.
void show_errors(const Results& results, const std::string& motion,
                 const std::vector<LocalError>& rerun, ExperimentOutput& output) {
  const std::string source = source_of(results, motion);
  bench::Table table({motion + ", step [ms]", "re-run", "`authors`", "`surface`", "order 1: re-run",
                      "`authors`", "`surface`", "hard contact"});
  bool any = false;
  for (const StudyRow& row : results.study) {
    if (row.motion != motion || row.source != source || row.rules != "surface" ||
        row.method != exponential_name) {
      continue;
    }
    any = true;
    const auto ours = [&](const char* rules, const char* method) {
      const StudyRow* found = find_row(results, motion, source, rules, method, row.step);
      return found == nullptr ? "-" : error_text(found->error.mean);
    };
    const StudyRow* order_one =
        find_row(results, motion, source, "surface", order_one_name, row.step);
    table.add({fmt::format("{:.5g}", 1e3 * row.step), error_text(rerun_error(rerun, row)),
               ours("authors", exponential_name), ours("surface", exponential_name),
               error_text(order_one == nullptr ? 0.0 : rerun_error(rerun, *order_one)),
               ours("authors", order_one_name), ours("surface", order_one_name),
               ours("-", hard_name)});
  }
  if (any) output.table(motion, "\nMean local errors of exponential integration", table);
}

/// What was published about a motion and a method, and its re-run.
std::pair<std::string, std::string> known_stable_steps(const std::string& motion,
                                                       const std::string& method) {
  for (const StableSteps& row : stable_steps) {
    if (row.motion == motion && row.method == method) {
      return {number(row.published), number(row.rerun)};
    }
  }
  return {"-", "-"};
}

void show_stable_steps(const Results& results, ExperimentOutput& output) {
  bench::Table table({"largest stable step, ms", "published", "re-run", "theirs, `authors`",
                      "theirs, `surface`", "own, `surface`"});
  for (const std::string_view motion_name : motion_names) {
    const std::string motion(motion_name);
    std::vector<std::string> names;
    for (const StudyRow& row : results.study) {
      if (row.motion == motion && std::ranges::find(names, row.method) == names.end()) {
        names.push_back(row.method);
      }
    }
    for (const std::string& method : names) {
      const auto ours = [&](const char* source, const char* rules) {
        return number(1e3 * largest_stable_step(results.study, motion, source, rules, method));
      };
      const auto [published, rerun] = known_stable_steps(motion, method);
      table.add({motion + ", " + method, published, rerun, ours("published", "authors"),
                 ours("published", "surface"), ours("own", "surface")});
    }
  }
  output.table("stable_steps", "\nTable II: steps are the control step divided by powers of two",
               table);
}

/// One line per motion and error, for the default rules.
void show_cost_ratios(const Results& results, ExperimentOutput& output) {
  bench::Table table({"CPU time over exponential's", "error", "exponential, ms/s", "explicit_euler",
                      "rk4", "implicit_euler"});
  const std::vector<CostRatio> ratios = cost_ratios(results.study);
  for (const CostRatio& first : ratios) {
    if (first.rules != "surface" || first.method != "explicit_euler") continue;
    std::vector<std::string> line{first.motion + ", " + first.source,
                                  fmt::format("{:.2g}", first.error),
                                  fmt::format("{:.3g}", 1e3 * first.cost)};
    for (const char* method : {"explicit_euler", "rk4", "implicit_euler"}) {
      const auto same = std::ranges::find_if(ratios, [&](const CostRatio& each) {
        return each.motion == first.motion && each.source == first.source &&
               each.rules == first.rules && each.method == method && each.error == first.error;
      });
      line.push_back(same == ratios.end() || !std::isfinite(same->ratio)
                         ? "not reached"
                         : fmt::format("{:.2f}", same->ratio));
    }
    table.add(line);
  }
  output.table("equal_errors",
               "\nCPU time for an error, each method by its cheapest step; above 1: exponential is "
               "cheaper",
               table);
}

void show_touch_downs(const Results& results, ExperimentOutput& output) {
  if (results.ahead.empty()) return;
  bench::Table table({"touch-down, m/s", "largest force, N", "largest difference, N", "share"});
  for (const ForcesAhead& each : results.ahead) {
    table.add({fmt::format("{:g}", each.speed), fmt::format("{:.3g}", each.largest_force),
               fmt::format("{:.2g}", each.largest_difference),
               fmt::format("{:.2g} %", 100.0 * each.largest_difference / each.largest_force)});
  }
  output.table("touch_downs",
               "\nFigure 5: normal forces predicted at touch-down and simulated, 20 ms, all feet",
               table);
}

void show_costs(const Results& results, ExperimentOutput& output) {
  if (results.costs.empty()) return;
  bench::Table table(
      {"a step in trot, µs", "all", "kinematics", "collide", "contact", "integrate"});
  for (const StageCost& cost : results.costs) {
    table.add({cost.method, bench::microseconds(cost.step), bench::microseconds(cost.kinematics),
               bench::microseconds(cost.collide), bench::microseconds(cost.contact),
               bench::microseconds(cost.integrate)});
  }
  output.table("stages",
               "\nTable III. Published: 39 (cheapest exponential), 94 (standard), 9 (explicit "
               "Euler); re-run: 22.6, 62.5, 6.5",
               table);
}

}  // namespace

bool show_tables(const Results& results, const std::optional<std::filesystem::path>& reference,
                 bool judged, ExperimentOutput& output) {
  bool good = true;
  for (const std::string_view motion_name : motion_names) {
    const std::string motion(motion_name);
    std::vector<LocalError> rerun;
    if (reference) rerun = load_local_errors(*reference / (motion + "_local_error.csv"));
    for (const char* source : {"published", "own"}) {
      good &= print_errors(results, motion, source, rerun);
    }
    show_errors(results, motion, rerun, output);
  }
  show_stable_steps(results, output);
  show_costs(results, output);
  show_cost_ratios(results, output);
  show_touch_downs(results, output);
  if (reference && judged) {
    fmt::print(
        "\nLocal errors of exponential at most the re-run's, with `authors` and `surface`: {}\n",
        good ? "yes" : "NO");
  }
  return good || !judged;
}

}  // namespace stiction::experiments
