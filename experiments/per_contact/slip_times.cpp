#include "experiments/per_contact/slip_times.hpp"

#include <algorithm>
#include <cmath>

#include "bench/harness.hpp"
#include "stiction/contact/certificate.hpp"
#include "stiction/contact/one_contact_solvers.hpp"

namespace stiction::experiments {

namespace {

constexpr double tolerance = 1e-6;   // as `per_contact_paper`
constexpr double sweep_stop = 1e-6;  // [N·s]
constexpr int most_sweeps = 100;
constexpr std::size_t timed_samples = 512;  // stay in the nearer caches

struct Entry {
  Law law;
  SlipMethod method;
  double published;  // [s]
};

constexpr Entry entries[] = {
    {Law::max_dissipation, SlipMethod::bisection_printed, 0.58e-6},
    {Law::max_dissipation, SlipMethod::golden_section, 1.2e-6},
    {Law::max_dissipation, SlipMethod::quartic, 1.6e-6},
    {Law::max_dissipation, SlipMethod::newton, 0.0},
    {Law::coulomb, SlipMethod::newton, 0.0},
};

std::string label_of(const Entry& entry) {
  return std::string(to_string(entry.law)) + " " + std::string(to_string(entry.method));
}

void add_contestant(bench::Harness& harness, const std::vector<SlipSample>& samples,
                    const Entry& entry) {
  OneContactOptions options;
  options.method = entry.method;
  options.tolerance = tolerance;
  visit_one_contact_solver(entry.law, options, [&](const auto& solve) {
    harness.add("slip", label_of(entry), [solve, &samples](std::int64_t iterations) {
      std::size_t at = 0;
      for (std::int64_t k = 0; k < iterations; ++k) {
        bench::keep(solve(samples[at].factor, samples[at].c, Vector3<double>{}));
        at = at + 1 < samples.size() ? at + 1 : 0;
      }
    });
  });
}

/// Velocity of a contact without its own impulse.
Vector3<double> velocity_without(const ContactProblem& problem, int row,
                                 const Eigen::VectorXd& impulses) {
  Eigen::Vector3d c = problem.shifted_velocity().segment<3>(row);
  c += problem.delassus().middleRows(row, 3) * impulses;
  c -= problem.delassus().block(row, row, 3, 3) * impulses.segment<3>(row);
  return {c.x(), c.y(), c.z()};
}

}  // namespace

void collect_slips(const ContactProblem& problem, std::vector<SlipSample>& samples) {
  if (problem.storage() != DelassusStorage::dense) return;
  for (const Block& block : problem.blocks()) {
    if (block.kind != BlockKind::contact) return;
  }
  Judge judge;
  judge.open(problem);
  const OneContactSolver<SlipNewton<Law::max_dissipation>> solve{{1e-12}};
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(problem.row_count());
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0.0;
    for (int i = 0; i < problem.block_count(); ++i) {
      const int row = problem.blocks()[index(i)].row;
      const Vector3<double> c = velocity_without(problem, row, impulses);
      const Eigen::Vector3d old = impulses.segment<3>(row);
      const ContactAnswer<double> answer =
          solve(judge.factor(i), c, Vector3<double>{old.x(), old.y(), old.z()});
      if (answer.mode == 2.0) samples.push_back({judge.factor(i), c});
      impulses.segment<3>(row) << answer.impulse.x, answer.impulse.y, answer.impulse.z;
      change = std::max(change, (impulses.segment<3>(row) - old).norm());
    }
    if (change < sweep_stop) return;
  }
}

std::vector<SlipTime> time_slips(const std::vector<SlipSample>& samples, double seconds) {
  if (samples.empty()) return {};
  std::vector<SlipSample> timed;
  for (std::size_t k = 0; k < timed_samples; ++k) {
    timed.push_back(samples[k * samples.size() / timed_samples]);
  }
  bench::Options options;
  options.blocks = seconds > 5.0 ? 15 : 5;
  options.time_cap = seconds;
  options.progress = bench::progress_wanted();
  bench::Harness harness(options);
  for (const Entry& entry : entries) add_contestant(harness, timed, entry);
  const bench::Report report = harness.run();
  std::vector<SlipTime> times;
  for (const Entry& entry : entries) {
    times.push_back({std::string(to_string(entry.law)), std::string(to_string(entry.method)),
                     report.seconds("slip", label_of(entry)), entry.published});
  }
  return times;
}

}  // namespace stiction::experiments
