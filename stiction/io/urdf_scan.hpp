#pragma once

/// \file
/// Everything that can be wrong inside one element of a URDF file. urdfdom drops such things in
/// silence or falls over them, so it only gets to see the clean copy. Private to stiction/io.

#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/io/urdf_schema.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

/// Elements and attributes that are read over, by what they are.
using UnusedElements = std::map<std::string, std::vector<pugi::xml_node>>;

/// One note for each kind, with the lines of the file.
void report_unused_elements(const XmlFile& file, const UnusedElements& unused,
                            ProblemList& problems);

/// Walks over a URDF document by the table of urdf_schema: errors and notes go to `problems`, what
/// is good goes to a clean copy.
class UrdfScan {
 public:
  UrdfScan(const XmlFile& file, ProblemList& problems);

  void run();

  /// The file without what urdfdom need not know or would stumble over: only known elements with
  /// their known attributes, numbers in one notation, capsules as cylinders, no materials.
  [[nodiscard]] const pugi::xml_document& clean_copy() const { return clean_; }

 private:
  void walk(const pugi::xml_node& node, const UrdfElement& rule, pugi::xml_node copy);
  void check_attributes(const pugi::xml_node& node, const UrdfElement& rule, pugi::xml_node copy);
  void check_value(const pugi::xml_node& node, const pugi::xml_attribute& attribute,
                   const UrdfAttribute& rule, pugi::xml_node copy);
  void check_numbers(const pugi::xml_node& node, const pugi::xml_attribute& attribute,
                     const UrdfAttribute& rule, pugi::xml_node copy);
  void check_counts(const pugi::xml_node& node, const UrdfElement& rule);
  void check_geometry(const pugi::xml_node& node, const UrdfElement& rule);
  void note_unknown_attribute(const pugi::xml_node& node, std::string_view name,
                              const UrdfElement& rule);
  void note_unknown_child(const pugi::xml_node& child, const UrdfElement& rule);

  const XmlFile& file_;
  ProblemList& problems_;
  pugi::xml_document clean_;
  UnusedElements unused_;
};

/// Place of an element, with the link or joint that it is part of: `<mass> in <link name="arm">`.
Source urdf_source(const XmlFile& file, const pugi::xml_node& node);

/// Numbers of an attribute that UrdfScan has found good; `otherwise` if it is absent.
std::vector<double> urdf_numbers(const pugi::xml_node& node, const char* attribute,
                                 const std::vector<double>& otherwise);

}  // namespace stiction
