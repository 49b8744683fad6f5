#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "experiments/charts.hpp"
#include "experiments/per_contact/results.hpp"

namespace stiction::experiments {

namespace {

std::vector<std::string> tasks_of(const Results& results) {
  std::vector<std::string> tasks;
  for (const MethodRow& row : results.methods) {
    if (std::ranges::find(tasks, row.task) == tasks.end()) tasks.push_back(row.task);
  }
  return tasks;
}

/// Figure 4: how many problems take 2^k iterations and less than twice as many.
plot::Figure iteration_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Iterations of a contact problem";
  for (const std::string& task : tasks_of(results)) {
    plot::Panel chart = make_panel(task, "log2 of the iterations", "share of the problems [%]");
    for (const char* name : {paper_name, pgs_name, hybrid_name}) {
      const MethodRow* row = results.find(task, name);
      if (row == nullptr) continue;
      plot::Line line{row->label, {}, {}};
      int last = 0;
      for (int bin = 0; bin < iteration_bins; ++bin) {
        if (row->facts.histogram[static_cast<std::size_t>(bin)] > 0) last = bin;
      }
      for (int bin = 0; bin <= last; ++bin) {
        const int count = row->facts.histogram[static_cast<std::size_t>(bin)];
        add_bar(bin, bin + 1.0, 100.0 * row->facts.share(count), line);
      }
      chart.lines.push_back(std::move(line));
    }
    figure.panels.push_back(std::move(chart));
  }
  return figure;
}

/// Figure 5: what the stages of a step cost, a group of bars for each.
plot::Figure cost_figure(const Results& results) {
  constexpr double StageMeans::*stages[] = {&StageMeans::dynamics, &StageMeans::collide,
                                            &StageMeans::delassus, &StageMeans::solve,
                                            &StageMeans::certify};
  constexpr double width = 0.25;
  plot::Figure figure;
  figure.title = "1 dynamics, 2 collision, 3 Delassus matrix, 4 solver, 5 certificate";
  for (const std::string& task : tasks_of(results)) {
    plot::Panel chart = make_panel(task, "stage", "mean time of a step [µs]");
    int place = 0;
    for (const char* name : {paper_name, pgs_name, hybrid_name}) {
      const MethodRow* row = results.find(task, name);
      if (row == nullptr) continue;
      plot::Line line{row->label, {}, {}};
      double stage = 1.0 + (place++ - 1.5) * width;
      for (const auto member : stages) {
        add_bar(stage, stage + width, 1e6 * row->stages.*member, line);
        stage += 1.0;
      }
      chart.lines.push_back(std::move(line));
    }
    figure.panels.push_back(std::move(chart));
  }
  return figure;
}

void add_distribution(std::vector<double> values, const char* label, plot::Panel& chart) {
  if (values.empty()) return;
  std::ranges::sort(values);
  plot::Line line{label, {}, {}};
  constexpr int points = 400;
  for (int k = 0; k <= points; ++k) {
    const double share = static_cast<double>(k) / points;
    const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
    line.x.push_back(std::max(values[place], 1e-14));
    line.y.push_back(100.0 * share);
  }
  chart.lines.push_back(std::move(line));
}

/// Figure 6 as cumulative shares.
plot::Figure law_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Maximum dissipation and Coulomb's law: |λb − λp| / |λp|";
  for (const LawRow& row : results.laws) {
    plot::Panel chart = make_panel(row.task, "relative difference", "share with at most this [%]");
    chart.x_scale = plot::Scale::logarithmic;
    add_distribution(row.differences.problems, "all problems", chart);
    add_distribution(row.differences.sliding, "sliding contacts", chart);
    if (!chart.lines.empty()) figure.panels.push_back(std::move(chart));
  }
  return figure;
}

