#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "apps/stiction/progress.hpp"
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
             UncertifiedFolder* uncertified, RunSummary& summary) {
  controls.apply(simulation);
  if (uncertified != nullptr) uncertified->before(simulation);
  const double before = simulation.state().time;
  const StepReport& report = simulation.step();
  // A step that a signal broke off has left the state alone: the run ends before it.
  if (report.status == StepStatus::refused && SignalWatch::caught() != 0) return;
  summary.fault = fault_of(report, before);
  if (!summary.fault.empty()) return;
  count(report, summary);
  if (uncertified != nullptr) uncertified->after(simulation);
  if (recorder != nullptr) recorder->step(simulation.state(), report, simulation.workspace());
}

}  // namespace

double energy_of(const Model& model, const State& state) {
  DynamicsData<double> data(model);
  update_kinematics(model, data, state.q, state.v);
  return kinetic_energy(model, data, as_span(state.v)) +
         potential_energy(model, data, as_span(state.q));
}

void run_steps(Simulation& simulation, const Controls& controls, Recorder* recorder,
               UncertifiedFolder* uncertified, bool show_progress, RunSummary& summary) {
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
        advance(simulation, controls, recorder, uncertified, summary);
        if ((i & 15) == 15 && progress.is_due()) {
          progress.draw(i + 1, fmt::format("t = {:.2f} s", simulation.state().time));
        }
      }
      if (recorder != nullptr) recorder->finish();
    } catch (const InputError& error) {  // the recording, or the folder, cannot go on
      summary.fault = to_string(error.problems().all().front());
    }
    summary.seconds = seconds_since(start);
  }
  if (uncertified != nullptr) summary.kept = uncertified->summary();
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
