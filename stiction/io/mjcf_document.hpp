#pragma once

/// \file
/// An MJCF file with its includes in place, each element knowing its own file and line. Private to
/// stiction/io.

#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "stiction/io/mjcf_report.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

class MjcfDocument {
 public:
  /// Copies `file` and what it includes. Included paths start at `folder`, the main file's folder,
  /// also inside of included files; each file may be included once.
  MjcfDocument(const XmlFile& file, const std::filesystem::path& folder, MjcfReport& report);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  /// File, line and `<tag name="...">` of an element.
  [[nodiscard]] Source source(const pugi::xml_node& node) const;

 private:
  struct Origin {
    int file = 0;
    int line = 0;
  };

  void copy_children(const XmlFile& file, const pugi::xml_node& from, pugi::xml_node to,
                     int include_depth);
  [[nodiscard]] std::filesystem::path find_included(const XmlFile& file, const std::string& name,
                                                    int include_depth) const;
  void include(const XmlFile& file, const pugi::xml_node& element, pugi::xml_node to,
               int include_depth);
  void remember(const XmlFile& file, const pugi::xml_node& from, const pugi::xml_node& to);

  std::filesystem::path folder_;
  MjcfReport& report_;
  pugi::xml_document document_;
  std::vector<std::string> files_;
  std::vector<std::filesystem::path> included_;
  std::unordered_map<std::size_t, Origin> origins_;  ///< by node hash
};

}  // namespace stiction
