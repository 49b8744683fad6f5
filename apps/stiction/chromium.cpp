#include "apps/stiction/chromium.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdlib.h>
#include <thread>

#include "apps/stiction/chromium_process.hpp"
#include "apps/stiction/signal_watch.hpp"
#include "stiction/core/write_file.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A machine without a graphics card draws a large scene in some seconds.
constexpr std::chrono::seconds longest_time{90};

/// A new folder for page and profile, gone at the end of its life.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "stiction_XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
      refuse_chromium(fmt::format("cannot create a temporary folder: {}", std::strerror(errno)),
                      "set TMPDIR to a folder you can write to");
    }
    path_ = name;
  }
  ~WorkFolder() {
    // What Chromium left behind may still be busy for a moment.
    std::error_code error;
    for (int attempt = 0; attempt < 20; ++attempt) {
      fs::remove_all(path_, error);
      if (!error) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string decode_base64(const std::string& text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    const std::size_t value = letters.find(letter);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255u);
  }
  return bytes;
}

/// Value of an expression in the page; waits if it is a promise.
json evaluate(ChromiumProcess& chromium, const std::string& expression) {
  const json answer =
      chromium.call("Runtime.evaluate",
                    {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  return answer.value("result", json::object()).value("value", json());
}

void open_page(ChromiumProcess& chromium, const std::string& address, const PictureSize& size) {
  const json target = chromium.call("Target.createTarget", {{"url", "about:blank"}});
  const json attached = chromium.call(
      "Target.attachToTarget", {{"targetId", target.value("targetId", "")}, {"flatten", true}});
  chromium.use_session(attached.value("sessionId", ""));
  chromium.call("Emulation.setDeviceMetricsOverride", {{"width", size.width},
                                                       {"height", size.height},
                                                       {"deviceScaleFactor", 1},
                                                       {"mobile", false}});
  chromium.call("Page.navigate", {{"url", address}});
}

void wait_until_drawn(ChromiumProcess& chromium) {
  while (evaluate(chromium, "document.title.endsWith('ready')") != true) {
    chromium.check_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // What was drawn is on the screen after the next frame.
  evaluate(chromium,
           "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

fs::path require_chromium() {
  const fs::path program = find_chromium();
  if (program.empty()) {
    refuse_chromium(
        "Chromium was not found; it is needed to draw the picture",
        "install the Debian package chromium, or use --html and open the page in a browser");
  }
  return program;
}

}  // namespace

void check_chromium() { static_cast<void>(require_chromium()); }

std::string page_picture(const std::string& page, const std::string& fragment,
                         const PictureSize& size) {
  const fs::path program = require_chromium();
  const SignalWatch signals;  // before the folder, which must not outlive the program
  const WorkFolder folder;
  const fs::path file = folder.path() / "page.html";
  write_file(file, page);
  ChromiumProcess chromium(program, folder.path() / "profile", longest_time);
  open_page(chromium, fmt::format("file://{}#{}", file.string(), fragment), size);
  wait_until_drawn(chromium);
  const json shot = chromium.call("Page.captureScreenshot", {{"format", "png"}});
  std::string picture = decode_base64(shot.value("data", ""));
  if (!picture.starts_with("\x89PNG")) {
    refuse_chromium("Chromium returned no picture", "try again, or use --html");
  }
  return picture;
}

}  // namespace stiction
