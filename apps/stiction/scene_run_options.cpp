#include <fmt/format.h>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/scene_run.hpp"
#include "stiction/solver/claims.hpp"

namespace stiction {

namespace {

/// An option that takes one of several words.
void add_word(CLI::App& command, const std::string& option, const std::string& kind,
              std::string& word, const std::vector<std::string_view>& known) {
  command
      .add_option(option, word, fmt::format("One of {} (default {})", fmt::join(known, ", "), word))
      ->type_name("NAME")
      ->check([kind, known](const std::string& text) { return check_word(kind, text, known); });
}

void require(const std::string& option, const std::string& fault) {
  if (!fault.empty()) throw CLI::ValidationError(option, fault);
}

}  // namespace

void StepArguments::add_to(CLI::App& command) {
  add_word(command, "--solver", "solver", solver, known_solvers());
  add_word(command, "--law", "law", law, known_laws());
  add_word(command, "--gap-rule", "gap rule", gap_rule, known_gap_rules());
  add_word(command, "--integrator", "integrator", integrator, known_integrators());
  command.add_option("--step", time_step, "Time step (default: from the file)")
      ->type_name("SECONDS")
      ->check(check_positive);
  command
      .add_option(
          "--tolerance", tolerance,
          fmt::format("Largest relative residual of a certified step (default {:.0e})", tolerance))
      ->type_name("NUMBER")
      ->check(check_positive);
  command
      .add_option(
          "--threads", threads,
          "Threads for groups of bodies that do not touch each other; results stay the same")
      ->type_name("COUNT")
      ->check(check_count);
}

StepOptions StepArguments::options() const {
  require("--solver", check_word("solver", solver, known_solvers()));
  require("--law", check_word("law", law, known_laws()));
  require("--gap-rule", check_word("gap rule", gap_rule, known_gap_rules()));
  require("--integrator", check_word("integrator", integrator, known_integrators()));
  StepOptions options;
  options.solver = solver;
  options.solver_options.law = *parse_law(law);
  options.solver_options.tolerance = tolerance;
  options.gap_rule = *parse_gap_rule(gap_rule);
  options.integrator = *parse_integrator(integrator);
  options.time_step = time_step;
  options.threads = threads;
  require("step options", fault_of(options));
  const std::string refusal = refusal_of_contacts(options.solver, options.solver_options);
  if (!refusal.empty()) {
    require(
        "--law",
        fmt::format("solver '{}' does not support law '{}': it {}; choose another solver or law",
                    solver, law, refusal));
  }
  return options;
}

}  // namespace stiction
