#pragma once

/// \file
/// Videos of pages: Chromium draws each picture, ffmpeg joins them.

#include <functional>
#include <string>

#include "apps/stiction/chromium.hpp"

namespace stiction {

struct VideoOptions {
  double from = 0.0;           ///< [s], of the run
  double to = 0.0;             ///< [s]
  double rate = 30.0;          ///< pictures per second
  PictureSize size;            ///< even numbers of pixels
  std::string format = "mp4";  ///< or "webm"
};

/// How many pictures a video has: its duration is that of the run, to half a picture.
[[nodiscard]] long long picture_count(const VideoOptions& options);

/// The bytes of a video of a replay page of ours. `fragment` is as in page_picture(); `progress` is
/// called before each picture with its number. Throws InputError if Chromium or ffmpeg is not
/// installed or cannot do it, and Interrupted if a signal comes that ends programs.
[[nodiscard]] std::string page_video(const std::string& page, const std::string& fragment,
                                     const VideoOptions& options,
                                     const std::function<void(long long)>& progress);

/// Throws as page_video() would if one of the programs is not installed.
void require_video_programs();

}  // namespace stiction
