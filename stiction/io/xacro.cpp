#include "stiction/io/xacro.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

#include "stiction/io/child_process.hpp"

namespace stiction {

namespace {

constexpr double most_seconds = 60.0;  // it may start Python from a network disk
constexpr std::uint64_t most_output = std::uint64_t{64} << 20;  // [bytes], as for any XML file
constexpr std::size_t most_message = 600;                       // [bytes] of what xacro says
constexpr int exit_not_found = 127;

/// `$(optenv NAME default)`: old versions of xacro left it in their output.
constexpr std::string_view optional_variable = "$(optenv ";

[[noreturn]] void fail(const XmlFile& file, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error(file.source(file.root()), std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

bool has_expression(const pugi::xml_node& node) {
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view value = attribute.value();
    if (value.find("${") != std::string_view::npos) return true;
    for (std::size_t at = value.find("$("); at != std::string_view::npos;
         at = value.find("$(", at + 1)) {
      if (!value.substr(at).starts_with(optional_variable)) return true;
    }
  }
  return false;
}

/// The text with the variable or, if it is not set, what stands behind its name.
std::string with_variables(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t start = text.find(optional_variable);
    const std::size_t end = start == std::string_view::npos ? start : text.find(')', start);
    if (end == std::string_view::npos) return result.append(text);
    result += text.substr(0, start);
    std::string_view inside =
        text.substr(start + optional_variable.size(), end - start - optional_variable.size());
    const std::size_t blank = std::min(inside.find(' '), inside.size());
    const std::string name(inside.substr(0, blank));
    inside.remove_prefix(std::min(blank + 1, inside.size()));
    const char* value = std::getenv(name.c_str());
    result += value != nullptr ? std::string_view(value) : inside;
    text.remove_prefix(end + 1);
  }
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

void insert_environment(const XmlFile& file) {
  struct Walker : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
      for (pugi::xml_attribute& attribute : node.attributes()) {
        const std::string_view value = attribute.value();
        if (value.find(optional_variable) == std::string_view::npos) continue;
        attribute.set_value(with_variables(value).c_str());
      }
      return true;
    }
  } walker;
  file.root().traverse(walker);
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
