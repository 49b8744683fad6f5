#pragma once

/// \file
/// What `stiction simulate` is asked, does and prints.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/stiction/output.hpp"
#include "apps/stiction/scene_run.hpp"
#include "apps/stiction/uncertified_folder.hpp"

namespace stiction {

struct SimulateArguments {
  SceneArgument scene;
  StepArguments step;
  ControlArguments control;
  double duration = 5.0;  ///< [s]
  int record_every = 0;   ///< steps per frame; 0: one frame per 0.01 s
  std::string out;        ///< files to write; empty: none
  std::string csv;
  std::string html;
  std::string save_state;
  std::string keep_uncertified;  ///< folder; empty: none
  bool quiet = false;
  bool json = false;

  [[nodiscard]] bool records() const { return !(out.empty() && csv.empty() && html.empty()); }
};

/// What was measured over the steps of a run.
struct RunSummary {
  RunDescription run;
  RunCounts counts;
  long long planned_steps = 0;
  double start_time = 0.0;         ///< of the state [s]
  double end_time = 0.0;           ///< [s]
  double seconds = 0.0;            ///< of wall time, for stepping and recording
  double contacts = 0.0;           ///< that are not open, summed over the steps
  std::size_t most_contacts = 0;   ///< in one step
  double iterations = 0.0;         ///< summed over the steps
  double start_energy = 0.0;       ///< kinetic and potential [J]
  double end_energy = 0.0;         ///< [J]
  std::uint64_t state_hash = 0;    ///< of the last state
  int signal = 0;                  ///< that ended the run early; 0: none
  std::string fault;               ///< why it ended early; empty: it did not
  std::string kept;                ///< what is in the folder for uncertified steps; may be empty
  std::vector<std::string> files;  ///< written, in the order of the options

  [[nodiscard]] double simulated() const { return end_time - start_time; }
  [[nodiscard]] double steps_done() const {
    return static_cast<double>(std::max<long long>(1, counts.steps - counts.refused));
  }
};

/// A few lines for people.
std::string summary_text(const RunSummary& summary, const Palette& palette);
/// The same for programs.
nlohmann::ordered_json summary_json(const RunSummary& summary);

/// Kinetic and potential energy [J].
double energy_of(const Model& model, const State& state);

/// Steps until the planned steps are done, a step is refused, the recording cannot go on, or
/// SignalWatch has caught a signal. Fills `summary`. Recorder and folder may be null.
void run_steps(Simulation& simulation, const Controls& controls, Recorder* recorder,
               UncertifiedFolder* uncertified, bool show_progress, RunSummary& summary);

}  // namespace stiction