/// Figure 7.
plot::Figure penetration_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Mean penetration of the feet in hang";
  plot::Panel pushed = make_panel("the default step", "t [s]", "penetration [µm]");
  plot::Panel left = make_panel("nothing pushed out", "t [s]", "penetration [mm]");
  plot::Panel solver =
      make_panel("nothing pushed out: by the solver", "t [s]", "sunk since 2 s [µm]");
  for (const PenetrationTrace& trace : results.penetration) {
    const auto scaled = [&](std::vector<double> values, double factor) {
      for (double& value : values) value *= factor;
      return plot::Line{trace.method, trace.time, std::move(values)};
    };
    if (trace.setup == HangingSetup::pushed_out) {
      pushed.lines.push_back(scaled(trace.depth, 1e6));
    } else {
      left.lines.push_back(scaled(trace.depth, 1e3));
      solver.lines.push_back(scaled(trace.by_solver, 1e6));
    }
  }
  for (plot::Panel* chart : {&pushed, &left, &solver}) {
    if (!chart->lines.empty()) figure.panels.push_back(std::move(*chart));
  }
  return figure;
}

std::string methods_csv(const Results& results) {
  std::string text =
      "task,method,cpu_s_per_100k,quiet_s_per_100k,median_us,p999_us,slowest_us,certified_1e-8,"
      "certified_1e-5,worst_residual,mean_iterations,most_iterations,mean_contacts,most_contacts,"
      "deepest_overlap_m,dynamics_us,collide_us,delassus_us,solve_us,certify_us\n";
  for (const MethodRow& row : results.methods) {
    const RunFacts& f = row.facts;
    text += fmt::format(
        "{},{},{:.4f},{:.4f},{:.3f},{:.3f},{:.3f},{:.6f},{:.6f},{:.3e},{:.3f},{},{:.3f},{},{:.3e},"
        "{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}\n",
        row.task, row.method, row.cpu, row.quiet, 1e6 * row.median, 1e6 * row.high,
        1e6 * row.slowest, f.share(f.certified), f.share(f.roughly_certified), f.worst_residual,
        f.mean_iterations, f.most_iterations, f.mean_contacts, f.most_contacts, f.deepest_overlap,
        1e6 * row.stages.dynamics, 1e6 * row.stages.collide, 1e6 * row.stages.delassus,
        1e6 * row.stages.solve, 1e6 * row.stages.certify);
  }
  return text;
}

std::string iterations_csv(const Results& results) {
  std::string text = "task,method,iterations_from,problems\n";
  for (const MethodRow& row : results.methods) {
    for (int bin = 0; bin < iteration_bins; ++bin) {
      const int count = row.facts.histogram[static_cast<std::size_t>(bin)];
      if (count > 0) text += fmt::format("{},{},{},{}\n", row.task, row.method, 1 << bin, count);
    }
  }
  return text;
}

std::string slow_csv(const Results& results) {
  std::string text = "task,step,us,iterations,contacts,overlap_m\n";
  for (const SlowStep& slow : results.slow_steps) {
    text += fmt::format("{},{},{:.3f},{},{},{:.3e}\n", slow.task, slow.step, 1e6 * slow.seconds,
                        slow.iterations, slow.contacts, slow.overlap);
  }
  return text;
}

std::string penetration_csv(const Results& results) {
  std::string text = "method,overlaps,time_s,penetration_m,sunk_by_solver_m\n";
  for (const PenetrationTrace& trace : results.penetration) {
    for (std::size_t i = 0; i < trace.time.size(); ++i) {
      text += fmt::format("{},{},{:.4f},{:.6e},{:.6e}\n", trace.method, to_string(trace.setup),
                          trace.time[i], trace.depth[i], trace.by_solver[i]);
    }
  }
  return text;
}

}  // namespace

void write_results(const Results& results, ExperimentOutput& output) {
  output.csv("methods", methods_csv(results));
  output.csv("iterations", iterations_csv(results));
  output.csv("slow_steps", slow_csv(results));
  output.csv("penetration", penetration_csv(results));
  output.figure("iterations", iteration_figure(results));
  output.figure("costs", cost_figure(results));
  output.figure("laws", law_figure(results));
  output.figure("penetration", penetration_figure(results));
}

}  // namespace stiction::experiments
