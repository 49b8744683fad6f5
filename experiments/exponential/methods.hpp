#pragma once

/// \file
/// The ways to simulate that the experiment compares: every integrator of spring contacts, the
/// exponential one also with the cheapest matrix exponential, and hard contact.

#include <string>
#include <vector>

#include "stiction/sim/options.hpp"

namespace stiction::experiments {

struct Method {
  std::string name;
  StepOptions options;
  bool explicit_steps = false;  ///< stable at small steps alone, and cheap: smaller steps are tried

  [[nodiscard]] bool hard() const { return options.contact == ContactFamily::rigid; }
};

inline constexpr const char* exponential_name = "exponential";
inline constexpr const char* order_one_name = "exponential, order 1";
inline constexpr const char* hard_name = "hard contact";

/// All, in the order of the tables; the first is `exponential`, the last is hard contact.
std::vector<Method> methods_with(AnchorRules rules);

/// The one of that name. Throws std::invalid_argument if there is none.
Method method_with(AnchorRules rules, const std::string& name);

}  // namespace stiction::experiments
