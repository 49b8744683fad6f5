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
#include "stiction/io/near_words.hpp"

namespace stiction {

/// Gathers problems. A bad default is seen by every element that uses it, so each problem is said
/// once; things that are not used are counted by kind and said once, at the end.
class MjcfReport {
 public:
  explicit MjcfReport(ProblemList& problems) : problems_(problems) {}

  void error(const Source& source, const std::string& what, const std::string& remedy);
  void warning(const Source& source, const std::string& what, const std::string& remedy);
  void note(const Source& source, const std::string& what);
  /// `what` is the kind that is counted, such as `attribute 'solref' of <geom> is not used`.
  void unused(const Source& source, const std::string& what, Severity severity = Severity::note);
  /// `did you mean 'geom'?` if a known word is near, else `otherwise`. The search takes time, so
  /// only the first hundred errors of a file get one.
  std::string suggestion(std::string_view word, const std::vector<std::string_view>& known,
                         std::string_view otherwise);
  [[nodiscard]] bool may_suggest() const { return suggestions_ < most_suggestions; }
  /// Writes what was counted. Call it once, last.
  void finish();

 private:
  struct Count {
    Source first;
    Severity severity = Severity::note;
    int times = 0;
  };
  static constexpr int most_suggestions = 100;
  static constexpr int most_errors = 1000;

  [[nodiscard]] bool is_new(const Source& source, const std::string& what);

  ProblemList& problems_;
  std::set<std::string> said_;
  int errors_ = 0;
  int suggestions_ = 0;
  std::map<std::string, Count> unused_;
  std::vector<std::string> unused_order_;
};

}  // namespace stiction
