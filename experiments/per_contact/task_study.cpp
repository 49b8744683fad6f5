#include "experiments/per_contact/task_study.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "experiments/per_contact/problem_files.hpp"

namespace stiction::experiments {

namespace {

constexpr double step_time = 0.001;  // [s]
constexpr double large_step = 0.02;  // [s]
constexpr double ramp_end = 4.0;     // the trot has its speed [s]
constexpr std::size_t most_slips = 200'000;
constexpr std::size_t kept_slow_steps = 10;
// What steps cost beside others: those of trot whose torques are computed, and those whose laws are
// compared.
constexpr double control_cost = 8.0;
constexpr double comparison_cost = 30.0;

double per_100k(double seconds, int steps) { return seconds * 1e5 / steps; }

/// Which methods have their stages timed: those of figure 5.
bool has_stages(const TaskMethod& method) {
  for (const char* name : {paper_name, hybrid_name, pgs_name, fine_pgs_name}) {
    if (method.name == name) return true;
  }
  return false;
}

StageMeans means_of(const std::vector<StepTimings>& least) {
  StageMeans sum;
  for (const StepTimings& t : least) {
    sum.dynamics += t.kinematics + t.integrate;
    sum.collide += t.collide;
    sum.delassus += t.assemble;
    sum.solve += t.solve;
    sum.certify += t.certify;
  }
  const double n = std::max<double>(1.0, static_cast<double>(least.size()));
  return {sum.dynamics / n, sum.collide / n, sum.delassus / n, sum.solve / n, sum.certify / n};
}

void fill_times(const RunTimes& times, int steps, MethodRow& row) {
  row.cpu = per_100k(std::accumulate(times.cpu.begin(), times.cpu.end(), 0.0) /
                         static_cast<double>(times.cpu.size()),
                     steps);
  row.quiet = per_100k(std::accumulate(times.step.begin(), times.step.end(), 0.0), steps);
  const std::vector<double> seconds(times.step.begin(), times.step.end());
  row.median = quantile(seconds, 0.5);
  row.high = quantile(seconds, 0.999);
  const auto slowest = std::ranges::max_element(seconds);
  row.slowest = *slowest;
  row.slowest_step = static_cast<int>(slowest - seconds.begin());
}

/// What the default solver meets: laws, slip problems, files, and the facts of each step.
class DefaultWatch {
 public:
  DefaultWatch(std::string_view task, const std::filesystem::path& problems)
      : files_(task, problems) {}

  void look(const StepReport& report, const Workspace& workspace, std::vector<SlipSample>& slips) {
    steps_.push_back({{},
                      static_cast<int>(steps_.size()),
                      0.0,
                      report.iterations,
                      static_cast<int>(report.contacts.size()),
                      report.deepest_overlap});
    const ContactProblem* problem = workspace.last_problem();
    if (report.islands == 0 || problem == nullptr) return;
    laws_.add(*problem);
    if (slips.size() < most_slips && steps_.size() % 8 == 0) collect_slips(*problem, slips);
    files_.offer(*problem, report, static_cast<int>(steps_.size()) - 1);
  }

  [[nodiscard]] const LawDifferences& laws() const { return laws_.result(); }
  [[nodiscard]] std::vector<SlowStep> slow_steps(const std::string& task,
                                                 const RunTimes& times) const {
    std::vector<SlowStep> slow = steps_;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      slow[i].task = task;
      slow[i].seconds = times.step[i];
    }
    const std::size_t kept = std::min(kept_slow_steps, slow.size());
    std::ranges::partial_sort(slow, slow.begin() + static_cast<std::ptrdiff_t>(kept),
                              std::ranges::greater{}, &SlowStep::seconds);
    slow.resize(kept);
    return slow;
  }
  void finish() { files_.save(); }

