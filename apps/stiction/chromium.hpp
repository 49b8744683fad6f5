#pragma once

/// \file
/// Pictures of pages, drawn by Chromium without a window.

#include <filesystem>
#include <string>

namespace stiction {

struct PictureSize {
  int width = 1280;  ///< [pixels]
  int height = 800;
};

/// The PNG of a page of ours, once its title ends in `ready`. `fragment` is what stands behind the
/// `#` of its address. Throws InputError if Chromium is not installed or cannot draw it, and
/// Interrupted if a signal comes that ends programs.
[[nodiscard]] std::string page_picture(const std::string& page, const std::string& fragment,
                                       const PictureSize& size);

/// The program. Throws as page_picture() would if Chromium is not installed.
std::filesystem::path require_chromium();

}  // namespace stiction
