#include "apps/stiction/ffmpeg_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "apps/stiction/chromium_process.hpp"
#include "apps/stiction/signal_watch.hpp"

extern char** environ;

namespace stiction {

namespace {

namespace fs = std::filesystem;

void check_signals() {
  if (const int signal = SignalWatch::caught(); signal != 0) throw Interrupted{signal};
}

/// Its stdin is the socket; a process group of its own, so that Ctrl-C does not end it before us.
int spawn(const fs::path& program, std::vector<std::string> arguments, const fs::path& log,
          int socket) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int fault =
      ::posix_spawn(&process, program.c_str(), &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) {
    refuse_chromium(fmt::format("cannot start '{}': {}", program.string(), std::strerror(fault)),
                    "check that `ffmpeg -version` works");
  }
  return process;
}

}  // namespace

fs::path require_ffmpeg() {
  const fs::path program = find_program({"ffmpeg"});
  if (program.empty()) {
    refuse_chromium("ffmpeg was not found; it is needed to make a video",
                    "install it with: apt-get install ffmpeg");
  }
  return program;
}

FfmpegProcess::FfmpegProcess(const fs::path& program, std::vector<std::string> arguments,
                             fs::path log)
    : log_(std::move(log)) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    refuse_chromium(fmt::format("cannot create a socket: {}", std::strerror(errno)),
                    "close other programs");
  }
  socket_ = ends[0];
  try {
    process_ = spawn(program, std::move(arguments), log_, ends[1]);
  } catch (...) {
    ::close(ends[1]);
    close();
    throw;
  }
  ::close(ends[1]);
}

FfmpegProcess::~FfmpegProcess() {
  close();
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void FfmpegProcess::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void FfmpegProcess::fail() const {
  std::string said;
  std::getline(std::ifstream(log_), said);
  refuse_chromium(
      fmt::format("ffmpeg could not make the video: {}", said.empty() ? "it ended early" : said),
      "check that `ffmpeg -codecs` lists libx264, or give a file that ends in .webm");
}

void FfmpegProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    check_signals();
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void FfmpegProcess::finish() {
  close();
  int status = 0;
  while (true) {
    check_signals();
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_) break;
    if (ended < 0 && errno != EINTR) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail();
}

}  // namespace stiction
