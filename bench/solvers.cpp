/// \file
/// Times every solver on the contact problems of a robot with 1, 4, 8 and 16 contacts, warm and
/// cold.
///
/// Inside the timed region is Solver::solve: the check that all numbers are finite, the factors of
/// the contacts, the solver itself and the certificate. Outside: prepare() of the problem, done
/// just before, so that its numbers are in the caches as after their assembly in a time step, and
/// laying out the impulses of the step before (warm) or zeros (cold).

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <memory>
#include <optional>

#include "bench/latency.hpp"
#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/robot_problems.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::bench {

namespace {

constexpr std::uint64_t seed = 7;
constexpr int race_contacts = 4;
constexpr double required_ratio = 3.0;

struct Arguments {
  std::string json_file;
  std::string filter;
  int problems = 200;
  bool quick = false;
};

using ProblemSet = std::vector<RobotProblem>;

/// One solver under one law, with its own memory.
struct Entry {
  std::string name;
  std::string solver;
  Law law = Law::coulomb;
  SlipMethod method = SlipMethod::newton;

  [[nodiscard]] SolverOptions options(bool warm) const {
    SolverOptions result;
    result.law = law;
    result.tolerance = 1e-8;
    result.check = CheckLevel::finite;
    result.warm_start = warm;
    result.per_contact.one_contact.method = method;
    return result;
  }
};

std::vector<Entry> entries() {
  std::vector<Entry> list;
  for (const std::string_view name : solver_names()) {
    const Law law = name == "convex" ? Law::convex : Law::coulomb;
    list.push_back({fmt::format("{}, {}", name, to_string(law)), std::string(name), law});
  }
  for (const SlipMethod method : {SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed}) {
    list.push_back({fmt::format("per_contact {}, max_dissipation", to_string(method)),
                    "per_contact", Law::max_dissipation, method});
  }
  return list;
}

/// Solves the problems of a set one by one, warm or cold. A copy of the set is its own, for
/// prepare() writes.
class Runner {
 public:
  Runner(const Entry& entry, bool warm, ProblemSet& set)
      : solver_(make_solver(entry.solver)), options_(entry.options(warm)), set_(set) {
    impulses_.resize(static_cast<std::size_t>(set.front().problem.row_count()));
  }

  void ready(std::size_t k) {
    set_[k].problem.prepare();
    lay_out(k);
  }
  void lay_out(std::size_t k) {
    if (options_.warm_start) {
      std::ranges::copy(set_[k].warm_impulses(options_.law), impulses_.begin());
    } else {
      std::ranges::fill(impulses_, 0.0);
    }
  }
  SolverReport solve(std::size_t k) { return solver_->solve(set_[k].problem, options_, impulses_); }

 private:
  std::unique_ptr<Solver> solver_;
  SolverOptions options_;
  ProblemSet& set_;
  std::vector<double> impulses_;
};

/// What does not depend on the clock.
struct Quality {
  double iterations = 0.0;  ///< median
  double residual_median = 0.0;
  double residual_p99 = 0.0;
  double certified = 0.0;  ///< share
};

Quality quality_of(Runner& runner, std::size_t count) {
  std::vector<double> iterations, residuals;
  double certified = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    runner.lay_out(k);
    const SolverReport report = runner.solve(k);
    iterations.push_back(report.iterations);
    residuals.push_back(report.certificate.residual());
    certified += report.certified() ? 1.0 : 0.0;
  }
  return {median(iterations), median(residuals), quantile(residuals, 0.99),
          certified / static_cast<double>(count)};
}

/// One line of the tables.
struct Row {
  const Entry* entry = nullptr;
  int contacts = 0;
  bool warm = false;
  Quality quality;

  [[nodiscard]] std::string group() const { return group_of(contacts, warm); }
  static std::string group_of(int contacts, bool warm) {
    return fmt::format("{} {}", contacts, warm ? "warm" : "cold");
  }
};

/// The problems by number of contacts, and what is made of them.
struct Course {
  std::vector<Entry> list;
  std::array<ProblemSet, robot_contact_counts.size()> sets;
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<Row> rows;

  [[nodiscard]] ProblemSet& set_of(int contacts) {
    const auto at = std::ranges::find(robot_contact_counts, contacts);
    return sets[static_cast<std::size_t>(at - robot_contact_counts.begin())];
  }
};

void add_prepare(LatencyHarness& harness, int contacts, ProblemSet& set) {
  harness.add(
      std::to_string(contacts), "prepare", set.size(),
      [&set](std::size_t k) { set[k].problem.prepare(); },
      [&set](std::size_t k) { set[k].problem.prepare(); });
}

