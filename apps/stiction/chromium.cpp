#include "apps/stiction/chromium.hpp"

#include "apps/stiction/chromium_page.hpp"

namespace stiction {

std::filesystem::path require_chromium() {
  const std::filesystem::path program = find_chromium();
  if (program.empty()) {
    refuse_chromium(
        "Chromium was not found; it is needed to draw the picture",
        "install the Debian package chromium, or use --html and open the page in a browser");
  }
  return program;
}

std::string page_picture(const std::string& page, const std::string& fragment,
                         const PictureSize& size) {
  ChromiumPage chromium(page, fragment, size);
  std::string picture = chromium.screenshot({{"format", "png"}});
  if (!picture.starts_with("\x89PNG")) {
    refuse_chromium("Chromium returned no picture", "try again, or use --html");
  }
  return picture;
}

}  // namespace stiction
