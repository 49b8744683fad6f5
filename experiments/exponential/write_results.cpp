#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "experiments/charts.hpp"
#include "experiments/exponential/cost_ratios.hpp"
#include "experiments/exponential/published_motions.hpp"
#include "experiments/exponential/results.hpp"

namespace stiction::experiments {

namespace {

plot::Line& line_of(plot::Panel& panel, const std::string& label) {
  const auto found = std::ranges::find(panel.lines, label, &plot::Line::label);
  if (found != panel.lines.end()) return *found;
  panel.lines.push_back({label, {}, {}});
  return panel.lines.back();
}

/// A logarithmic axis has no place for zero, and 1e5 stands for a failure.
void add_point(plot::Panel& panel, const std::string& label, double x, double y) {
  if (!(y > 0.0) || !(y < 1e4)) return;
  plot::Line& line = line_of(panel, label);
  line.x.push_back(x);
  line.y.push_back(y);
}

/// Figures 2 and 3: local error by real-time factor, and by step.
plot::Figure error_figure(const Results& results, bool by_cost) {
  plot::Figure figure;
  figure.title = by_cost ? "Local error and speed" : "Local error and step";
  for (const std::string_view name : motion_names) {
    const std::string motion(name);
    const std::string source = source_of(results, motion);
    plot::Panel chart = make_panel(motion + ", " + source + " motion",
                                   by_cost ? "simulated time / CPU time" : "step [ms]",
                                   "mean local error", plot::Scale::logarithmic);
    for (const StudyRow& row : results.study) {
      if (row.motion != motion || row.source != source || row.rules == "authors") continue;
      add_point(chart, row.method, by_cost ? row.real_time : 1e3 * row.step, row.error.mean);
    }
    if (!chart.lines.empty()) figure.panels.push_back(std::move(chart));
  }
  return figure;
}

/// Ascending; a point that both sweeps have is there once.
void sort_points(plot::Line& line) {
  std::map<double, double> points;
  for (std::size_t i = 0; i < line.x.size(); ++i) points.emplace(line.x[i], line.y[i]);
  line.x.clear();
  line.y.clear();
  for (const auto& [x, y] : points) {
    line.x.push_back(x);
    line.y.push_back(y);
  }
}

/// Figure 4.
plot::Figure sweep_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Trot with other contacts";
  figure.panels = {make_panel("damping ratio 0.5", "stiffness [N/m]", "mean local error",
                              plot::Scale::logarithmic),
                   make_panel("stiffness 1e5 N/m", "damping ratio", "mean local error",
                              plot::Scale::logarithmic)};
  figure.panels[1].x_scale = plot::Scale::linear;
  for (const SweepRow& row : results.sweep) {
    const std::string label = fmt::format("{} at {:g} ms", row.method, 1e3 * row.step);
    const bool by_stiffness = row.damping_ratio == 0.5;
    if (by_stiffness) add_point(figure.panels[0], label, row.stiffness, row.mean_error);
    if (row.stiffness == 1e5) add_point(figure.panels[1], label, row.damping_ratio, row.mean_error);
  }
  for (plot::Panel& chart : figure.panels) {
    for (plot::Line& line : chart.lines) sort_points(line);
  }
  return figure;
}

/// First time that a foot presses again after a tenth of a second in the air; 0 if it never does.
double touch_down(const ForceTrace& trace) {
  double pressed = 0.0;
  for (std::size_t i = 0; i < trace.time.size(); ++i) {
    if (!(trace.force[i] > 0.0)) continue;
    if (trace.time[i] - pressed > 0.1) return trace.time[i];
    pressed = trace.time[i];
  }
  return 0.0;
}

void add_forces(const ForceTrace& trace, double begin, double end, plot::Panel& panel) {
  plot::Line& line = line_of(panel, trace.method);
  for (std::size_t i = 0; i < trace.time.size(); ++i) {
    if (trace.time[i] < begin || trace.time[i] > end) continue;
    line.x.push_back(trace.time[i]);
    line.y.push_back(trace.force[i]);
  }
}

/// Figure 6: for each motion the beginning, and a touch-down.
plot::Figure force_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Normal force of one foot";
  std::string motion;
  double start = 0.0;
  for (const ForceTrace& trace : results.traces) {
    if (trace.motion != motion) {
      motion = trace.motion;
      start = touch_down(trace);
      for (const std::string& title : {motion, motion + ", touch-down"}) {
        figure.panels.push_back(make_panel(title, "t [s]", "force [N]", plot::Scale::linear));
      }
    }
    add_forces(trace, 0.0, start + 0.3, *(figure.panels.end() - 2));
    add_forces(trace, start - 0.005, start + 0.05, figure.panels.back());
  }
  return figure;
}