void add_contestants(LatencyHarness& harness, const std::string& filter, Course& course) {
  for (const int contacts : robot_contact_counts) {
    ProblemSet& set = course.set_of(contacts);
    for (const Entry& entry : course.list) {
      for (const bool warm : {true, false}) {
        Row row{&entry, contacts, warm, {}};
        if (fmt::format("{}/{}", row.group(), entry.name).find(filter) == std::string::npos) {
          continue;
        }
        Runner* runner =
            course.runners.emplace_back(std::make_unique<Runner>(entry, warm, set)).get();
        row.quality = quality_of(*runner, set.size());
        course.rows.push_back(row);
        harness.add(
            row.group(), entry.name, set.size(), [runner](std::size_t k) { runner->ready(k); },
            [runner](std::size_t k) { keep(runner->solve(k)); });
      }
    }
    if (filter.empty()) add_prepare(harness, contacts, set);
  }
}

// ---- the race of the slip methods
// ----------------------------------------------------------------

/// Problems of four contacts of which at least `least` slip under maximum dissipation.
std::vector<std::size_t> slipping_problems(const ProblemSet& set, int least) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (set[k].slip_count(Law::max_dissipation) >= least) chosen.push_back(k);
  }
  return chosen;
}

std::string race_group(int least) {
  return fmt::format("{} warm, at least {} slipping", race_contacts, least);
}

void add_race(Harness& harness, Course& course) {
  ProblemSet& set = course.set_of(race_contacts);
  for (const int least : {1, race_contacts}) {
    const std::vector<std::size_t> chosen = slipping_problems(set, least);
    if (chosen.empty()) continue;
    for (const Entry& entry : course.list) {
      if (entry.law != Law::max_dissipation) continue;
      Runner* runner =
          course.runners.emplace_back(std::make_unique<Runner>(entry, true, set)).get();
      harness.add(race_group(least), entry.name, [runner, chosen](std::int64_t iterations) {
        std::size_t at = 0;
        for (std::int64_t k = 0; k < iterations; ++k) {
          runner->lay_out(chosen[at]);
          keep(runner->solve(chosen[at]));
          at = at + 1 < chosen.size() ? at + 1 : 0;
        }
      });
    }
  }
}

/// Of the mean times; NaN if it was not measured.
double race_ratio(const Report& report, int least) {
  const auto time = [&](SlipMethod method) {
    return report.seconds(race_group(least),
                          fmt::format("per_contact {}, max_dissipation", to_string(method)));
  };
  return time(SlipMethod::bisection_printed) / time(SlipMethod::newton);
}

// ---- output
// --------------------------------------------------------------------------------------

const Row* find_row(const Course& course, const Entry& entry, int contacts, bool warm) {
  for (const Row& row : course.rows) {
    if (row.entry == &entry && row.contacts == contacts && row.warm == warm) return &row;
  }
  return nullptr;
}

std::string time_table(const Course& course, const LatencyReport& report, int contacts) {
  Table table({fmt::format("{} contact{}, µs", contacts, contacts == 1 ? "" : "s"), "warm", "p99",
               "cold", "p99"});
  for (const Entry& entry : course.list) {
    std::vector<std::string> line{entry.name};
    bool any = false;
    for (const bool warm : {true, false}) {
      const Latencies* times = report.find(Row::group_of(contacts, warm), entry.name);
      any = any || times != nullptr;
      for (const double fraction : {0.5, 0.99}) {
        line.push_back(times != nullptr ? microseconds(times->quantile(fraction)) : "-");
      }
    }
    if (any) table.add(std::move(line));
  }
  if (const Latencies* times = report.find(std::to_string(contacts), "prepare")) {
    table.add({"ContactProblem::prepare", microseconds(times->quantile(0.5)),
               microseconds(times->quantile(0.99)), "", ""});
  }
  return table.text();
}

std::string quality_table(const Course& course, int contacts) {
  Table table({fmt::format("{} contact{}", contacts, contacts == 1 ? "" : "s"), "warm: iterations",
               "residual", "p99", "certified", "cold: iterations", "residual", "p99", "certified"});
  for (const Entry& entry : course.list) {
    std::vector<std::string> line{entry.name};
    bool any = false;
    for (const bool warm : {true, false}) {
      const Row* row = find_row(course, entry, contacts, warm);
      any = any || row != nullptr;
      if (row == nullptr) {
        line.insert(line.end(), 4, "-");
        continue;
      }
      const Quality& q = row->quality;
      line.insert(
          line.end(),
          {fmt::format("{:.0f}", q.iterations), fmt::format("{:.0e}", q.residual_median),
           fmt::format("{:.0e}", q.residual_p99), fmt::format("{:.1f} %", 100.0 * q.certified)});
    }
    if (any) table.add(std::move(line));
  }
  return table.text();
}

