#include "bench/docs_page.hpp"

#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/output.hpp"

namespace stiction::bench {

namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path.string()));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path docs_folder() { return std::filesystem::path(STICTION_SOURCE_DIR) / "docs"; }

}  // namespace

DocsPage::DocsPage(const std::string& file) : path_(docs_folder() / file) {}

std::filesystem::path DocsPage::picture(const std::string& file) {
  return docs_folder() / "pictures" / file;
}

void DocsPage::check() const {
  static_cast<void>(content_of(path_));
  check_writable(path_);
  check_writable(picture("any.svg"));
}

void DocsPage::put(const std::string& name, const std::string& markdown) const {
  write_file(path_, with_block(content_of(path_), name, markdown));
}

std::string origin_text(const std::string& command, double seconds) {
  const nlohmann::json machine = machine_description();
  const std::string day = machine.at("date").get<std::string>().substr(0, 10);
  const std::string time = seconds < 120.0 ? fmt::format("{:.0f} s", seconds)
                                           : fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("From `{}`, which took {} on one core of {} ({}).\n", command, time,
                     machine.at("cpu").get<std::string>(), day);
}

std::string command_text(const std::string& program, int argc, const char* const* argv) {
  std::string text = program;
  for (int k = 1; k < argc; ++k) text += std::string(" ") + argv[k];
  return text;
}

std::string with_block(const std::string& page, const std::string& name, const std::string& block) {
  const std::string begin = fmt::format("<!-- {} -->\n", name);
  const std::string end = "<!-- end -->";
  const std::size_t from = page.find(begin);
  const std::size_t to = from == std::string::npos ? from : page.find(end, from);
  if (to == std::string::npos) {
    throw std::invalid_argument(
        fmt::format("the page has no lines '<!-- {} -->' and '{}'", name, end));
  }
  return page.substr(0, from + begin.size()) + '\n' + block + '\n' + page.substr(to);
}

}  // namespace stiction::bench
