/// \file
/// A trot of Solo12 on springs: time per step of every integrator and engine, beside Eigen's matrix
/// exponential and MuJoCo, and whether the required ratios hold.
///
/// All start each step from the same recorded states, under the same torques. Inside the timed
/// region: setting the state, and the step.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>
#include <unsupported/Eigen/MatrixFunctions>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "bench/trot_mujoco.hpp"
#include "bench/trot_states.hpp"
#include "stiction/compliant/exponential_engine.hpp"
#include "stiction/sim/step.hpp"

namespace stiction::bench {

namespace {

struct Arguments {
  std::string json_file;
  bool quick = false;
  double time_step = 0.002;  ///< that of the published trot [s]
  int steps = 0;             ///< above 0: only steps with `modal`, without a clock
  std::string only = "modal";
};

constexpr const char* steps_group = "step";
constexpr const char* integrals_group = "integrals alone";

/// One integrator and engine on the moments of a trot.
class TrotRun {
 public:
  TrotRun(const Trot& trot, const StepOptions& options)
      : trot_(trot),
        options_(options),
        state_(trot.moments.front().state),
        workspace_(trot.model) {}

  void run(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) step();
  }

  void step() {
    const TrotMoment& moment = trot_.moments[next_];
    next_ = next_ + 1 == trot_.moments.size() ? 0 : next_ + 1;
    state_ = moment.state;
    StepInput input;
    input.joint_forces = {moment.torques.data(), static_cast<std::size_t>(moment.torques.size())};
    stiction::step(trot_.model, options_, input, state_, workspace_, report_);
    if (report_.status == StepStatus::refused) throw std::runtime_error(report_.message);
  }

  [[nodiscard]] const StepReport& report() const { return report_; }

 private:
  const Trot& trot_;
  StepOptions options_;
  State state_;
  Workspace workspace_;
  StepReport report_;
  std::size_t next_ = 0;
};

struct StepSetting {
  const char* name;
  StepOptions options;
};

std::vector<StepSetting> step_settings(const StepOptions& usual) {
  const auto with = [&](ContactIntegrator integrator, EngineKind engine, PadeOrder order,
                        bool scaling) {
    StepOptions options = usual;
    options.viscoelastic.integrator = integrator;
    options.viscoelastic.engine = engine;
    options.viscoelastic.pade_order = order;
    options.viscoelastic.pade_scaling = scaling;
    return options;
  };
  using I = ContactIntegrator;
  using E = EngineKind;
  StepOptions rigid = usual;
  rigid.contact = ContactFamily::rigid;
  return {{"modal", usual},
          {"pade 13", with(I::exponential, E::pade, PadeOrder::order_13, true)},
          {"pade 1, no scaling", with(I::exponential, E::pade, PadeOrder::order_1, false)},
          {"explicit_euler", with(I::explicit_euler, E::modal, PadeOrder::order_13, true)},
          {"semi_implicit", with(I::semi_implicit, E::modal, PadeOrder::order_13, true)},
          {"rk4", with(I::rk4, E::modal, PadeOrder::order_13, true)},
          {"rigid, hybrid", rigid}};
}

// ---- integrals without the rest of the step

/// By the library's engine.
class EngineRun {
 public:
  EngineRun(const Trot& trot, const EngineOptions& options) : trot_(trot), engine_(options) {}

  void run(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const LinearContacts system = trot_.systems[next_].view();
      next_ = next_ + 1 == trot_.systems.size() ? 0 : next_ + 1;
      const std::size_t rows = static_cast<std::size_t>(system.rows);
      memory_.resize(4 * rows);
      const auto part = [&](std::size_t k) { return std::span(memory_).subspan(k * rows, rows); };
      engine_.integrate(system, trot_.options.time_step, {part(0), part(1), part(2), part(3)});
      keep(memory_);
    }
  }

  [[nodiscard]] std::span<const double> averages() const {
    return std::span(memory_).first(memory_.size() / 4);
  }

 private:
  const Trot& trot_;
  ExponentialEngine engine_;
  std::vector<double> memory_;
  std::size_t next_ = 0;
};

/// By Eigen's exponential of the published augmented matrix [EXP] (29, 30).
class EigenRun {
 public:
  explicit EigenRun(const Trot& trot) : trot_(trot) {}

