#include "apps/stiction/replay_page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/stiction/output.hpp"
#include "apps/stiction/output_files.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction {

namespace {

/// What the scene says is drawn with less than the model has; empty if nothing is.
std::string reduction_of(const std::string& scene) {
  const auto document = nlohmann::json::parse(scene, nullptr, false);
  return document.is_object() ? document.value("reduced", std::string()) : std::string();
}

}  // namespace

PageRun page_run(const Recording& recording, std::string label) {
  PageFrames frames;
  for (long long i = 0; i < recording.frame_count(); ++i) frames.add(recording.frame(i));
  return {std::move(label), recording.run(), frames.take()};
}

std::string replay_page(const std::string& scene, std::span<const PageRun> runs) {
  check_viewer("the page");
  const std::string data = page_data(scene, runs);
  if (const std::string words = reduction_of(scene); !words.empty()) {
    write_error(fmt::format("stiction: note: {}, to keep the page small\n", printable(words)));
  }
  return fill_page(viewer_page(), data);
}

}  // namespace stiction
