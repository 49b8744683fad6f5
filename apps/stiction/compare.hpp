#pragma once

/// \file
/// What `stiction compare` is asked, does and prints.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/stiction/output.hpp"
#include "apps/stiction/simulate.hpp"
#include "stiction/sim/option_table.hpp"

namespace stiction {

/// One combination of the values that were given.
struct Contender {
  std::string label;  ///< the values that differ between the runs
  StepOptions options;
  std::string refusal;  ///< why it cannot be run; empty if it can
};

struct CompareArguments {
  SceneArgument scene;
  ControlArguments control;
  /// What was given for each option; those without are as usual.
  std::map<const StepOption*, std::vector<OptionValue>> lists;
  double duration = 2.0;  ///< [s]
  std::string html;       ///< file to write; empty: none
  bool quiet = false;
  bool json = false;
  std::vector<Contender> contenders;
};

/// One row of the table.
struct ComparedRun {
  std::string label;
  std::string refusal;  ///< why it was not run; empty if it was
  RunSummary summary;
  /// Largest distance between the origins of a body here and in the first run, at the end [m];
  /// nothing if one of both did not come to the end.
  std::optional<double> difference;

  [[nodiscard]] bool ran() const { return refusal.empty(); }
  [[nodiscard]] bool ended_well() const {
    return ran() && summary.fault.empty() && summary.signal == 0;
  }
};

/// A table, then why runs are missing or ended early.
std::string compare_text(const std::vector<ComparedRun>& runs, const CompareArguments& arguments,
                         const Palette& palette);

/// The same for programs.
nlohmann::ordered_json compare_json(const std::vector<ComparedRun>& runs,
                                    const CompareArguments& arguments);

}  // namespace stiction
