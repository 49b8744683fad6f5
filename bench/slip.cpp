/// \file
/// Times the one-contact solvers against each other on problems that slip.
///
/// Inside the timed region: from c and the factor of W to the impulse, with the test for opening
/// and sticking. Outside: the factor, which is made once a problem and is the same for all. All
/// solvers are compiled with the same flags, inlined into the same loop, and run in turns in one
/// process, from cold (no guess).

#include <algorithm>
#include <fmt/core.h>
#include <memory>
#include <numeric>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/slip_problems.hpp"
#include "stiction/contact/one_contact_solvers.hpp"

namespace stiction::bench {

namespace {

constexpr std::uint64_t seed = 3;

struct Arguments {
  std::string json_file;
  bool quick = false;
  double tolerance = 1e-12;
};

struct Entry {
  std::string name;
  Law law;
  OneContactOptions options;
};

std::vector<Entry> entries(double tolerance) {
  std::vector<Entry> list;
  const auto add = [&](std::string name, Law law, SlipMethod method,
                       PrintedGradient gradient = PrintedGradient::hybrid) {
    OneContactOptions options;
    options.method = method;
    options.tolerance = tolerance;
    options.gradient = gradient;
    list.push_back({std::move(name), law, options});
  };
  for (const SlipMethod method : {SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection}) {
    add(fmt::format("coulomb {}", to_string(method)), Law::coulomb, method);
  }
  for (const SlipMethod method : {SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed}) {
    add(fmt::format("max_dissipation {}", to_string(method)), Law::max_dissipation, method);
  }
  add("max_dissipation bisection_printed, full", Law::max_dissipation,
      SlipMethod::bisection_printed, PrintedGradient::full);
  add("max_dissipation bisection_printed, polar", Law::max_dissipation,
      SlipMethod::bisection_printed, PrintedGradient::polar);
  add("convex", Law::convex, SlipMethod::newton);
  return list;
}

template <Scalar S>
constexpr std::string_view group_of = std::is_same_v<S, Lane> ? "lanes" : "double";

template <Scalar S>
void add_contestant(Harness& harness, const Entry& entry, const SlipSet<S>& set) {
  visit_one_contact_solver(entry.law, entry.options, [&](const auto& solve) {
    harness.add(
        std::string(group_of<S>), entry.name,
        [solve, &set](std::int64_t iterations) {
          std::size_t at = 0;
          const std::size_t count = set.factors.size();
          for (std::int64_t k = 0; k < iterations; ++k) {
            keep(solve(set.factors[at], set.velocities[at], Vector3<S>{}));
            at = at + 1 < count ? at + 1 : 0;
          }
        },
        std::is_same_v<S, Lane> ? static_cast<double>(lane_width) : 1.0);
  });
}

/// Required: [what, ratio, bound], ratio ≥ bound.
struct Ratio {
  std::string what;
  double value;
  double bound;
};

std::vector<Ratio> ratios(const Report& report) {
  const auto time = [&](std::string_view name) { return report.seconds("double", name); };
  const double printed = time("max_dissipation bisection_printed");
  return {{"bisection_printed / newton, max_dissipation", printed / time("max_dissipation newton"),
           6.0},
          {"bisection_printed / newton, coulomb", printed / time("coulomb newton"), 6.0},
          {"bisection_printed / bisection, max_dissipation",
           printed / time("max_dissipation bisection"), 1.0},
          {"bisection_printed / bisection, coulomb", printed / time("coulomb bisection"), 1.0}};
}

int run(const Arguments& arguments) {
  const SlipSet<double> set = sliding_feet(1024, seed);
  const SlipSet<Lane> lanes = in_lanes(set);
  Options options;
  options.blocks = arguments.quick ? 5 : 15;
  options.time_cap = arguments.quick ? 20.0 : 120.0;
  options.progress = progress_wanted();
  Harness harness(options);
  const std::vector<Entry> list = entries(arguments.tolerance);
  for (const Entry& entry : list) {
    add_contestant(harness, entry, set);
    add_contestant(harness, entry, lanes);
  }
  const Report report = harness.run();

  Table table({"one slip problem", "alone, ns", "in lanes, ns"});
  for (const Entry& entry : list) {
    table.add({entry.name, fmt::format("{:.0f}", 1e9 * report.seconds("double", entry.name)),
               fmt::format("{:.0f}", 1e9 * report.seconds("lanes", entry.name))});
  }
  const std::vector<Ratio> required = ratios(report);
  Table judged({"required", "is", "bound", ""});
  for (const Ratio& r : required) {
    judged.add({r.what, ratio_text(r.value), fmt::format("≥ {:.1f}", r.bound),
                r.value >= r.bound ? "pass" : "FAIL"});
  }
  fmt::print("To {:.0e}, from c and the factor of W to the impulse, {} lanes.\n\n{}\n{}\n{}",
             arguments.tolerance, lane_width, table.text(), judged.text(),
             measurement_note(report));
  if (!arguments.json_file.empty()) {
    nlohmann::json document = to_json(report);
    document["machine"] = machine_description();
    write_json(arguments.json_file, document);
  }
  return std::ranges::all_of(required, [](const Ratio& r) { return r.value >= r.bound; }) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Times the one-contact solvers on slip problems. Exit code 0 if the required ratios hold, "
      "else 1.",
      "bench_slip");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--tolerance", arguments.tolerance, "relative tolerance of the impulse")
      .range(1e-16, 1e-2);
  line.add_flag("--quick", arguments.quick, "fewer blocks, at most twenty seconds");
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
