// `stiction options`: the tables of options as text, Markdown and JSON.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/stiction/commands.hpp"
#include "apps/stiction/output.hpp"
#include "apps/stiction/table.hpp"
#include "stiction/record/options_json.hpp"

namespace stiction {

namespace {

struct OptionsArguments {
  bool markdown = false;
  bool json = false;
};

/// Commands that have a flag for it; empty if it is set from code alone.
std::string commands_of(const StepOption& option) {
  const bool in_solve = option.of_solver() && option.info().in_solve;
  if (option.info().in_runs) return in_solve ? "runs, solve" : "runs";
  return in_solve ? "solve" : "";
}

std::string default_text(const StepOption& option) {
  const std::string text = to_text(option.value(StepOptions{}));
  return option.info().unit.empty() ? text : fmt::format("{} {}", text, option.info().unit);
}

std::string range_of(const StepOption& option) {
  return range_text(option.info(), option.value(StepOptions{}));
}

std::string options_text() {
  Table table({"option", "default", "may be", "meaning"});
  for (const StepOption& option : step_option_table()) {
    table.add({std::string(option.info().name), default_text(option), range_of(option),
               std::string(option.info().help)});
  }
  return table.text(Palette::of_stdout());
}

/// The table of docs/step.md.
std::string options_markdown() {
  std::string text = "| option | default | may be | meaning | flag |\n|---|---|---|---|---|\n";
  for (const StepOption& option : step_option_table()) {
    const bool has_flag = !commands_of(option).empty();
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", option.info().name, default_text(option),
                        range_of(option), option.info().help,
                        has_flag ? fmt::format("`{}`", flag_of(option.info())) : "");
  }
  return text;
}

std::string options_list() {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const StepOption& option : step_option_table()) {
    Json entry = option_json<Json>(option);
    entry["flag"] = flag_of(option.info());
    entry["commands"] = commands_of(option);
    entry["shapes_motion"] = option.info().shapes_motion;
    list.push_back(std::move(entry));
  }
  return list.dump(2) + '\n';
}

}  // namespace

void add_options_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("options", "List the options of steps and solvers, and what they may be");
  const auto arguments = std::make_shared<OptionsArguments>();
  CLI::Option* markdown =
      command->add_flag("--markdown", arguments->markdown, "Print the table of docs/step.md");
  command->add_flag("--json", arguments->json, "Print JSON for programs")->excludes(markdown);
  command->callback([&action, arguments] {
    action = [arguments] {
      return write_output(arguments->markdown ? options_markdown()
                          : arguments->json   ? options_list()
                                              : options_text());
    };
  });
}

}  // namespace stiction
