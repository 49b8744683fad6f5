#pragma once

/// \file
/// What a step tells about itself.

#include <string>

#include "stiction/rigid/solution.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/islands.hpp"

namespace stiction {

/// Why a step with too many contacts is refused, and the remedy.
[[nodiscard]] std::string too_many_contacts();

/// Forgets the step before, keeps the memory.
void start_report(StepReport& report);
/// The step cannot be taken.
void refuse(std::string fault, StepReport& report);
/// Numbers overflowed.
void give_up(StepReport& report);
/// Energy came in by errors of integration; `explosive`: beyond all bounds.
void report_energy(double gain, bool explosive, StepReport& report);
/// Counts a solve of all islands that is repeated within the step.
void count_iterations(const IslandSet& islands, const StepSolution& solution, StepReport& report);
/// Contacts, constraints, and the worst of all islands. Refuses the step if the solver cannot do
/// what an island asks for.
void fill_report(const ContactSet& set, const IslandSet& islands, const StepSolution& solution,
                 StepReport& report);

}  // namespace stiction
