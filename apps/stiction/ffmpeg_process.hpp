#pragma once

/// \file
/// ffmpeg as a process of ours that reads pictures from us.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// The program as found on the PATH. Throws InputError with a remedy if there is none.
[[nodiscard]] std::filesystem::path require_ffmpeg();

/// Runs while it lives; its methods throw InputError with what ffmpeg said if it ends early, and
/// Interrupted if SignalWatch catches a signal.
class FfmpegProcess {
 public:
  /// What it says on stderr goes to `log`.
  FfmpegProcess(const std::filesystem::path& program, std::vector<std::string> arguments,
                std::filesystem::path log);
  ~FfmpegProcess();
  FfmpegProcess(const FfmpegProcess&) = delete;
  FfmpegProcess& operator=(const FfmpegProcess&) = delete;

  /// Writes to its stdin.
  void write(std::string_view bytes);
  /// Ends its stdin, and waits until its file is complete.
  void finish();

 private:
  void close();
  [[noreturn]] void fail() const;

  std::filesystem::path log_;
  int process_ = -1;
  int socket_ = -1;
};

}  // namespace stiction
