#include <algorithm>
#include <fmt/format.h>

#include "bench/output.hpp"
#include "experiments/per_contact/claims.hpp"
#include "experiments/per_contact/results.hpp"

namespace stiction::experiments {

namespace {

using bench::Table;

void print_slips(const Results& results) {
  if (results.slips.empty()) return;
  Table table({"law", "method", "µs to 1e-6", "published"});
  for (const SlipTime& slip : results.slips) {
    table.add({slip.law, slip.method, bench::microseconds(slip.seconds),
               slip.published > 0.0 ? bench::microseconds(slip.published) : "-"});
  }
  fmt::print("Table I: one slip problem\n{}\n", table.text());
}

std::string percent(double share) { return fmt::format("{:.3f} %", 100.0 * share); }

std::string published(const MethodRow& row) {
  struct Entry {
    const char* task;
    const char* bisection;
    const char* pgs;
  };
  for (const Entry& entry : {Entry{"trot", "1.98", "1.81"}, Entry{"hang", "2.57", "5.92"},
                             Entry{"drop", "2.62", "4.35"}, Entry{"random", "1.90", "2.88"}}) {
    if (row.task != entry.task) continue;
    if (row.method == paper_name) return entry.bisection;
    if (row.method == pgs_name) return entry.pgs;
  }
  return "-";
}

void print_methods(const Results& results) {
  Table times({"task", "method", "CPU s", "quiet s", "published", "median µs", "99.9 % µs",
               "slowest µs", "certified 1e-8", "1e-5", "worst", "iterations", "most"});
  Table stages({"task", "method", "dynamics µs", "collision", "Delassus", "solver", "certificate"});
  for (const MethodRow& row : results.methods) {
    const RunFacts& f = row.facts;
    times.add({row.task, row.method, fmt::format("{:.3f}", row.cpu),
               fmt::format("{:.3f}", row.quiet), published(row), bench::microseconds(row.median),
               bench::microseconds(row.high), bench::microseconds(row.slowest),
               percent(f.share(f.certified)), percent(f.share(f.roughly_certified)),
               fmt::format("{:.0e}", f.worst_residual), fmt::format("{:.2f}", f.mean_iterations),
               fmt::format("{}", f.most_iterations)});
    const StageMeans& s = row.stages;
    if (s.dynamics == 0.0) continue;
    stages.add({row.task, row.method, bench::microseconds(s.dynamics),
                bench::microseconds(s.collide), bench::microseconds(s.delassus),
                bench::microseconds(s.solve), bench::microseconds(s.certify)});
  }
  fmt::print(
      "Table II: 100,000 steps, scaled from {} steps of {} runs; quiet: the least time of each "
      "step\n{}\nFigure 5: stages of a step\n{}\n",
      results.steps, results.rounds, times.text(), stages.text());
}

void print_slow_steps(const Results& results) {
  Table table({"task", "step", "µs", "iterations", "contacts", "overlap mm"});
  std::string task;
  int count = 0;
  for (const SlowStep& slow : results.slow_steps) {
    if (slow.task != task) count = 0;
    task = slow.task;
    if (++count > 3) continue;
    table.add({slow.task, fmt::format("{}", slow.step), bench::microseconds(slow.seconds),
               fmt::format("{}", slow.iterations), fmt::format("{}", slow.contacts),
               fmt::format("{:.3f}", 1e3 * slow.overlap)});
  }
  fmt::print("Slowest steps of the default\n{}\n", table.text());
}

void print_laws(const Results& results) {
  Table table({"task", "problems", "below 1 %", "median", "99.6 %", "sliding contacts", "below 1 %",
               "median", "not certified at 1e-10"});
  for (const LawRow& row : results.laws) {
    const LawDifferences& d = row.differences;
    table.add({row.task, fmt::format("{}", d.problems.size()),
               percent(share_below(d.problems, 0.01)),
               fmt::format("{:.1e}", quantile(d.problems, 0.5)),
               fmt::format("{:.1e}", quantile(d.problems, 0.996)),
               fmt::format("{}", d.sliding.size()), percent(share_below(d.sliding, 0.01)),
               fmt::format("{:.1e}", quantile(d.sliding, 0.5)), fmt::format("{}", d.unsolved)});
  }
  fmt::print("Figure 6: maximum dissipation against Coulomb's law\n{}\n", table.text());
}

void print_penetration(const Results& results) {
  if (results.penetration.empty()) return;
  Table table({"overlaps", "method", "first tenth µm", "last tenth µm", "deepest µm",
               "sunk by the solver µm"});
  for (const PenetrationTrace& trace : results.penetration) {
    table.add({std::string(to_string(trace.setup)), trace.method,
               fmt::format("{:.4f}", 1e6 * trace.first), fmt::format("{:.4f}", 1e6 * trace.last),
               fmt::format("{:.4f}", 1e6 * trace.deepest),
               trace.setup == HangingSetup::left_in
                   ? fmt::format("{:.3g}", 1e6 * trace.sunk_by_solver())
                   : "-"});
  }
  fmt::print("Figure 7: mean penetration of the feet in hang\n{}\n", table.text());
}

bool print_claims(const char* title, const std::vector<Claim>& claims, bool judged, bool strict) {
  bool good = true;
  fmt::print("{}\n", title);
  for (const Claim& claim : claims) {
    if (claim.of_times && !judged) continue;
    fmt::print("  {} {}: {}\n", claim.holds ? "holds         " : "does not hold ", claim.text,
               claim.figure);
    // Times depend on the load of the machine, so that they are reported and not judged.
    if (strict && !claim.of_times) good &= claim.holds;
  }
  fmt::print("\n");
  return good;
}

}  // namespace

bool print_tables(const Results& results, bool judged) {
  print_slips(results);
  print_methods(results);
  print_slow_steps(results);
  print_laws(results);
  print_penetration(results);
  print_claims("Claims of the paper", paper_claims(results), judged, false);
  return print_claims("What Stiction must show", own_claims(results), judged, true);
}

}  // namespace stiction::experiments
