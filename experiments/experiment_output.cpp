#include "experiments/experiment_output.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "stiction/core/write_file.hpp"

namespace stiction::experiments {

namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path docs_folder() { return std::filesystem::path(STICTION_SOURCE_DIR) / "docs"; }

}  // namespace

void ExperimentOutput::add_to(bench::CommandLine& line) {
  line.add_option("--out", folder_, "folder for tables (CSV) and pictures (SVG, PNG)")
      .existing_folder();
  line.add_flag("--docs", docs_,
                fmt::format("put tables and pictures into docs/{} and docs/pictures", page_));
}

std::string ExperimentOutput::full_name(const std::string& name) const {
  return name.empty() ? experiment_ : experiment_ + '_' + name;
}

std::filesystem::path ExperimentOutput::page_path() const { return docs_folder() / page_; }

void ExperimentOutput::check() const {
  if (!folder_.empty()) check_writable(folder_ / (experiment_ + ".csv"));
  if (docs_) {
    static_cast<void>(content_of(page_path()));
    check_writable(page_path());
  }
}

void ExperimentOutput::table(const std::string& name, const std::string& heading,
                             const bench::Table& table) {
  fmt::print("{}\n\n{}\n", heading, table.text());
  csv(name, table.csv());
  if (docs_) {
    write_file(page_path(), with_block(content_of(page_path()), full_name(name), table.markdown()));
  }
}

void ExperimentOutput::csv(const std::string& name, const std::string& text) {
  if (folder_.empty()) return;
  const std::filesystem::path path = folder_ / (full_name(name) + ".csv");
  write_file(path, text);
  fmt::print("Wrote {}\n", path.string());
}

void ExperimentOutput::figure(const std::string& name, const plot::Figure& figure) {
  const bool empty = std::ranges::all_of(
      figure.panels, [](const plot::Panel& each) { return each.lines.empty(); });
  if (empty || (folder_.empty() && !docs_)) return;
  const std::string svg = plot::render(figure, plot::Format::svg);
  if (docs_) write_file(docs_folder() / "pictures" / (full_name(name) + ".svg"), svg);
  if (folder_.empty()) return;
  const std::filesystem::path path = folder_ / full_name(name);
  write_file(path.string() + ".svg", svg);
  write_file(path.string() + ".png", plot::render(figure, plot::Format::png));
  fmt::print("Wrote {}.svg and .png\n", path.string());
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

}  // namespace stiction::experiments
