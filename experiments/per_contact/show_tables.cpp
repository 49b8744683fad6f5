#include <algorithm>
#include <fmt/format.h>

#include "experiments/per_contact/claims.hpp"
#include "experiments/per_contact/results.hpp"

namespace stiction::experiments {

namespace {

using bench::Table;

void show_slips(const Results& results, ExperimentOutput& output) {
  if (results.slips.empty()) return;
  Table table({"law", "method", "µs to 1e-6", "published"});
  for (const SlipTime& slip : results.slips) {
    table.add({slip.law, slip.method, bench::microseconds(slip.seconds),
               slip.published > 0.0 ? bench::microseconds(slip.published) : "-"});
  }
  output.table("slips", "Table I: one slip problem", table);
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

void show_methods(const Results& results, ExperimentOutput& output) {
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
  output.table("times",
               fmt::format("Table II: 100,000 steps, scaled from {} steps of {} runs; quiet: the "
                           "least time of each step",
                           results.steps, results.rounds),
               times);
  output.table("stages", "Figure 5: mean time of the stages of a step [µs]", stages);
}

void show_slow_steps(const Results& results, ExperimentOutput& output) {
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
  output.table("slowest", "Slowest steps of the default", table);
}

void show_laws(const Results& results, ExperimentOutput& output) {
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
  output.table("laws", "Figure 6: maximum dissipation against Coulomb's law", table);
}

void show_penetration(const Results& results, ExperimentOutput& output) {
  if (results.penetration.empty()) return;
  Table table({"overlaps", "method", "mean µm", "first tenth µm", "last tenth µm",
               "largest over 0.1 s µm", "sunk by the solver µm"});
  for (const PenetrationTrace& trace : results.penetration) {
    table.add({std::string(to_string(trace.setup)), trace.method,
               fmt::format("{:.2f}", 1e6 * trace.mean), fmt::format("{:.2f}", 1e6 * trace.first),
               fmt::format("{:.4f}", 1e6 * trace.last), fmt::format("{:.4f}", 1e6 * trace.deepest),
               trace.setup == HangingSetup::left_in
                   ? fmt::format("{:.3g}", 1e6 * trace.sunk_by_solver())
                   : "-"});
  }
  output.table("sinking", "Figure 7: mean penetration of the feet in hang", table);
}

/// Times depend on the load of the machine: they are shown but not judged.
bool all_hold(const std::vector<Claim>& claims) {
  return std::ranges::all_of(claims,
                             [](const Claim& claim) { return claim.of_times || claim.holds; });
}

void show_claims(const std::string& name, const char* title, const std::vector<Claim>& claims,
                 bool with_times, ExperimentOutput& output) {
  Table table({"claim", "ours", "holds"});
  for (const Claim& claim : claims) {
    if (claim.of_times && !with_times) continue;
    table.add({claim.text, claim.figure, claim.holds ? "yes" : "**no**"});
  }
  output.table(name, title, table);
}

}  // namespace

bool show_tables(const Results& results, bool judged, ExperimentOutput& output) {
  show_slips(results, output);
  show_methods(results, output);
  show_slow_steps(results, output);
  show_laws(results, output);
  show_penetration(results, output);
  show_claims("claims", "Claims of the paper", paper_claims(results), judged, output);
  const std::vector<Claim> own = own_claims(results);
  show_claims("must", "What Stiction must show", own, judged, output);
  return !judged || all_hold(own);
}

}  // namespace stiction::experiments
