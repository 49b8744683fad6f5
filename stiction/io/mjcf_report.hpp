#pragma once

/// \file
/// Problems of an MJCF file: each once, things that are not used counted. Private to stiction/io.

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/problem.hpp"

namespace stiction {

/// The word in `known` that is nearest to `word`, if it is near enough to be a slip of the pen.
std::string nearest_word(std::string_view word, const std::vector<std::string_view>& known);

/// `did you mean 'geom'?` if a known word is near, else `otherwise`.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known,
                       std::string_view otherwise);

/// Gathers problems. A bad default is seen by every element that uses it, so each problem is said
/// once; things that are not used are counted by kind and said once, at the end.
class MjcfReport {
 public:
  explicit MjcfReport(ProblemList& problems) : problems_(problems) {}

  void error(const Source& source, const std::string& what, const std::string& remedy);
  void warning(const Source& source, const std::string& what, const std::string& remedy);
  /// `what` is the kind that is counted, such as `attribute 'solref' of <geom> is not used`.
  void unused(const Source& source, const std::string& what, Severity severity = Severity::note);
  /// Writes what was counted. Call it once, last.
  void finish();

 private:
  struct Count {
    Source first;
    Severity severity = Severity::note;
    int times = 0;
  };
  [[nodiscard]] bool is_new(const Source& source, const std::string& what);

  ProblemList& problems_;
  std::set<std::string> said_;
  std::map<std::string, Count> unused_;
  std::vector<std::string> unused_order_;
};

}  // namespace stiction
