/// \file
/// One slip problem: time and accuracy of every one-contact solver, [PCI, Table I], with the
/// histogram of the eccentricities that a driven quadruped meets.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

#include "experiments/charts.hpp"
#include "experiments/driven_quadruped.hpp"
#include "experiments/experiment_output.hpp"
#include "stiction/contact/one_contact_solvers.hpp"

namespace stiction::experiments {

namespace {

using bench::Harness;
using bench::Report;
using bench::Table;

struct Arguments {
  int count = 20'000;
  double friction = 0.8;
  bool quick = false;
};

struct Entry {
  std::string name;
  Law law;
  SlipMethod method;
  double tolerance;
  double error_median = 0.0;  ///< of the impulse, relative
  double error_worst = 0.0;

  [[nodiscard]] std::string label() const { return fmt::format("{} {:.0e}", name, tolerance); }
  [[nodiscard]] OneContactOptions options() const {
    OneContactOptions result;
    result.method = method;
    result.tolerance = tolerance;
    return result;
  }
};

std::vector<Entry> entries() {
  std::vector<Entry> list;
  for (const Law law : {Law::max_dissipation, Law::coulomb}) {
    for (const SlipMethod method :
         {SlipMethod::bisection_printed, SlipMethod::golden_section, SlipMethod::quartic,
          SlipMethod::bisection, SlipMethod::newton}) {
      if (!supports(law, method)) continue;
      const std::string name = fmt::format("{} {}", to_string(law), to_string(method));
      const double fine = method == SlipMethod::golden_section ? 1e-8 : 1e-12;
      for (const double tolerance : {1e-6, fine}) {
        list.push_back({.name = name, .law = law, .method = method, .tolerance = tolerance});
      }
    }
  }
  return list;
}

/// The slip equation at an angle and the impulse there, in long double and from W itself.
struct LongSlip {
  using Real = long double;
  Law law;
  const Symmetric3<double>& W;
  Real mu;
  const Vector3<double>& c;
  Real l[3] = {};

  Real operator()(Real angle) {
    const Real C = std::cos(angle), s = std::sin(angle), nn = W.zz;
    const Real bx = mu * W.xz / nn, by = mu * W.yz / nn;
    l[2] = -c.z / nn / (1 + bx * C + by * s);
    l[0] = mu * l[2] * C;
    l[1] = mu * l[2] * s;
    const Real vx = c.x + W.xx * l[0] + W.xy * l[1] + W.xz * l[2];
    const Real vy = c.y + W.xy * l[0] + W.yy * l[1] + W.yz * l[2];
    const Real qx = law == Law::coulomb ? C : C + bx, qy = law == Law::coulomb ? s : s + by;
    return qx * vy - qy * vx;
  }
};

/// How far an answer is from the exact one next to it, relative: secants in long double.
double error_of(Law law, const SlipSample& sample, const Vector3<double>& answer) {
  LongSlip slip{law, sample.factor.W, sample.factor.friction, sample.c};
  long double angle = std::atan2(static_cast<long double>(answer.y), answer.x);
  long double before = angle + 1e-7L;
  long double at_before = slip(before);
  for (int k = 0; k < 8; ++k) {
    const long double value = slip(angle);
    if (value == at_before) break;
    const long double next = angle - value * (angle - before) / (value - at_before);
    before = angle;
    at_before = value;
    angle = next;
  }
  slip(angle);
  const long double apart =
      std::hypot(answer.x - slip.l[0], answer.y - slip.l[1], answer.z - slip.l[2]);
  return static_cast<double>(apart / std::hypot(slip.l[0], slip.l[1], slip.l[2]));
}

void measure_error(const std::vector<SlipSample>& samples, Entry& entry) {
  std::vector<double> errors;
  visit_one_contact_solver(entry.law, entry.options(), [&](const auto& solve) {
    for (const SlipSample& sample : samples) {
      const Vector3<double> answer = solve(sample.factor, sample.c, Vector3<double>{}).impulse;
      if (norm(answer) > 0.0) errors.push_back(error_of(entry.law, sample, answer));
    }
  });
  std::ranges::sort(errors);
  entry.error_median = errors[errors.size() / 2];
  entry.error_worst = errors.back();
}

void add_contestant(Harness& harness, const std::vector<SlipSample>& samples, const Entry& entry) {
  visit_one_contact_solver(entry.law, entry.options(), [&](const auto& solve) {
    harness.add("slip", entry.label(), [solve, &samples](std::int64_t iterations) {
      std::size_t at = 0;
      for (std::int64_t k = 0; k < iterations; ++k) {
        bench::keep(solve(samples[at].factor, samples[at].c, Vector3<double>{}));
        at = at + 1 < samples.size() ? at + 1 : 0;
      }
    });
  });
}

/// Table I of the paper; NaN where it has no such solver.
double published_microseconds(const Entry& entry) {
  if (entry.law != Law::max_dissipation) return std::nan("");
  switch (entry.method) {
    case SlipMethod::bisection_printed:
      return 0.58;
    case SlipMethod::golden_section:
      return 1.2;
    case SlipMethod::quartic:
      return 1.6;
    default:
      return std::nan("");
  }
}

Table result_table(const std::vector<Entry>& list, const Report& report) {
  // The paper does not say how far it iterates; ratios are those at 1e-6, its solver's threshold.
  const double printed = report.seconds("slip", list.front().label());
  Table table({"solver", "tolerance", "µs", "median error", "worst error", "/ printed",
               "published, µs", "published / printed"});
  for (const Entry& entry : list) {
    const double seconds = report.seconds("slip", entry.label());
    const double published = entry.tolerance > 1e-7 ? published_microseconds(entry) : std::nan("");
    table.add({entry.name, fmt::format("{:.0e}", entry.tolerance), bench::microseconds(seconds),
               fmt::format("{:.1e}", entry.error_median), fmt::format("{:.1e}", entry.error_worst),
               bench::ratio_text(seconds / printed),
               std::isnan(published) ? "" : fmt::format("{:.2f}", published),
               std::isnan(published) ? "" : bench::ratio_text(published / 0.58)});
  }
  return table;
}

/// Shares of the samples in bins of a twentieth, the last one open.
struct Histogram {
  static constexpr int bins = 30;
  static constexpr double width = 0.05;
  std::array<double, bins> share{};

