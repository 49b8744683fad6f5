#pragma once

/// \file
/// An environment of a batch while a thread steps it, and which ones go together.

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/model/state.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

/// An environment while a thread steps it.
struct Guest {
  explicit Guest(const Model& model) : state(model.initial_state()) {}

  int environment = 0;
  bool ended = false;  ///< it cannot go on
  State state;
  StepReport report;
  std::vector<JointServo> servos;
  StepInput input;
};

/// When an environment of a block has its turn: those with the same contacts in the step before
/// come one after the other.
struct Turn {
  std::uint64_t contacts = 0;  ///< which ones
  int environment = 0;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};

/// Two sets of contacts hardly ever share this number.
inline std::uint64_t number_of(std::span<const ImpulseMemory> contacts) {
  std::uint64_t number = contacts.size();
  for (const ImpulseMemory& contact : contacts) number = 0x100000001b3 * (number ^ contact.key);
  return number;
}

}  // namespace stiction
