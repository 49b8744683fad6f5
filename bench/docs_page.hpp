#pragma once

/// \file
/// Puts results of a program into a page of the documentation.

#include <filesystem>
#include <string>

namespace stiction::bench {

/// A page in docs/ of the source tree. What stands between `<!-- NAME -->` and the next
/// `<!-- end -->` belongs to a program, the rest to people.
class DocsPage {
 public:
  explicit DocsPage(const std::string& file);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Where pictures of pages are.
  [[nodiscard]] static std::filesystem::path picture(const std::string& file);
  /// Throws if the page cannot be read or written.
  void check() const;
  /// Puts Markdown into a place. Throws std::invalid_argument if the page has none of that name.
  void put(const std::string& name, const std::string& markdown) const;

 private:
  std::filesystem::path path_;
};

/// What results are from: the command, how long it took [s], the machine and the day.
std::string origin_text(const std::string& command, double seconds);

/// The command line, after `./run experiment NAME` or the like.
std::string command_text(const std::string& program, int argc, const char* const* argv);

/// `page` with `block` between `<!-- name -->` and the next `<!-- end -->`. Throws
/// std::invalid_argument if the page has no such place.
std::string with_block(const std::string& page, const std::string& name, const std::string& block);

}  // namespace stiction::bench
