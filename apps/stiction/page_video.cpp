#include "apps/stiction/page_video.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "apps/stiction/chromium_page.hpp"
#include "apps/stiction/ffmpeg_process.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> arguments_of(const VideoOptions& options, const fs::path& file) {
  std::vector<std::string> words{"-nostdin",
                                 "-loglevel",
                                 "error",
                                 "-f",
                                 "image2pipe",
                                 "-framerate",
                                 fmt::format("{:.9g}", options.rate),
                                 "-c:v",
                                 "mjpeg",
                                 "-i",
                                 "-"};
  const std::vector<std::string> codec =
      options.format == "webm"
          ? std::vector<std::string>{"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"}
          : std::vector<std::string>{"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"};
  words.insert(words.end(), codec.begin(), codec.end());
  words.insert(words.end(), {"-pix_fmt", "yuv420p", "-y", file.string()});
  return words;
}

std::string bytes_of(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

}  // namespace

long long picture_count(const VideoOptions& options) {
  return std::max(1LL, std::llround((options.to - options.from) * options.rate));
}

void require_video_programs() {
  static_cast<void>(require_chromium());
  static_cast<void>(require_ffmpeg());
}

std::string page_video(const std::string& page, const std::string& fragment,
                       const VideoOptions& options,
                       const std::function<void(long long)>& progress) {
  const fs::path ffmpeg = require_ffmpeg();
  ChromiumPage chromium(page, fragment, options.size);
  const fs::path file = chromium.folder() / ("video." + options.format);
  FfmpegProcess joined(ffmpeg, arguments_of(options, file), chromium.folder() / "ffmpeg.log");
  const long long count = picture_count(options);
  for (long long i = 0; i < count; ++i) {
    progress(i);
    const double time = options.from + static_cast<double>(i) / options.rate;
    chromium.evaluate(fmt::format("window.stiction.showTime({:.9g})", time));
    joined.write(chromium.screenshot({{"format", "jpeg"}, {"quality", 95}}));
  }
  joined.finish();
  return bytes_of(file);
}

}  // namespace stiction