  void run(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const TrotSystem& system = trot_.systems[next_];
      next_ = next_ + 1 == trot_.systems.size() ? 0 : next_ + 1;
      integrate(system, trot_.options.time_step);
      keep(average_);
    }
  }

  [[nodiscard]] const Eigen::VectorXd& averages() const { return average_; }

 private:
  void integrate(const TrotSystem& system, double h) {
    const Eigen::Index m = system.upsilon.rows();
    const Eigen::Index n = 2 * m;
    augmented_.setZero(n + 3, n + 3);
    augmented_.block(0, m, m, m).setIdentity();
    augmented_.block(m, 0, m, m) = -system.upsilon * system.stiffness.asDiagonal();
    augmented_.block(m, m, m, m) = -system.upsilon * system.damping.asDiagonal();
    augmented_.col(n).segment(m, m) = system.acceleration;
    augmented_.col(n + 1).head(m) = system.position;
    augmented_.col(n + 1).segment(m, m) = system.velocity;
    augmented_(n, n + 1) = augmented_(n + 1, n + 2) = 1.0;
    augmented_ *= h;
    exponential_ = augmented_.exp();
    const auto force = [&](Eigen::Index column) {
      return Eigen::VectorXd(-system.stiffness.cwiseProduct(exponential_.col(column).head(m)) -
                             system.damping.cwiseProduct(exponential_.col(column).segment(m, m)));
    };
    average_ = force(n + 1) / h;
    double_average_ = 2.0 / (h * h) * force(n + 2);
  }

  const Trot& trot_;
  Eigen::MatrixXd augmented_, exponential_;
  Eigen::VectorXd average_, double_average_;
  std::size_t next_ = 0;
};

/// Both ways must give the same forces, else the comparison means nothing.
void check_agreement(const Trot& trot) {
  EngineRun modal(trot, {});
  EigenRun eigen(trot);
  for (std::size_t k = 0; k < trot.systems.size(); ++k) {
    modal.run(1);
    eigen.run(1);
    const Eigen::Map<const Eigen::VectorXd> ours(modal.averages().data(), eigen.averages().size());
    const double error = (ours - eigen.averages()).lpNorm<Eigen::Infinity>();
    if (!(error <= 1e-6 * std::max(1.0, ours.lpNorm<Eigen::Infinity>()))) {
      throw std::runtime_error(fmt::format("modal and Eigen differ by {} N", error));
    }
  }
}

// ---- tables

constexpr std::array stages{
    &StepTimings::kinematics, &StepTimings::collide,   &StepTimings::assemble, &StepTimings::solve,
    &StepTimings::certify,    &StepTimings::integrate, &StepTimings::report};

/// Medians over the trot, because this clock also runs while others use the machine.
StepTimings median_stages(const Trot& trot, StepOptions options) {
  options.timings = true;
  TrotRun run(trot, options);
  run.run(static_cast<std::int64_t>(trot.moments.size()));
  std::array<std::vector<double>, stages.size()> seconds;
  for (std::size_t k = 0; k < trot.moments.size(); ++k) {
    run.step();
    for (std::size_t i = 0; i < stages.size(); ++i) {
      seconds[i].push_back(run.report().timings.*stages[i]);
    }
  }
  StepTimings result;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto middle = seconds[i].begin() + static_cast<std::ptrdiff_t>(seconds[i].size() / 2);
    std::ranges::nth_element(seconds[i], middle);
    result.*stages[i] = *middle;
  }
  return result;
}

std::string stage_table(const Trot& trot) {
  Table table({"µs of the stages", "kinematics", "collide", "springs and motion", "solve",
               "certify", "integrate", "report"});
  for (const StepSetting& setting : step_settings(trot.options)) {
    const StepTimings times = median_stages(trot, setting.options);
    std::vector<std::string> line{setting.name};
    for (const auto stage : stages) line.push_back(microseconds(times.*stage));
    table.add(std::move(line));
  }
  return table.text();
}

std::string time_table(const Report& report) {
  Table table({"µs", "median", "lower quartile", "upper quartile"});
  for (const Result& result : report.results) {
    table.add({fmt::format("{}: {}", result.group, result.name), microseconds(result.seconds),
               microseconds(result.low), microseconds(result.high)});
  }
  return table.text();
}

/// A ratio that must hold on every machine.
struct Requirement {
  std::string what;
  double value;
  double bound;

  [[nodiscard]] bool holds() const { return std::isnan(value) || value <= bound; }
};

std::vector<Requirement> requirements(const Report& report,
                                      const std::vector<TrotMujocoEntry>& mujoco) {
  const double modal = report.seconds(steps_group, "modal");
  const double explicit_step = report.seconds(steps_group, "explicit_euler");
  const double by_eigen = modal - report.seconds(integrals_group, "modal") +
                          report.seconds(integrals_group, "Eigen's matrix exponential");
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const TrotMujocoEntry& entry : mujoco) {
    best = std::fmin(best, report.seconds(steps_group, entry.name));
  }
  std::vector<Requirement> list{
      {"modal / the same step with Eigen's matrix exponential", modal / by_eigen, 0.35},
      {"modal / explicit_euler", modal / explicit_step, 2.5}};
  if (!mujoco.empty()) {
    list.push_back({fmt::format("explicit_euler / {}", mujoco.front().name),
                    explicit_step / report.seconds(steps_group, mujoco.front().name), 0.6});
    list.push_back({"explicit_euler / the fastest setting of MuJoCo", explicit_step / best, 0.6});
  }
  return list;
}

