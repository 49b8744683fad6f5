#include "apps/stiction/chromium_page.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdlib.h>
#include <thread>

#include "stiction/core/write_file.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A machine without a graphics card draws a large scene in some seconds.
constexpr std::chrono::seconds longest_time{90};

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

}  // namespace

WorkFolder::WorkFolder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "stiction_XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    refuse_chromium(fmt::format("cannot create a temporary folder: {}", std::strerror(errno)),
                    "set TMPDIR to a folder you can write to");
  }
  path_ = name;
}

WorkFolder::~WorkFolder() {
  // What Chromium left behind may still be busy for a moment.
  std::error_code error;
  for (int attempt = 0; attempt < 20; ++attempt) {
    fs::remove_all(path_, error);
    if (!error) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

ChromiumPage::ChromiumPage(const std::string& page, const std::string& fragment,
                           const PictureSize& size) {
  const fs::path program = require_chromium();
  const fs::path file = folder_.path() / "page.html";
  write_file(file, page);
  chromium_.emplace(program, folder_.path() / "profile", longest_time);
  open(fmt::format("file://{}#{}", file.string(), fragment), size);
  wait_until_drawn();
}

void ChromiumPage::open(const std::string& address, const PictureSize& size) {
  const json target = chromium_->call("Target.createTarget", {{"url", "about:blank"}});
  const json attached = chromium_->call(
      "Target.attachToTarget", {{"targetId", target.value("targetId", "")}, {"flatten", true}});
  chromium_->use_session(attached.value("sessionId", ""));
  chromium_->call("Emulation.setDeviceMetricsOverride", {{"width", size.width},
                                                         {"height", size.height},
                                                         {"deviceScaleFactor", 1},
                                                         {"mobile", false}});
  chromium_->call("Page.navigate", {{"url", address}});
}

void ChromiumPage::wait_until_drawn() {
  while (evaluate("document.title.endsWith('ready')") != true) {
    chromium_->check_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // What was drawn is on the screen after the next frame.
  evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

json ChromiumPage::evaluate(const std::string& expression) {
  chromium_->allow(longest_time);
  const json answer = chromium_->call(
      "Runtime.evaluate",
      {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  return answer.value("result", json::object()).value("value", json());
}

std::string ChromiumPage::screenshot(const json& format) {
  chromium_->allow(longest_time);
  return decode_base64(chromium_->call("Page.captureScreenshot", format).value("data", ""));
}

}  // namespace stiction