 private:
  LawComparison laws_;
  std::vector<SlowStep> steps_;
  ProblemFiles files_;
};

void check_trot(const StudySize& size, Progress& progress, TrotRow& row) {
  progress.show("trot");
  const int steps = static_cast<int>(std::lround(60.0 * size.trot_minutes / step_time));
  TrotTask task(step_time, size.seed, nullptr);
  row.minutes = size.trot_minutes;
  row.slowest_second = 1e9;
  double begin = 0.0, last = 0.0, seconds = 0.0;
  const auto watch = [&](Task& running, const StepReport&, Workspace&) {
    const State& state = running.state();
    if (state.time < ramp_end + seconds) return;
    if (seconds == 0.0) begin = state.q[0];
    if (seconds > 0.0) {
      row.slowest_second = std::min(row.slowest_second, state.q[0] - last);
      row.fastest_second = std::max(row.fastest_second, state.q[0] - last);
    }
    last = state.q[0];
    row.speed = seconds > 0.0 ? (last - begin) / seconds : 0.0;
    seconds += 1.0;
  };
  row.run = run_task(task, task_method(hybrid_name), steps, watch);
  row.facts = task.facts();
  progress.add(control_cost * steps);
}

void study_task(const StudySize& size, const std::string& name,
                const std::filesystem::path& problems, Progress& progress, Results& results,
                std::vector<SlipSample>& slips) {
  struct Entry {
    TaskMethod method;
    std::shared_ptr<TorqueScript> script;
    RunTimes times, stages;
  };
  std::vector<Entry> entries;
  const std::size_t first_row = results.methods.size();
  DefaultWatch watch(name, problems);
  for (TaskMethod& method : task_methods()) {
    progress.show(name + ", " + method.name);
    Entry& entry =
        entries.emplace_back(Entry{std::move(method), std::make_shared<TorqueScript>(), {}, {}});
    const std::unique_ptr<Task> task = make_task(name, step_time, size.seed, entry.script);
    Watcher look;
    if (entry.method.name == hybrid_name) {
      look = [&](Task&, const StepReport& report, Workspace& workspace) {
        watch.look(report, workspace, slips);
      };
    }
    MethodRow& row = results.methods.emplace_back();
    row.task = name;
    row.method = entry.method.name;
    row.label = entry.method.label;
    row.facts = run_task(*task, entry.method, size.steps, look);
    progress.add(((name == "trot" ? control_cost : 1.0) + (look ? comparison_cost : 0.0)) *
                 size.steps);
  }
  watch.finish();
  results.laws.push_back({name, watch.laws()});
  for (int round = 0; round < size.rounds + size.stage_rounds; ++round) {
    const bool stages = round >= size.rounds;
    for (Entry& entry : entries) {
      if (stages && !has_stages(entry.method)) continue;
      progress.show(fmt::format("{}, {}, round {}", name, entry.method.name, round + 1));
      const std::unique_ptr<Task> task = make_task(name, step_time, size.seed, entry.script);
      time_task(*task, entry.method, size.steps, stages, stages ? entry.stages : entry.times);
      progress.add(size.steps);
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    MethodRow& row = results.methods[first_row + i];
    fill_times(entries[i].times, size.steps, row);
    row.stages = means_of(entries[i].stages.least);
    if (row.method != hybrid_name) continue;
    const std::vector<SlowStep> slow = watch.slow_steps(name, entries[i].times);
    results.slow_steps.insert(results.slow_steps.end(), slow.begin(), slow.end());
  }
}

bool contains(const std::vector<std::string>& tasks, std::string_view name) {
  return std::ranges::find(tasks, name) != tasks.end();
}

}  // namespace

void study_tasks(const StudySize& size, const std::vector<std::string>& tasks,
                 const std::filesystem::path& problems, Progress& progress, Results& results,
                 std::vector<SlipSample>& slips) {
  results.steps = size.steps;
  results.rounds = size.rounds;
  if (contains(tasks, "trot")) check_trot(size, progress, results.trot);
  for (const std::string& task : tasks) {
    study_task(size, task, problems, progress, results, slips);
    if (task != "hang" && task != "drop") continue;
    progress.show(task + " at 20 ms");
    const std::unique_ptr<Task> large = make_task(task, large_step, size.seed);
    results.large_steps.push_back(
        {task, large_step, run_task(*large, task_method(hybrid_name), size.steps)});
    progress.add(size.steps);
  }
}

double study_cost(const StudySize& size, const std::vector<std::string>& tasks) {
  const double methods = static_cast<double>(task_methods().size());
  const double runs = methods * (1.0 + size.rounds + size.stage_rounds);
  double cost = 0.0;
  for (const std::string& task : tasks) {
    cost += (runs + comparison_cost) * size.steps;
    if (task == "trot") {
      cost += control_cost * (methods * size.steps + 60.0 * size.trot_minutes / step_time);
    }
  }
  return cost;
}

const MethodRow* Results::find(std::string_view task, std::string_view method) const {
  for (const MethodRow& row : methods) {
    if (row.task == task && row.method == method) return &row;
  }
  return nullptr;
}

}  // namespace stiction::experiments
