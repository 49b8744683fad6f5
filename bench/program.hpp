#pragma once

/// \file
/// What the main functions of all benchmarks share.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stiction::bench {

/// The arguments that a program takes. A front of CLI11, whose headers alone take the compiler six
/// seconds in each file that includes them.
class CommandLine {
 public:
  /// What is known of one argument. Limits are included; wrong values end the program.
  class Option {
   public:
    explicit Option(CLI::Option& option) : option_(&option) {}
    Option& range(int low, int high);
    Option& range(double low, double high);
    Option& positive();
    Option& one_of(std::vector<std::string> words);
    Option& existing_folder();
    Option& separated_by(char delimiter);  ///< several values in one word
    Option& show_default();                ///< in the help

   private:
    CLI::Option* option_;
  };

  CommandLine(std::string description, std::string name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The variables get their values in run_program().
  void add_flag(std::string name, bool& value, std::string help);
  Option add_option(std::string name, int& value, std::string help);
  Option add_option(std::string name, double& value, std::string help);
  Option add_option(std::string name, std::uint64_t& value, std::string help);
  Option add_option(std::string name, std::string& value, std::string help);
  Option add_option(std::string name, std::filesystem::path& value, std::string help);
  Option add_option(std::string name, std::vector<std::string>& value, std::string help);

  [[nodiscard]] CLI::App& app() { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Parses the arguments, calls `run` and returns its exit code. Help goes to stdout with code 0;
/// wrong arguments (also std::invalid_argument from `run`) get one line on stderr and code 2, other
/// exceptions code 1. The program's name is put before each message.
int run_program(CommandLine& line, int argc, char** argv, const std::function<int()>& run);

}  // namespace stiction::bench
