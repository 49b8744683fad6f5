#include "apps/stiction/replay_page.hpp"

#include "apps/stiction/output_files.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction {

PageRun page_run(const Recording& recording, std::string label) {
  PageFrames frames;
  for (long long i = 0; i < recording.frame_count(); ++i) frames.add(recording.frame(i));
  return {std::move(label), recording.run(), frames.take()};
}

std::string replay_page(const std::string& scene, std::span<const PageRun> runs) {
  check_viewer("the page");
  return fill_page(viewer_page(), page_data(scene, runs));
}

}  // namespace stiction