  explicit Histogram(const std::vector<SlipSample>& samples) {
    for (const SlipSample& sample : samples) {
      const int bin = std::min(bins - 1, static_cast<int>(sample.eccentricity() / width));
      share[static_cast<std::size_t>(bin)] += 1.0 / static_cast<double>(samples.size());
    }
  }
};

std::string histogram_text(const Histogram& histogram) {
  std::string text = "eccentricity  share\n";
  for (int bin = 0; bin < Histogram::bins; ++bin) {
    const double share = histogram.share[static_cast<std::size_t>(bin)];
    if (share == 0.0) continue;
    const std::string bar(static_cast<std::size_t>(std::lround(200.0 * share)), '#');
    text += fmt::format("{}{:.2f}         {:5.1f} % {}\n", bin + 1 < Histogram::bins ? " " : "≥",
                        bin * Histogram::width, 100.0 * share, bar);
  }
  return text;
}

plot::Figure histogram_figure(const Histogram& histogram, std::size_t count, double friction) {
  plot::Panel panel = make_panel("", "e = µ |w| / W_nn; the last bar has all above", "share [%]");
  panel.lines = {{"e < 1: an ellipse", {}, {}}, {"e ≥ 1: a hyperbola", {}, {}}};
  for (int bin = 0; bin < Histogram::bins; ++bin) {
    const double left = bin * Histogram::width;
    const bool closed = left < 1.0 - 0.5 * Histogram::width;
    add_bar(left, left + Histogram::width, 100.0 * histogram.share[static_cast<std::size_t>(bin)],
            panel.lines[closed ? 0 : 1]);
  }
  plot::Figure figure;
  figure.title = fmt::format("Eccentricity of {} slip problems of a driven ANYmal, µ = {:.1f}",
                             count, friction);
  figure.columns = 1;
  figure.panels = {std::move(panel)};
  return figure;
}

int run(const Arguments& arguments, ExperimentOutput& output) {
  DriveOptions drive;
  drive.friction = arguments.friction;
  const std::vector<SlipSample> samples = record_slip_problems(arguments.count, drive);
  // A set that stays in the nearer caches, so that no solver waits for memory.
  std::vector<SlipSample> timed;
  for (std::size_t k = 0; k < 512; ++k) timed.push_back(samples[k * samples.size() / 512]);

  std::vector<Entry> list = entries();
  bench::Options options;
  options.blocks = arguments.quick ? 5 : 15;
  options.time_cap = arguments.quick ? 15.0 : 120.0;
  options.progress = bench::progress_wanted();
  Harness harness(options);
  for (Entry& entry : list) {
    measure_error(samples, entry);
    add_contestant(harness, timed, entry);
  }
  const Report report = harness.run();
  const Histogram histogram(samples);
  output.table("times",
               fmt::format("{} slip problems of a driven ANYmal, µ = {:.1f}. Timed: from c and the "
                           "factor of W to the impulse.",
                           samples.size(), arguments.friction),
               result_table(list, report));
  fmt::print("{}\n{}\n", histogram_text(histogram), bench::measurement_note(report));
  output.figure("eccentricity", histogram_figure(histogram, samples.size(), arguments.friction));
  return 0;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  stiction::bench::CommandLine line(
      "Time and accuracy of every one-contact solver on slip problems of a driven ANYmal.",
      "slip_problem");
  line.add_option("--count", arguments.count, "slip problems to record").range(1000, 1'000'000);
  line.add_option("--friction", arguments.friction, "µ").range(0.01, 10.0);
  line.add_flag("--quick", arguments.quick, "fewer blocks, at most a quarter of a minute");
  ExperimentOutput output("slip_problem", "one_contact.md");
  return run_experiment(line, output, argc, argv, [&] { return run(arguments, output); });
}
