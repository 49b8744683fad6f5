#include "bench/program.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <exception>
#include <fmt/core.h>
#include <stdexcept>
#include <utility>

namespace stiction::bench {

using Option = CommandLine::Option;

Option& Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::range(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}

Option& Option::existing_folder() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

Option& Option::separated_by(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

namespace {

/// CLI11 reads "-1" as the largest unsigned number, an empty text as zero, and bounds large ones.
std::string refuse_unless_unsigned(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return {};
  return fmt::format("'{}' is not a whole number from 0 to 2^64 - 1", text);
}

}  // namespace

CommandLine::CommandLine(std::string description, std::string name)
    : app_(std::make_unique<CLI::App>(std::move(description), std::move(name))) {}

CommandLine::~CommandLine() = default;

void CommandLine::add_flag(std::string name, bool& value, std::string help) {
  app_->add_flag(std::move(name), value, std::move(help));
}

Option CommandLine::add_option(std::string name, int& value, std::string help) {
  return Option(*app_->add_option(std::move(name), value, std::move(help)));
}

Option CommandLine::add_option(std::string name, double& value, std::string help) {
  return Option(*app_->add_option(std::move(name), value, std::move(help)));
}

Option CommandLine::add_option(std::string name, std::uint64_t& value, std::string help) {
  CLI::Option* option = app_->add_option(std::move(name), value, std::move(help));
  option->check(CLI::Validator(refuse_unless_unsigned, {}, "whole number"));
  return Option(*option);
}

Option CommandLine::add_option(std::string name, std::string& value, std::string help) {
  return Option(*app_->add_option(std::move(name), value, std::move(help)));
}

Option CommandLine::add_option(std::string name, std::filesystem::path& value, std::string help) {
  return Option(*app_->add_option(std::move(name), value, std::move(help)));
}

Option CommandLine::add_option(std::string name, std::vector<std::string>& value,
                               std::string help) {
  return Option(*app_->add_option(std::move(name), value, std::move(help)));
}

int run_program(CommandLine& line, int argc, char** argv, const std::function<int()>& run) {
  CLI::App& app = line.app();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {} (try --help)\n", app.get_name(), error.what());
    return 2;
  }
  try {
    return run();
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 1;
  }
}

}  // namespace stiction::bench
