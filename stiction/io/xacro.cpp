#include "stiction/io/xacro.hpp"

#include <fmt/format.h>
#include <string_view>

#include "stiction/io/child_process.hpp"

namespace stiction {

namespace {

constexpr double most_seconds = 60.0;  // it may start Python from a network disk
constexpr std::uint64_t most_output = std::uint64_t{64} << 20;  // [bytes], as for any XML file
constexpr std::size_t most_message = 600;                       // [bytes] of what xacro says
constexpr int exit_not_found = 127;

[[noreturn]] void fail(const XmlFile& file, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error(file.source(file.root()), std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

bool has_expression(const pugi::xml_node& node) {
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view value = attribute.value();
    if (value.find("${") != std::string_view::npos || value.find("$(") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// The end of what a program wrote: Python's last lines have the reason.
std::string last_words(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > most_message) text = "..." + text.substr(text.size() - most_message);
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text.empty() ? "no message" : text;
}

}  // namespace

bool uses_xacro(const XmlFile& file) {
  if (std::string_view(file.root().name()) != "robot") return false;
  const bool declared = static_cast<bool>(file.root().find_attribute(
      [](const auto& attribute) { return std::string_view(attribute.name()) == "xmlns:xacro"; }));
  return static_cast<bool>(file.root().find_node([declared](const pugi::xml_node& node) {
    return std::string_view(node.name()).starts_with("xacro:") ||
           (declared && has_expression(node));
  }));
}

std::string xacro_remedy(const std::string& file) {
  return fmt::format("run `xacro {} > robot.urdf` and load the result", file);
}

XmlFile expand_xacro(const XmlFile& file, const std::filesystem::path& path) {
  // A name that starts with a dash would be taken for an option.
  const std::string name = std::filesystem::absolute(path).string();
  const ChildResult result =
      run_program({"xacro", name}, {.seconds = most_seconds, .memory = 0, .output = most_output});
  if (result.exit_code == exit_not_found && result.fault.empty()) {
    fail(file, "this is a xacro template, and the program `xacro` is not installed",
         fmt::format("install it (Debian: ros-xacro or `pip install xacro`), or elsewhere {}",
                     xacro_remedy(path.string())));
  }
  if (!result.fault.empty() || result.exit_code != 0) {
    fail(file,
         result.fault.empty() ? "xacro fails: " + last_words(result.errors)
                              : "xacro " + result.fault,
         fmt::format("look at what `xacro {}` says", path.string()));
  }
  return {result.output, path.string() + " (after xacro)"};
}

}  // namespace stiction
