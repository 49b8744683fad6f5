#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "apps/stiction/signal_watch.hpp"
#include "apps/stiction/simulate.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

/// One line on a terminal that says how far it is and how long it takes, gone at the end.
class Progress {
 public:
  Progress(bool wanted, long long steps)
      : steps_(steps), shown_(wanted && isatty(STDERR_FILENO) == 1), start_(Clock::now()) {}
  ~Progress() {
    if (drawn_) write_error("\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(long long done, double time) {
    constexpr double interval = 0.1;  // [s]
    if (!shown_ || (done & 15) != 0) return;
    const double elapsed = seconds_since(start_);
    if (elapsed - last_ < interval) return;
    last_ = elapsed;
    drawn_ = true;
    const double share = static_cast<double>(done) / static_cast<double>(steps_);
    write_error(fmt::format("\r\033[K{:3.0f} %  t = {:.2f} s, {} left", 100.0 * share, time,
                            duration_text(elapsed * (1.0 - share) / std::max(share, 1e-9))));
  }

 private:
  long long steps_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_;
  double last_ = 0.0;
};

void count(const StepReport& report, RunSummary& summary) {
  const auto touches = [](const StepContact& contact) { return contact.mode != ContactMode::open; };
  const auto contacts = static_cast<std::size_t>(std::ranges::count_if(report.contacts, touches));
  summary.contacts += static_cast<double>(contacts);
  summary.most_contacts = std::max(summary.most_contacts, contacts);
  summary.iterations += report.iterations;
}

/// Why a step cannot be gone on from; empty if it can.
std::string fault_of(const StepReport& report, double time) {
  if (report.status != StepStatus::refused && report.status != StepStatus::diverged) return {};
  return fmt::format("the step at t = {:g} s failed ({}): {}", time, to_string(report.status),
                     report.message);
}

/// One step and its record.
void advance(Simulation& simulation, const Controls& controls, Recorder* recorder,
             RunSummary& summary) {
  controls.apply(simulation);
  const double before = simulation.state().time;
  const StepReport& report = simulation.step();
  // A step that a signal broke off has left the state alone: the run ends before it.
  if (report.status == StepStatus::refused && SignalWatch::caught() != 0) return;
  summary.fault = fault_of(report, before);
  if (!summary.fault.empty()) return;
  count(report, summary);
  if (recorder != nullptr) recorder->step(simulation.state(), report);
}

}  // namespace

double energy_of(const Model& model, const State& state) {
  DynamicsData<double> data(model);
  update_kinematics(model, data, state.q, state.v);
  return kinetic_energy(model, data, as_span(state.v)) +
         potential_energy(model, data, as_span(state.q));
}

void run_steps(Simulation& simulation, const Controls& controls, Recorder* recorder,
               bool show_progress, RunSummary& summary) {
  summary.start_time = simulation.state().time;
  summary.start_energy = energy_of(simulation.model(), simulation.state());
  {
    const SignalWatch signals;
    Progress progress(show_progress, summary.planned_steps);
    const Clock::time_point start = Clock::now();
    try {
      if (recorder != nullptr) recorder->start(simulation.state());
      for (long long i = 0; i < summary.planned_steps && summary.fault.empty(); ++i) {
        if ((summary.signal = SignalWatch::caught()) != 0) break;
        advance(simulation, controls, recorder, summary);
        progress.at(i + 1, simulation.state().time);
      }
      if (recorder != nullptr) recorder->finish();
    } catch (const InputError& error) {  // the recording cannot go on
      summary.fault = to_string(error.problems().all().front());
    }
    summary.seconds = seconds_since(start);
  }
  summary.counts = simulation.counts();
  if (summary.signal != 0 && simulation.report().status == StepStatus::refused) {
    --summary.counts.steps;  // the one that was broken off
    --summary.counts.refused;
  }
  summary.end_time = simulation.state().time;
  summary.end_energy = energy_of(simulation.model(), simulation.state());
  summary.state_hash = hash(simulation.state());
}

}  // namespace stiction
