#include "stiction/sim/options.hpp"

#include "stiction/sim/step_report.hpp"

namespace stiction {

std::string_view to_string(ContactFamily family) {
  switch (family) {
    case ContactFamily::rigid:
      return "rigid";
    case ContactFamily::viscoelastic:
      return "viscoelastic";
  }
  return "?";
}

std::string_view to_string(Effort effort) {
  switch (effort) {
    case Effort::exact:
      return "exact";
    case Effort::balanced:
      return "balanced";
    case Effort::fast:
      return "fast";
  }
  return "?";
}

std::string_view to_string(GapRule rule) {
  switch (rule) {
    case GapRule::position:
      return "position";
    case GapRule::velocity:
      return "velocity";
  }
  return "?";
}

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::not_certified:
      return "not certified";
    case StepStatus::energy_grew:
      return "energy grew";
    case StepStatus::refused:
      return "refused";
    case StepStatus::diverged:
      return "diverged";
  }
  return "?";
}

std::optional<GapRule> parse_gap_rule(std::string_view word) {
  for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
    if (to_string(rule) == word) return rule;
  }
  return std::nullopt;
}

}  // namespace stiction