std::string requirement_table(const std::vector<Requirement>& list) {
  Table table({"ratio", "is", "bound", ""});
  for (const Requirement& r : list) {
    table.add({r.what, ratio_text(r.value), fmt::format("≤ {:.2f}", r.bound),
               r.holds() ? "pass" : "FAIL"});
  }
  return table.text();
}

// ---- the program

int count_only(const Trot& trot, const Arguments& arguments) {
  for (const StepSetting& setting : step_settings(trot.options)) {
    if (arguments.only == setting.name) TrotRun(trot, setting.options).run(arguments.steps);
  }
  return 0;
}

void write_results(const std::string& file, const Report& report,
                   const std::vector<Requirement>& required) {
  nlohmann::json document = to_json(report);
  document["machine"] = machine_description();
  for (const Requirement& r : required) {
    document["required"].push_back(
        {{"what", r.what}, {"value", r.value}, {"bound", r.bound}, {"holds", r.holds()}});
  }
  write_json(file, document);
}

int run(const Arguments& arguments) {
  if (!arguments.json_file.empty()) check_writable(arguments.json_file);
  const Trot trot = record_trot(arguments.time_step);
  if (arguments.steps > 0) return count_only(trot, arguments);
  check_agreement(trot);

  Options options;
  options.blocks = arguments.quick ? 25 : 100;
  options.groups = 5;
  options.time_cap = arguments.quick ? 60.0 : 300.0;
  options.progress = progress_wanted();
  Harness harness(options);
  std::vector<std::unique_ptr<TrotRun>> steps;
  for (const StepSetting& setting : step_settings(trot.options)) {
    TrotRun* run = steps.emplace_back(std::make_unique<TrotRun>(trot, setting.options)).get();
    run->run(static_cast<std::int64_t>(trot.moments.size()));
    harness.add(steps_group, setting.name, [run](std::int64_t n) { run->run(n); });
  }
  const std::vector<TrotMujocoEntry> mujoco = make_trot_mujoco(trot);
  double their_contacts = 0.0;
  for (const TrotMujocoEntry& entry : mujoco) {
    their_contacts = 0.0;
    for (std::size_t k = 0; k < trot.moments.size(); ++k) {
      entry.engine->step(k);
      their_contacts += entry.engine->contacts() / static_cast<double>(trot.moments.size());
    }
    harness.add(steps_group, entry.name,
                [engine = entry.engine.get(), count = trot.moments.size(),
                 next = std::size_t{0}](std::int64_t n) mutable {
                  for (std::int64_t i = 0; i < n; ++i) {
                    engine->step(next);
                    next = next + 1 == count ? 0 : next + 1;
                  }
                });
  }
  EngineRun modal(trot, {});
  EngineRun pade(trot, {.kind = EngineKind::pade, .pade = exact_pade()});
  EigenRun eigen(trot);
  harness.add(integrals_group, "modal", [&](std::int64_t n) { modal.run(n); });
  harness.add(integrals_group, "pade 13", [&](std::int64_t n) { pade.run(n); });
  harness.add(integrals_group, "Eigen's matrix exponential", [&](std::int64_t n) { eigen.run(n); });

  fmt::print("trot of Solo12, {} moments, h {} s, mean contacts {:.2f} (MuJoCo: {:.2f})\n\n{}\n",
             trot.moments.size(), arguments.time_step, trot.mean_contacts(), their_contacts,
             stage_table(trot));
  const Report report = harness.run();
  const std::vector<Requirement> required = requirements(report, mujoco);
  fmt::print("{}\n{}\n{}", time_table(report), requirement_table(required),
             measurement_note(report));
  if (!arguments.json_file.empty()) write_results(arguments.json_file, report, required);
  return std::ranges::all_of(required, [](const Requirement& r) { return r.holds(); }) ? 0 : 1;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps a trot of Solo12 on springs with every integrator, with Eigen's matrix exponential "
      "and "
      "with MuJoCo. Exit code 0 if the required ratios hold, else 1.",
      "bench_viscoelastic");
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_flag("--quick", arguments.quick, "fewer blocks, at most a minute");
  line.add_option("--step", arguments.time_step, "time step [s]").range(1e-5, 0.005);
  line.add_option("--steps", arguments.steps,
                  "only step this often with --only, for scripts/count_instructions")
      .range(1, 10'000'000);
  line.add_option("--only", arguments.only, "setting of --steps, such as modal");
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
