#pragma once

/// \file
/// All results of the experiment, as tables on the screen, CSV files and pictures.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/experiment_output.hpp"
#include "experiments/exponential/error_study.hpp"
#include "experiments/exponential/force_traces.hpp"
#include "experiments/exponential/forces_ahead.hpp"
#include "experiments/exponential/parameter_sweep.hpp"
#include "experiments/exponential/stage_costs.hpp"

namespace stiction::experiments {

struct Results {
  std::vector<StudyRow> study;
  std::vector<SweepRow> sweep;
  std::vector<ForceTrace> traces;
  std::vector<StageCost> costs;
  std::vector<ForcesAhead> ahead;
};

/// Motions of the authors where they are there, else our own.
std::string source_of(const Results& results, const std::string& motion);

/// Local errors by step, ours next to the authors' re-run where `reference` has it; Table II and
/// Table III; costs per error; Figure 5. False if `judged` (ground truths are as fine as theirs)
/// and our exponential method, with either rules, has a larger error than theirs in a row by more
/// than one per cent.
bool show_tables(const Results& results, const std::optional<std::filesystem::path>& reference,
                 bool judged, ExperimentOutput& output);

/// All numbers for programs, and each figure that has data.
void write_results(const Results& results, ExperimentOutput& output);

}  // namespace stiction::experiments
