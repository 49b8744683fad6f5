#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/stiction/commands.hpp"
#include "apps/stiction/output.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

void add_commands(CLI::App& app, Action& action) {
  add_inspect_command(app, action);
  add_solve_command(app, action);
  add_simulate_command(app, action);
  add_view_command(app, action);
  add_replay_command(app, action);
  add_compare_command(app, action);
  add_rollout_command(app, action);
  add_options_command(app, action);
  add_completion_command(app, action);
}

namespace {

/// The subcommand that was given, else the program.
const CLI::App& chosen(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

/// What was probably meant by a command that there is not; empty without an idea.
std::string command_suggestion(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining();
  if (rest.empty() || rest.front().starts_with('-')) return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fmt::format(
      "there is no command '{}'; {}", rest.front(),
      suggestion(rest.front(), known, fmt::format("use {}", fmt::join(names, ", "))));
}

/// What was probably meant by an option that there is not; empty without an idea.
std::string option_suggestion(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string near = suggestion(word.substr(0, word.find('=')), known, "");
    if (!near.empty()) return "; " + near;
  }
  return {};
}

/// One line that says what was wrong with the arguments, and where help is.
int usage_error(const CLI::App& app, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  const CLI::App& command = chosen(app);
  const std::string name = &command == &app ? "stiction" : "stiction " + command.get_name();
  if (&command == &app) {
    if (std::string other = command_suggestion(app); !other.empty()) what = std::move(other);
  }
  write_error(fmt::format("stiction: {}{}; run `{} --help` for usage\n", printable(what),
                          printable(option_suggestion(command)), name));
  return exit_usage;
}

/// Names an option that was given more often than it may be; empty if there is none.
std::string repeated_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() != 1 || option->count() < 2) continue;
    return fmt::format("{} is given {} times; give it once", option->get_name(), option->count());
  }
  return {};
}

int print_or_complain(const CLI::App& app, const CLI::ParseError& request) {
  const bool wants_text = request.get_exit_code() == 0;
  if (!wants_text) {
    std::string what = request.what();
    if (request.get_name() == "ArgumentMismatch") {
      if (std::string repeated = repeated_option(chosen(app)); !repeated.empty()) what = repeated;
    }
    return usage_error(app, std::move(what));
  }
  if (request.get_name() == "CallForVersion")
    return write_output(fmt::format("{}\n", request.what()));
  // Help of the subcommand, if one was given.
  const CLI::App& command = chosen(app);
  return write_output(&command == &app ? app.help() : command.help(app.get_name()));
}

int run(int argc, char** argv) {
  CLI::App app("Simulator for articulated robots in hard contact", "stiction");
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(0, 1);
  Action action;
  add_commands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& request) {
    return print_or_complain(app, request);
  }
  if (!action) return write_output(app.help());
  return action();
}

}  // namespace

}  // namespace stiction

int main(int argc, char** argv) {
  using namespace stiction;
  // A file at its size limit is an error that is told, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    write_input_error(error);
  } catch (const std::bad_alloc&) {
    write_error("stiction: not enough memory\n");
  } catch (const std::exception& error) {
    write_error(fmt::format("stiction: {}\n", printable(error.what())));
  }
  return exit_failure;
}
