#pragma once

/// \file
/// The trees of default classes of an MJCF file and of the models that it attaches. Private to
/// stiction/io.

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

class MjcfDefaults {
 public:
  static constexpr int main_class = 0;  ///< of the main file

  MjcfDefaults(const MjcfDocument& document, MjcfReport& report);

  /// The class that an element names by `attribute`, else the inherited one. An element of an
  /// attached model inherits no class of another file: it starts at its own main class.
  [[nodiscard]] int class_of(const pugi::xml_node& element, const char* attribute,
                             int inherited) const;

  /// Elements of this tag in the class and its ancestors, nearest first.
  [[nodiscard]] const std::vector<pugi::xml_node>& levels(int class_index,
                                                          std::string_view tag) const;

  /// Actuator elements, whatever their tag, from the outermost class to this one. MuJoCo keeps one
  /// default actuator per class which all of them change.
  [[nodiscard]] const std::vector<pugi::xml_node>& actuator_levels(int class_index) const;

 private:
  struct Class {
    const MjcfDocument* model = nullptr;  ///< the file that it stands in
    int parent = -1;
    std::vector<pugi::xml_node> sections;  ///< the main class may have several
  };

  /// The classes of one file, and its main class.
  struct Tree {
    int root = main_class;
    std::unordered_map<std::string, int> by_name;
  };

  void read_model(const MjcfDocument& model);
  void read(const pugi::xml_node& section, int parent);
  int add(const pugi::xml_node& section, const std::string& name, int parent);

  const MjcfDocument& document_;
  MjcfReport& report_;
  std::vector<Class> classes_;
  std::map<const MjcfDocument*, Tree> trees_;
  /// Found once per class and tag: every element asks.
  mutable std::map<std::pair<int, std::string>, std::vector<pugi::xml_node>> levels_;
};

}  // namespace stiction
