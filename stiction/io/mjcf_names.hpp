#pragma once

/// \file
/// Names in an MJCF file: found twice, and made up where there are none. Private to stiction/io.

#include <map>
#include <set>
#include <string>

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

class MjcfNames {
 public:
  /// Gathers every name of the file, so that made-up ones stay clear of them; reports duplicates.
  MjcfNames(const MjcfDocument& document, MjcfReport& report);

  /// `wish`, or `wish_2`, `wish_3`, ... if that name is taken. `kind` is `body`, `joint`, `site`
  /// ...
  std::string make(const std::string& kind, const std::string& wish);

 private:
  void gather(const MjcfDocument& document, const pugi::xml_node& node, const std::string& section,
              MjcfReport& report);

  std::map<std::string, std::set<std::string>> taken_;
  std::map<std::string, int> last_number_;
};

}  // namespace stiction
