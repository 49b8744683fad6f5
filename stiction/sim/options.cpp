#include "stiction/sim/options.hpp"

#include <array>

#include "stiction/sim/step_report.hpp"

namespace stiction {

namespace {

constexpr std::array gap_rules{GapRule::position, GapRule::velocity};
constexpr std::array integrators{Integrator::explicit_euler, Integrator::semi_implicit,
                                 Integrator::trapezoid, Integrator::implicit, Integrator::rk4};

template <class Word, std::size_t count>
std::optional<Word> parse(const std::array<Word, count>& words, std::string_view text) {
  for (const Word word : words) {
    if (to_string(word) == text) return word;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(GapRule rule) {
  switch (rule) {
    case GapRule::position:
      return "position";
    case GapRule::velocity:
      return "velocity";
  }
  return "?";
}

std::string_view to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return "explicit";
    case Integrator::semi_implicit:
      return "semi_implicit";
    case Integrator::trapezoid:
      return "trapezoid";
    case Integrator::implicit:
      return "implicit";
    case Integrator::rk4:
      return "rk4";
  }
  return "?";
}

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::not_certified:
      return "not certified";
    case StepStatus::refused:
      return "refused";
    case StepStatus::diverged:
      return "diverged";
  }
  return "?";
}

std::optional<GapRule> parse_gap_rule(std::string_view word) { return parse(gap_rules, word); }

std::optional<Integrator> parse_integrator(std::string_view word) {
  return parse(integrators, word);
}

}  // namespace stiction
