#pragma once

/// \file
/// A hostile-proof reading of XML: size, depth and entity limits, line numbers, checked numbers.

#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"

namespace stiction {

/// A parsed XML file that knows its lines.
class XmlFile {
 public:
  /// Reads and parses. Throws InputError (one problem: file, line, what, remedy) if the path is a
  /// folder, missing, unreadable, empty, too large, binary, nested too deeply, has an entity
  /// declaration, or is not well formed.
  explicit XmlFile(const std::filesystem::path& path);
  /// The same for text in memory; `name` stands for the file in messages.
  XmlFile(std::string text, std::string name);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] int line(const pugi::xml_node& node) const;
  /// File, line and `<tag name="...">` of an element.
  [[nodiscard]] Source source(const pugi::xml_node& node) const;

 private:
  void parse();
  /// One root element, and no attribute twice.
  void check_document() const;
  [[nodiscard]] int line_of(std::size_t offset) const;
  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  pugi::xml_document document_;
};

/// All of `text` as finite numbers separated by blanks; empty if anything else is in it (letters,
/// NaN, infinity, trailing junk) and `problem` says what.
std::optional<std::vector<double>> parse_numbers(std::string_view text, std::string& problem);

}  // namespace stiction
