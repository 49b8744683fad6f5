#pragma once

/// \file
/// A page of ours, open in a Chromium without a window.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/stiction/chromium.hpp"
#include "apps/stiction/chromium_process.hpp"
#include "apps/stiction/signal_watch.hpp"

namespace stiction {

/// A new folder for page and profile, gone at the end of its life.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Every call throws InputError if Chromium cannot do it or takes longer than a minute and a half,
/// and Interrupted if a signal comes that ends programs.
class ChromiumPage {
 public:
  /// Returns once the title of the page ends in `ready`. `fragment` is what stands behind the `#`
  /// of its address.
  ChromiumPage(const std::string& page, const std::string& fragment, const PictureSize& size);

  /// Value of an expression in the page; waits if it is a promise.
  nlohmann::json evaluate(const std::string& expression);
  /// What is on the screen. `format`: what Page.captureScreenshot takes.
  std::string screenshot(const nlohmann::json& format);
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  void open(const std::string& address, const PictureSize& size);
  void wait_until_drawn();

  SignalWatch signals_;  // before the folder, which must not outlive the program
  WorkFolder folder_;
  std::optional<ChromiumProcess> chromium_;
};

}  // namespace stiction
