/// \file
/// `bench_peers`: Stiction beside MuJoCo, Bullet, ODE and DART in the same scenes, speed and
/// accuracy of each in one run.

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <stdexcept>

#include "bench/docs_page.hpp"
#include "bench/peers/report.hpp"
#include "bench/program.hpp"

namespace stiction::bench {

namespace {

struct Arguments {
  std::vector<std::string> scenes;
  std::string filter;
  std::string json_file, csv_file, html_file, svg_file, png_file, markdown_file;
  std::string command;  ///< what was typed
  bool quick = false;
  bool docs = false;
  bool list = false;
  int steps = 0;
};

std::vector<PeerSceneEntry> wanted_scenes(const std::vector<std::string>& names) {
  if (names.empty()) return peer_scenes();
  std::vector<PeerSceneEntry> scenes;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(peer_scenes(), name, &PeerSceneEntry::name);
    if (found == peer_scenes().end()) {
      throw std::invalid_argument(
          fmt::format("there is no scene '{}'; --list names all of them", name));
    }
    scenes.push_back(*found);
  }
  return scenes;
}

void list_all() {
  fmt::print("Scenes:\n");
  for (const PeerSceneEntry& scene : peer_scenes()) {
    fmt::print("  {:9} {}\n", scene.name, scene.title);
  }
  fmt::print("Settings:\n");
  for (const PeerEntry& entry : all_peers()) fmt::print("  {}\n", entry.name());
  for (const PeerEngineName& engine : missing_peers()) {
    fmt::print("  {}: not in this build (Debian: {})\n", engine.engine, engine.package);
  }
}

/// On a terminal: the scene, and how long the rest will take, from what the scenes so far took.
class PeerProgress {
 public:
  explicit PeerProgress(std::size_t scenes) : scenes_(scenes), shown_(progress_wanted()) {}

  void show(std::size_t done, const std::string& what) const {
    if (!shown_) return;
    const std::string left =
        done == 0 ? std::string()
                  : fmt::format(", about {:.0f} s left", seconds() / static_cast<double>(done) *
                                                             static_cast<double>(scenes_ - done));
    fmt::print(stderr, "\r\033[Kscene {} of {}{}: {}", done + 1, scenes_, left, what);
  }
  void end() const {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::size_t scenes_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void write(const std::string& file, const std::string& text) {
  if (!file.empty()) write_file(file, text);
}

int run(const Arguments& arguments) {
  if (arguments.list) {
    list_all();
    return 0;
  }
  const std::vector<PeerSceneEntry> scenes = wanted_scenes(arguments.scenes);
  const std::vector<PeerEntry> entries = all_peers();
  if (std::ranges::none_of(entries, [&](const PeerEntry& entry) {
        return entry.name().find(arguments.filter) != std::string::npos;
      })) {
    throw std::invalid_argument(
        fmt::format("no setting has '{}' in its name; --list names all of them", arguments.filter));
  }
  for (const std::string* file :
       {&arguments.json_file, &arguments.csv_file, &arguments.html_file, &arguments.svg_file,
        &arguments.png_file, &arguments.markdown_file}) {
    if (!file->empty()) check_writable(*file);
  }
  const DocsPage page("peers.md");
  if (arguments.docs) page.check();
  PeerMeasureOptions options;
  options.quick = arguments.quick;
  options.filter = arguments.filter;
  options.steps = arguments.steps;
  if (arguments.quick || arguments.steps > 0) {
    options.cpu_cap = 2.0;
    options.time_cap = arguments.steps > 0 ? 1.0 : 8.0;
    options.blocks = 5;
  }
  const PeerProgress progress(scenes.size());
  PeerReport report;
  report.quick = arguments.quick || arguments.steps > 0;
  report.missing = missing_peers();
  for (const PeerSceneEntry& scene : scenes) {
    options.progress = [&](const std::string& what) { progress.show(report.scenes.size(), what); };
    report.scenes.push_back(measure_peers(scene, entries, options));
  }
  progress.end();
  report.wall_seconds = progress.seconds();
  fmt::print("{}\n{:.0f} s in all.\n", text_report(report), report.wall_seconds);
  if (!arguments.json_file.empty()) write_json(arguments.json_file, json_report(report));
  write(arguments.csv_file, csv_report(report));
  write(arguments.html_file, html_report(report));
  const std::string svg = plot::render(figure_of(report), plot::Format::svg);
  write(arguments.svg_file, svg);
  write(arguments.png_file, plot::render(figure_of(report), plot::Format::png));
  write(arguments.markdown_file, markdown_report(report));
  if (arguments.docs) {
    page.put("peers_results", markdown_report(report));
    page.put("peers_run", origin_text(arguments.command, report.wall_seconds));
    write_file(DocsPage::picture("peers.svg"), svg);
  }
  for (const PeerSceneResult& scene : report.scenes) {
    for (const PeerVerdict& verdict : verdicts(scene)) {
      if (scene.is_robot && !verdict.holds()) return 1;
    }
  }
  return 0;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  Arguments arguments;
  CommandLine line(
      "Steps the same scenes with Stiction, MuJoCo, Bullet, ODE and DART and shows how fast and "
      "how "
      "accurate each is. Exit code 0 if Stiction at default options is faster than every peer in "
      "each scene with a robot at no larger violation, else 1.",
      "bench_peers");
  line.add_option("scenes", arguments.scenes, "scenes to run (default: all; see --list)");
  line.add_flag("--list", arguments.list, "only list scenes and settings");
  line.add_flag("--quick", arguments.quick, "short runs and few blocks: under three minutes");
  line.add_option("--filter", arguments.filter,
                  "only settings with this in their name, such as MuJoCo or Dantzig");
  line.add_option("--steps", arguments.steps,
                  "measure at most this many steps per setting, for tests")
      .range(10, 1'000'000);
  line.add_option("--json", arguments.json_file, "also write all results to this file");
  line.add_option("--csv", arguments.csv_file, "also write one line per setting and scene");
  line.add_option("--html", arguments.html_file, "also write a page with plots; needs no network");
  line.add_option("--svg", arguments.svg_file, "also write the plots alone");
  line.add_option("--png", arguments.png_file, "also write the plots as PNG");
  line.add_option("--markdown", arguments.markdown_file, "also write the tables as Markdown");
  line.add_flag("--docs", arguments.docs, "put tables and plots into docs/peers.md");
  arguments.command = command_text("./run bench peers", argc, argv);
  return run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
