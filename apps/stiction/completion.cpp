// `stiction completion SHELL`: what a shell offers when Tab is pressed.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/model_argument.hpp"
#include "apps/stiction/option_flags.hpp"
#include "apps/stiction/output.hpp"

namespace stiction {

namespace {

using Words = std::vector<std::string>;

/// What one command takes.
struct CommandWords {
  std::string name;
  Words flags;                          ///< `--html` and so on
  std::map<std::string, Words> values;  ///< words that may follow a flag
  bool takes_scene = false;
};

/// Values of flags that are words: those of the table of options, and a few of the program's own.
std::map<std::string, Words> known_values() {
  std::map<std::string, Words> values{
      {"--control", {"zero", "constant", "pd", "random", "policy:", "table:", "sine:"}},
      {"--base", {"automatic", "floating", "fixed"}}};
  for (const StepOption& option : step_option_table()) {
    const OptionInfo& info = option.info();
    if (info.words != nullptr) {
      values[flag_of(info)] = {info.words().begin(), info.words().end()};
    } else if (std::holds_alternative<bool>(option.value({}))) {
      values[flag_of(info)] = {"on", "off"};
    }
  }
  return values;
}

/// Options of a command are made when it is asked for: so ask for its help.
CommandWords words_of(const std::string& name) {
  CLI::App app;
  Action action;
  add_commands(app, action);
  try {
    app.parse(std::vector<std::string>{"--help", name});
  } catch (const CLI::ParseError&) {  // that is how CLI11 asks for the text
  }
  const CLI::App* command = app.get_subcommand(name);
  const std::map<std::string, Words> known = known_values();
  CommandWords result;
  result.name = name;
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_positional()) {
      result.takes_scene |= option->get_name() == "SCENE" || name == "inspect";
    }
    for (const std::string& word : option->get_lnames()) {
      const std::string flag = "--" + word;
      result.flags.push_back(flag);
      if (const auto found = known.find(flag); found != known.end()) result.values.insert(*found);
    }
  }
  std::ranges::sort(result.flags);
  return result;
}

Words command_names() {
  CLI::App app;
  Action action;
  add_commands(app, action);
  Words names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string case_of(const CommandWords& command) {
  std::string text = fmt::format("    {})\n      case \"$previous\" in\n", command.name);
  for (const auto& [flag, words] : command.values) {
    text += fmt::format("        {}) choice=\"{}\" ;;\n", flag, fmt::join(words, " "));
  }
  text += fmt::format("      esac\n      flags=\"{}\"\n", fmt::join(command.flags, " "));
  if (command.takes_scene) text += "      names=$scenes\n";
  return text + "      ;;\n";
}

/// The function of bash; zsh understands it through bashcompinit.
std::string bash_function() {
  std::string cases;
  const Words commands = command_names();
  for (const std::string& name : commands) cases += case_of(words_of(name));
  return fmt::format(R"(_stiction() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous="" choice="" flags="" names=""
  local scenes="{}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  previous=${{COMP_WORDS[COMP_CWORD-1]}}
  case "${{COMP_WORDS[1]}}" in
{}  esac
  if [ -n "$choice" ]; then
    COMPREPLY=($(compgen -W "$choice" -- "$current"))
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    case "$previous" in
      -*) ;;
      *) COMPREPLY=($(compgen -W "$names" -- "$current")) ;;
    esac
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _stiction stiction
)",
                     fmt::join(built_in_names(), " "), fmt::join(commands, " "), cases);
}

std::string script_of(const std::string& shell) {
  if (shell == "bash") {
    return "# Completion of stiction in bash. In ~/.bashrc: source <(stiction completion bash)\n" +
           bash_function();
  }
  return "#compdef stiction\n"
         "# Completion of stiction in zsh. In ~/.zshrc: source <(stiction completion zsh)\n"
         "autoload -U +X compinit && compinit\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_function();
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that lets bash or zsh complete commands, options and scenes");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash or zsh: source <(stiction completion bash)")
      ->required()
      ->check([](const std::string& word) {
        return check_word("shell", word, {"bash", "zsh"});
      });
  command->callback(
      [&action, shell] { action = [shell] { return write_output(script_of(*shell)); }; });
}

}  // namespace stiction