std::string set_table(Course& course) {
  Table table({"problems of ANYmal", "number", "impacts", "contacts open", "stick", "slip"});
  for (const int contacts : robot_contact_counts) {
    const ProblemSet& set = course.set_of(contacts);
    double impacts = 0.0, open = 0.0, slip = 0.0;
    for (const RobotProblem& one : set) {
      impacts += one.impact ? 1.0 : 0.0;
      open += one.open_count(Law::coulomb);
      slip += one.slip_count(Law::coulomb);
    }
    const double all = static_cast<double>(set.size()) * contacts;
    const auto percent = [](double share) { return fmt::format("{:.0f} %", 100.0 * share); };
    table.add({fmt::format("{} contact{}", contacts, contacts == 1 ? "" : "s"),
               std::to_string(set.size()), percent(impacts / static_cast<double>(set.size())),
               percent(open / all), percent(1.0 - (open + slip) / all), percent(slip / all)});
  }
  return table.text();
}

std::string race_table(const Course& course, const Report& report) {
  Table table({"warm, 4 contacts, mean µs where they slip", "at least 1", "all 4"});
  for (const Entry& entry : course.list) {
    if (entry.law != Law::max_dissipation) continue;
    table.add({entry.name, microseconds(report.seconds(race_group(1), entry.name)),
               microseconds(report.seconds(race_group(race_contacts), entry.name))});
  }
  table.add({"bisection_printed / newton", ratio_text(race_ratio(report, 1)),
             ratio_text(race_ratio(report, race_contacts))});
  return table.text();
}

nlohmann::json rows_json(const Course& course, const LatencyReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : course.rows) {
    const Latencies& times = *report.find(row.group(), row.entry->name);
    list.push_back({{"solver", row.entry->solver},
                    {"law", to_string(row.entry->law)},
                    {"slip_method", to_string(row.entry->method)},
                    {"contacts", row.contacts},
                    {"warm", row.warm},
                    {"seconds_median", times.quantile(0.5)},
                    {"seconds_p99", times.quantile(0.99)},
                    {"noisy", times.noisy},
                    {"residual_median", row.quality.residual_median},
                    {"residual_p99", row.quality.residual_p99},
                    {"iterations_median", row.quality.iterations},
                    {"certified_share", row.quality.certified}});
  }
  return list;
}

void write_results(const Arguments& arguments, const Course& course, const LatencyReport& report,
                   const std::optional<Report>& race) {
  nlohmann::json document{{"machine", machine_description()}, {"rows", rows_json(course, report)},
                          {"capped", report.capped},          {"wall_seconds", report.wall_seconds},
                          {"problems", arguments.problems},   {"seed", seed}};
  if (race) {
    const double value = race_ratio(*race, 1);
    document["race"] = to_json(*race);
    document["required"] = {{"what", "bisection_printed / newton, warm, 4 contacts, slipping"},
                            {"value", value},
                            {"bound", required_ratio},
                            {"holds", value >= required_ratio}};
  }
  write_json(arguments.json_file, document);
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  Options options;
  options.blocks = arguments.quick ? 3 : 5;
  options.time_cap = arguments.quick ? 60.0 : 600.0;
  options.progress = progress_wanted();
  LatencyHarness single(options);
  Course course;
  course.list = entries();
  for (const int contacts : robot_contact_counts) {
    course.set_of(contacts) = robot_problems(contacts, arguments.problems, seed);
  }
  add_contestants(single, arguments.filter, course);
  if (single.size() == 0) {
    throw std::invalid_argument(
        fmt::format("no contestant has '{}' in its name", arguments.filter));
  }
  fmt::print("{}\n", set_table(course));

  std::optional<Report> race;
  if (arguments.filter.empty()) {
    options.blocks = arguments.quick ? 5 : 15;
    Harness harness(options);
    add_race(harness, course);
    race = harness.run();
  }
  const LatencyReport report = single.run();
  for (const int contacts : robot_contact_counts) {
    if (std::ranges::none_of(course.rows, [&](const Row& r) { return r.contacts == contacts; })) {
      continue;
    }
    fmt::print("{}\n{}\n", time_table(course, report, contacts), quality_table(course, contacts));
  }
  fmt::print("{}", report.note());
  if (race) {
    const double value = race_ratio(*race, 1);
    fmt::print(
        "\n{}\nrequired: bisection_printed / newton at least {:.1f} where at least one "
        "contact slips: {} ({})\n{}",
        race_table(course, *race), required_ratio, ratio_text(value),
        value >= required_ratio ? "pass" : "FAIL", measurement_note(*race));
  }
  if (!arguments.json_file.empty()) write_results(arguments, course, report, race);
  return race && !(race_ratio(*race, 1) >= required_ratio) ? 1 : 0;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Times all solvers on the contact problems of a robot. Exit code 0 if the required ratio "
      "holds or was not measured, else 1.",
      "bench_solvers");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--filter", arguments.filter,
                  "only contestants with this in their name, such as '4 warm/per_contact'");
  line.add_option("--problems", arguments.problems, "problems per number of contacts")
      .range(10, 10000);
  line.add_flag("--quick", arguments.quick, "fewer calls per problem, at most a minute");
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
