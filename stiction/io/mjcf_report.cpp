#include "stiction/io/mjcf_report.hpp"

#include <fmt/format.h>

namespace stiction {

std::string MjcfReport::suggestion(std::string_view word,
                                   const std::vector<std::string_view>& known,
                                   std::string_view otherwise) {
  if (!may_suggest()) return std::string(otherwise);
  ++suggestions_;
  return stiction::suggestion(word, known, otherwise);
}

bool MjcfReport::is_new(const Source& source, const std::string& what) {
  return said_.insert(fmt::format("{}:{}:{}:{}", source.file, source.line, source.element, what))
      .second;
}

void MjcfReport::error(const Source& source, const std::string& what, const std::string& remedy) {
  if (errors_ > most_errors || !is_new(source, what)) return;
  if (++errors_ > most_errors) {
    problems_.error(source, "there are more errors", "fix these first");
    return;
  }
  problems_.error(source, what, remedy);
}

void MjcfReport::warning(const Source& source, const std::string& what, const std::string& remedy) {
  if (is_new(source, what)) problems_.warning(source, what, remedy);
}

void MjcfReport::note(const Source& source, const std::string& what) {
  if (is_new(source, what)) problems_.note(source, what);
}

void MjcfReport::unused(const Source& source, const std::string& what, Severity severity) {
  const auto [entry, added] = unused_.try_emplace(what, Count{source, severity, 0});
  if (added) unused_order_.push_back(what);
  ++entry->second.times;
}

void MjcfReport::finish() {
  for (const std::string& what : unused_order_) {
    const Count& count = unused_.at(what);
    const std::string text =
        count.times == 1 ? what : fmt::format("{} ({} times, first here)", what, count.times);
    if (count.severity == Severity::warning) {
      problems_.warning(count.first, text,
                        "the scene will move differently; replace it or remove it");
    } else {
      problems_.note(count.first, text);
    }
  }
  unused_.clear();
  unused_order_.clear();
}

}  // namespace stiction
