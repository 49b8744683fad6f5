#include "stiction/io/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <unordered_set>
#include <utility>

#include "stiction/io/xml_scan.hpp"

namespace stiction {

namespace {

/// No robot comes near this; a larger file is a mistake or an attack.
constexpr std::size_t largest_file = std::size_t{64} << 20;  // [bytes]
/// Later readers recurse, so the depth keeps them from overflowing the stack. They look for
/// attributes one by one, so the count of attributes keeps them from taking for ever.
constexpr XmlBounds bounds;

[[noreturn]] void fail(const std::string& file, int line, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({file, line, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

void check_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    fail(path.string(), 0, "this is a folder, not a file", "name a URDF or MJCF file inside it");
  }
  if (status.type() == std::filesystem::file_type::not_found) {
    fail(path.string(), 0, "there is no such file", "check the path and the working folder");
  }
}

/// Reads by blocks and stops at the limit, so that a pipe works and an endless device ends.
std::string read_file(const std::filesystem::path& path) {
  check_path(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(path.string(), 0, "the file cannot be opened", "check its permissions");
  }
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_file) {
      fail(path.string(), 0, "the file is larger than 64 MB",
           "check that it is a robot description; keep meshes and height fields in separate files");
    }
  }
  if (stream.bad()) {
    fail(path.string(), 0, "reading the file failed", "check the disk and its permissions");
  }
  return text;
}

/// What went wrong, in words that someone who writes robots, not parsers, can use.
std::pair<std::string, std::string> explain(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_end_element_mismatch:
      return {"a closing tag does not match the element that is open here",
              "close each element with its own name, the innermost first"};
    case pugi::status_no_document_element:
      return {"the file contains no element", "a robot starts with <robot> or <mujoco>"};
    case pugi::status_bad_attribute:
      return {"an attribute is malformed", "write attributes as name=\"value\""};
    case pugi::status_bad_comment:
      return {"a comment is not closed", "end it with -->"};
    case pugi::status_bad_start_element:
      return {"an element's opening tag is malformed", "write it as <name attribute=\"value\">"};
    case pugi::status_bad_end_element:
      return {"a closing tag is malformed", "write it as </name>"};
    case pugi::status_out_of_memory:
      return {"not enough memory to read the file", "close other programs or split the file"};
    default:
      return {"this is not well-formed XML",
              "look for an unclosed tag, quote or comment near here"};
  }
}

/// pugixml takes the first of two attributes of one name; XML forbids the pair.
std::string duplicate_attribute(const pugi::xml_node& node) {
  const pugi::xml_attribute first = node.first_attribute();
  if (!first || !first.next_attribute()) return {};
  std::unordered_set<std::string_view> seen;
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    if (!seen.insert(attribute.name()).second) return attribute.name();
  }
  return {};
}

/// The next element in document order, without recursion.
pugi::xml_node next_node(pugi::xml_node node) {
  if (node.first_child()) return node.first_child();
  while (node && !node.next_sibling()) node = node.parent();
  return node ? node.next_sibling() : node;
}

}  // namespace

XmlFile::XmlFile(const std::filesystem::path& path) : name_(path.string()), text_(read_file(path)) {
  parse();
}

XmlFile::XmlFile(std::string text, std::string name)
    : name_(std::move(name)), text_(std::move(text)) {
  if (text_.size() > largest_file) {
    fail(name_, 0, "the text is larger than 64 MB",
         "check that it is a robot description; keep meshes and height fields in separate files");
  }
  parse();
}

void XmlFile::parse() {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  if (text_.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(name_, 0, "the file is empty", "a robot starts with <robot> or <mujoco>");
  }
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  if (const std::size_t zero = text_.find('\0'); zero != std::string::npos) {
    fail(name_, line_of(zero), "the file contains binary data, not text",
         "name a URDF or MJCF file, saved as UTF-8");
  }
  if (const auto found = scan_xml(text_, bounds)) {
    const std::string where =
        found->opened ? " (since line " + std::to_string(line_of(*found->opened)) + ")" : "";
    fail(name_, line_of(found->offset), found->what + where, found->remedy);
  }
  const pugi::xml_parse_result result =
      document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto [what, remedy] = explain(result.status);
    const bool somewhere = result.status != pugi::status_no_document_element && result.offset >= 0;
    fail(name_, somewhere ? line_of(static_cast<std::size_t>(result.offset)) : 0, what, remedy);
  }
  check_document();
}

void XmlFile::check_document() const {
  for (pugi::xml_node node = root().next_sibling(); node; node = node.next_sibling()) {
    if (node.type() != pugi::node_element) continue;
    ProblemList problems;
    problems.error(source(node), "the file has a second root element",
                   "keep one robot or scene per file");
    throw InputError(std::move(problems));
  }
  ProblemList problems;
  for (pugi::xml_node node = root(); node; node = next_node(node)) {
    const std::string twice = duplicate_attribute(node);
    if (twice.empty()) continue;
    problems.error(source(node), "the attribute '" + twice + "' is given twice",
                   "keep one of the two");
  }
  if (problems.has_errors()) throw InputError(std::move(problems));
}

int XmlFile::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<int>(after - line_starts_.begin());
}

int XmlFile::line(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  return offset < 0 ? 0 : line_of(static_cast<std::size_t>(offset));
}

Source XmlFile::source(const pugi::xml_node& node) const {
  std::string element = std::string("<") + node.name();
  if (const pugi::xml_attribute name = node.attribute("name")) {
    element += std::string(" name=\"") + name.value() + '"';
  }
  return {name_, line(node), element + '>'};
}

std::optional<std::vector<double>> parse_numbers(std::string_view text, std::string& problem) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<double> numbers;
  std::size_t start = text.find_first_not_of(blanks);
  while (start != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(blanks, start), text.size());
    std::string_view word = text.substr(start, end - start);
    std::string quoted(1, '\'');
    quoted.append(word.substr(0, 40)).append(1, '\'');
    // from_chars knows no leading plus; "+-1" stays wrong.
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    double value = 0.0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) {
      problem = quoted + " is out of range for a number";
      return std::nullopt;
    }
    if (error != std::errc() || stop != word.data() + word.size()) {
      problem = quoted + " is not a number";
      return std::nullopt;
    }
    if (!std::isfinite(value)) {
      problem = quoted + " is not a finite number";
      return std::nullopt;
    }
    numbers.push_back(value);
    start = text.find_first_not_of(blanks, end);
  }
  return numbers;
}

}  // namespace stiction
