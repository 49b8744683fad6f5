#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/format.h>

#include "apps/stiction/commands.hpp"
#include "apps/stiction/output.hpp"
#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

/// One line that says what was wrong with the arguments, and where help is.
int usage_error(std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  write_error(
      fmt::format("stiction: {}; `stiction --help` shows what can be done\n", printable(what)));
  return exit_usage;
}

int print_or_complain(const CLI::App& app, const CLI::ParseError& request) {
  const bool wants_text = request.get_exit_code() == 0;
  if (!wants_text) return usage_error(request.what());
  if (request.get_name() == "CallForVersion")
    return write_output(fmt::format("{}\n", request.what()));
  // Help of the subcommand, if one was given.
  const auto chosen = app.get_subcommands();
  const std::string text = chosen.empty() ? app.help() : chosen.front()->help(app.get_name());
  return write_output(text);
}

int run(int argc, char** argv) {
  CLI::App app("Simulator for articulated robots in hard contact", "stiction");
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(0, 1);
  Action action;
  add_inspect_command(app, action);
  add_solve_command(app, action);
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
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    write_problems(error.problems());
  } catch (const std::bad_alloc&) {
    write_error("stiction: not enough memory\n");
  } catch (const std::exception& error) {
    write_error(fmt::format("stiction: {}\n", printable(error.what())));
  }
  return exit_failure;
}
