#pragma once

/// \file
/// The table of StepOptions, and with it that of their SolverOptions.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "stiction/sim/options.hpp"
#include "stiction/solver/option_table.hpp"

namespace stiction {

/// One option of a step: a row of StepOptions or of their SolverOptions.
class StepOption {
 public:
  using Row = std::variant<const OptionRow<StepOptions>*, const SolverOption*>;
  explicit StepOption(Row row) : row_(row) {}

  [[nodiscard]] const OptionInfo& info() const;
  [[nodiscard]] bool of_solver() const { return row_.index() == 1; }
  [[nodiscard]] OptionValue value(const StepOptions& options) const;
  /// As OptionRow::set().
  void set(StepOptions& options, const OptionValue& value) const;
  /// Reads a text. Returns what is wrong, such as "push_out_fraction is 3; give a number from 0 to
  /// 1", and changes nothing then; empty if nothing is.
  [[nodiscard]] std::string read(StepOptions& options, std::string_view text) const;

 private:
  Row row_;
};

/// Solver options that were found right, so that the next step need not look at each again.
class RightOptions {
 public:
  /// What is wrong, as fault_of(options); empty if nothing is.
  [[nodiscard]] std::string fault_of_next(const StepOptions& options);

 private:
  static_assert(std::is_trivially_copyable_v<SolverOptions>, "compared byte by byte");
  std::array<std::byte, sizeof(SolverOptions)> bytes_{};
  std::string solver_;  ///< empty before the first
};

/// Every option once: those of the step, of all solvers, of each solver. Names are without
/// `solver_options`: `tolerance`, `hybrid.sweeps`.
[[nodiscard]] std::span<const StepOption> step_option_table();

/// Null if there is none of this name.
[[nodiscard]] const StepOption* find_step_option(std::string_view name);

/// `push_out_sweeps 10`: those that shape the motion and are not as in `others`.
[[nodiscard]] std::vector<std::string> different_options(const StepOptions& options,
                                                         const StepOptions& others);

}  // namespace stiction