/// Figure 5.
plot::Figure ahead_figure(const Results& results) {
  plot::Figure figure;
  figure.title = "Normal force of a foot after touch-down";
  for (const ForcesAhead& touch_down : results.ahead) {
    plot::Panel chart = make_panel(fmt::format("touch-down at {:g} m/s", touch_down.speed),
                                   "t [ms]", "force [N]", plot::Scale::linear);
    chart.lines = {{"simulated", {}, touch_down.simulated},
                   {"predicted", {}, touch_down.predicted}};
    for (plot::Line& line : chart.lines) {
      for (const double t : touch_down.time) line.x.push_back(1e3 * t);
    }
    figure.panels.push_back(std::move(chart));
  }
  return figure;
}

std::string ahead_csv(const std::vector<ForcesAhead>& touch_downs) {
  std::string text = "speed_m_s,time_s,predicted_N,simulated_N\n";
  for (const ForcesAhead& each : touch_downs) {
    for (std::size_t k = 0; k < each.time.size(); ++k) {
      text += fmt::format("{:g},{:.6g},{:.6g},{:.6g}\n", each.speed, each.time[k],
                          each.predicted[k], each.simulated[k]);
    }
  }
  return text;
}

std::string ratios_csv(const std::vector<CostRatio>& ratios) {
  std::string text = "motion,source,rules,method,error,exponential_s_per_s,ratio\n";
  for (const CostRatio& each : ratios) {
    text += fmt::format("{},{},{},{},{:.4g},{:.4g},{:.4g}\n", each.motion, each.source, each.rules,
                        each.method, each.error, each.cost, each.ratio);
  }
  return text;
}

std::string study_csv(const std::vector<StudyRow>& rows) {
  std::string text =
      "motion,source,rules,method,step_s,mean_error,median_error,largest_error,failed_steps,"
      "us_per_step,real_time_factor,stable,end_height_m\n";
  for (const StudyRow& row : rows) {
    text += fmt::format(
        "{},{},{},{},{:.9g},{:.6e},{:.6e},{:.6e},{},{:.3f},{:.4g},{},{:.6g}\n", row.motion,
        row.source, row.rules, row.method == order_one_name ? "exponential_order_1" : row.method,
        row.step, row.error.mean, row.error.median, row.error.largest, row.error.failed,
        1e6 * row.error.step_seconds, row.real_time, row.stable ? 1 : 0, row.end_height);
  }
  return text;
}

std::string sweep_csv(const std::vector<SweepRow>& rows) {
  std::string text = "method,step_s,stiffness,damping_ratio,mean_error\n";
  for (const SweepRow& row : rows) {
    text += fmt::format("{},{:.9g},{:.6g},{:.2f},{:.6e}\n",
                        row.method == order_one_name ? "exponential_order_1" : row.method, row.step,
                        row.stiffness, row.damping_ratio, row.mean_error);
  }
  return text;
}

std::string forces_csv(const std::vector<ForceTrace>& traces) {
  std::string text = "motion,method,step_s,time_s,normal_force_N\n";
  for (const ForceTrace& trace : traces) {
    for (std::size_t i = 0; i < trace.time.size(); ++i) {
      text += fmt::format("{},{},{:.9g},{:.6g},{:.6g}\n", trace.motion, trace.method, trace.step,
                          trace.time[i], trace.force[i]);
    }
  }
  return text;
}

std::string costs_csv(const std::vector<StageCost>& costs) {
  std::string text = "method,step_us,kinematics_us,collide_us,contact_us,integrate_us\n";
  for (const StageCost& cost : costs) {
    text += fmt::format("{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n",
                        cost.method == order_one_name ? "exponential_order_1" : cost.method,
                        1e6 * cost.step, 1e6 * cost.kinematics, 1e6 * cost.collide,
                        1e6 * cost.contact, 1e6 * cost.integrate);
  }
  return text;
}

}  // namespace

std::string source_of(const Results& results, const std::string& motion) {
  for (const StudyRow& row : results.study) {
    if (row.motion == motion && row.source == "published") return "published";
  }
  return "own";
}

void write_results(const Results& results, ExperimentOutput& output) {
  output.csv("errors", study_csv(results.study));
  output.csv("cost_ratios", ratios_csv(cost_ratios(results.study)));
  if (!results.sweep.empty()) output.csv("sweep", sweep_csv(results.sweep));
  if (!results.traces.empty()) output.csv("forces", forces_csv(results.traces));
  if (!results.ahead.empty()) output.csv("ahead", ahead_csv(results.ahead));
  if (!results.costs.empty()) output.csv("costs", costs_csv(results.costs));
  output.figure("speed", error_figure(results, true));
  output.figure("steps", error_figure(results, false));
  output.figure("sweep", sweep_figure(results));
  output.figure("ahead", ahead_figure(results));
  output.figure("forces", force_figure(results));
}

}  // namespace stiction::experiments
