#pragma once

/// \file
/// Which attributes of MJCF name other elements, and how they follow when elements are copied under
/// new names. Private to stiction/io.

#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>

namespace stiction {

/// Sections whose elements name bodies and what is in them, in the order in which they build on
/// each other.
inline constexpr const char* mjcf_referring_sections[] = {"tendon", "actuator", "contact",
                                                          "equality", "sensor"};

/// Names by kind: `body`, `joint`, `geom`, `site`, `camera`, `tendon`, `actuator` ...
class MjcfNameSet {
 public:
  /// The names in a piece of the kinematic tree, `node` included.
  void add_tree(const pugi::xml_node& node);
  /// The name of an element of a section.
  void add_element(const pugi::xml_node& element, const std::string& section);
  [[nodiscard]] bool contains(std::string_view kind, const std::string& name) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> names_;
};

/// How an element of a section refers to a set of names.
struct MjcfReferences {
  int inside = 0;   ///< names of the set
  int outside = 0;  ///< other names; the world is neither
};
MjcfReferences count_references(const pugi::xml_node& element, const MjcfNameSet& names);

/// Puts `prefix` and `suffix` around names.
struct MjcfRenaming {
  std::string prefix;
  std::string suffix;

  /// The names of an element and of all below it, and their references to `names`.
  void apply(pugi::xml_node element, const MjcfNameSet& names) const;

 private:
  void rename(pugi::xml_attribute attribute) const;
};

}  // namespace stiction
