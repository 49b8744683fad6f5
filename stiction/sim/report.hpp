#pragma once

/// \file
/// What a step tells about itself.

#include <string>

#include "stiction/rigid/solution.hpp"
#include "stiction/sim/step_report.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/islands.hpp"

namespace stiction {

/// Forgets the step before, keeps the memory.
void start_report(StepReport& report);
/// The step cannot be taken.
void refuse(std::string fault, StepReport& report);
/// Numbers overflowed.
void give_up(StepReport& report);
/// Energy came in by errors of integration; `explosive`: beyond all bounds.
void report_energy(double gain, bool explosive, StepReport& report);
/// Contacts, constraints, and the worst of all islands.
void fill_report(const ContactSet& set, const IslandSet& islands, const StepSolution& solution,
                 StepReport& report);

}  // namespace stiction
