#pragma once

/// \file
/// Chromium as a process of ours, spoken to in its DevTools protocol over a socket.

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stiction {

/// Throws InputError: what went wrong with Chromium, and a remedy.
[[noreturn]] void refuse_chromium(const std::string& what, const std::string& remedy);

/// The first of these programs that is on the PATH; empty if there is none.
[[nodiscard]] std::filesystem::path find_program(const std::vector<std::string>& names);
[[nodiscard]] std::filesystem::path find_chromium();

/// Runs while it lives. Every wait ends at the deadline, and then throws InputError; or when
/// SignalWatch catches a signal, and then throws Interrupted.
class ChromiumProcess {
 public:
  /// `profile` is a folder for its own files; temporary ones go into the folder that holds it.
  ChromiumProcess(const std::filesystem::path& program, const std::filesystem::path& profile,
                  std::chrono::seconds time);
  ~ChromiumProcess();
  ChromiumProcess(const ChromiumProcess&) = delete;
  ChromiumProcess& operator=(const ChromiumProcess&) = delete;

  /// Calls a method and returns its result. All later calls go to `session` if it is not empty.
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters);
  void use_session(std::string session) { session_ = std::move(session); }
  /// Sets the deadline anew.
  void allow(std::chrono::seconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  /// Throws once the deadline has passed, or a signal came.
  void check_time() const;

 private:
  void start(const std::filesystem::path& program, const std::filesystem::path& profile);
  void send(const std::string& message);
  [[nodiscard]] std::string receive();

  std::chrono::steady_clock::time_point deadline_;
  int process_ = -1;
  int socket_ = -1;
  int last_call_ = 0;
  std::string session_;
  std::string received_;  ///< bytes after the last whole message
};

}  // namespace stiction
