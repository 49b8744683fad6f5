#include "experiments/experiment_output.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <stdexcept>
#include <system_error>

#include "stiction/core/write_file.hpp"

namespace stiction::experiments {

void ExperimentOutput::add_to(bench::CommandLine& line) {
  folder_ = std::filesystem::path(STICTION_RESULTS_DIR) / experiment_;
  line.add_option("--out", folder_, "folder for tables (CSV) and pictures (SVG, PNG)")
      .existing_folder()
      .show_default();
  line.add_flag("--docs", docs_,
                fmt::format("put tables and pictures into docs/{} and docs/pictures", file_));
}

std::string ExperimentOutput::full_name(const std::string& name) const {
  return name.empty() ? experiment_ : experiment_ + '_' + name;
}

void ExperimentOutput::check() const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot make the folder '{}': {}", folder_.string(), error.message()));
  }
  check_writable(folder_ / (experiment_ + ".csv"));
  if (docs_) page_.check();
}

void ExperimentOutput::table(const std::string& name, const std::string& heading,
                             const bench::Table& table) {
  if (!heading.empty()) fmt::print("{}\n\n", heading);
  fmt::print("{}\n", table.text());
  csv(name, table.csv());
  if (docs_) put(full_name(name), table.markdown());
}

void ExperimentOutput::put(const std::string& name, const std::string& markdown) {
  try {
    page_.put(name, markdown);
  } catch (const std::invalid_argument&) {
    missing_ += fmt::format("\n  <!-- {} -->", name);
  }
}

void ExperimentOutput::csv(const std::string& name, const std::string& text) {
  write_file(folder_ / (full_name(name) + ".csv"), text);
  ++files_;
}

void ExperimentOutput::figure(const std::string& name, const plot::Figure& figure) {
  const bool empty = std::ranges::all_of(
      figure.panels, [](const plot::Panel& each) { return each.lines.empty(); });
  if (empty) return;
  const std::string svg = plot::render(figure, plot::Format::svg);
  if (docs_) write_file(bench::DocsPage::picture(full_name(name) + ".svg"), svg);
  const std::filesystem::path path = folder_ / full_name(name);
  write_file(path.string() + ".svg", svg);
  write_file(path.string() + ".png", plot::render(figure, plot::Format::png));
  files_ += 2;
}

void ExperimentOutput::finish(const std::string& command, double seconds) {
  fmt::print("Wrote {} files to {}\n", files_, folder_.string());
  if (!docs_) return;
  put(full_name("run"), bench::origin_text(command, seconds));
  fmt::print("Updated {}\n", page_.path().string());
  if (!missing_.empty()) {
    throw std::invalid_argument(
        fmt::format("the page has no place for some tables; add these lines, each followed by one "
                    "with '<!-- end -->', and run again:{}",
                    missing_));
  }
}

int run_experiment(bench::CommandLine& line, ExperimentOutput& output, int argc, char** argv,
                   const std::function<int()>& run) {
  output.add_to(line);
  return bench::run_program(line, argc, argv, [&] {
    output.check();
    const auto start = std::chrono::steady_clock::now();
    const int code = run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    output.finish(bench::command_text("./run experiment " + output.experiment(), argc, argv),
                  taken.count());
    return code;
  });
}

}  // namespace stiction::experiments
