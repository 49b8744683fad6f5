#include "apps/stiction/chromium_process.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/signal_watch.hpp"
#include "stiction/core/problem.hpp"

extern char** environ;

namespace stiction {

namespace {

namespace fs = std::filesystem;

/// Where Chromium reads and writes under --remote-debugging-pipe.
constexpr int chromium_reads = 3;
constexpr int chromium_writes = 4;

constexpr const char* chromium_remedy = "check that `chromium --headless=new --screenshot` works";

std::vector<std::string> arguments_of(const fs::path& program, const fs::path& profile) {
  std::vector<std::string> arguments{program.string(),
                                     "--headless=new",
                                     "--remote-debugging-pipe",
                                     "--user-data-dir=" + profile.string(),
                                     "--hide-scrollbars",
                                     "--no-first-run",
                                     "--no-default-browser-check",
                                     "--disable-background-networking",
                                     "--disable-component-update",
                                     "--disable-sync",
                                     "--disable-quic",
                                     "--disable-dev-shm-usage"};
  // Its sandbox refuses to run for root.
  if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");
  arguments.emplace_back("about:blank");
  return arguments;
}

/// Above the numbers that the child gets, so that none of them is overwritten on the way.
int moved_up(int file) {
  constexpr int first = 10;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, first);
  ::close(file);
  return moved;
}

/// Ours, with another folder for temporary files: what Chromium has no time to remove goes with it.
std::vector<std::string> environment_with(const fs::path& folder) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("TMPDIR=")) variables.emplace_back(*entry);
  }
  variables.push_back("TMPDIR=" + folder.string());
  return variables;
}

/// As exec wants them; valid as long as the words are.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A process group of its own: all that Chromium starts can be ended with it.
int spawn(const fs::path& program, std::vector<std::string> arguments,
          std::vector<std::string> environment, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, chromium_reads);
  posix_spawn_file_actions_adddup2(&actions, socket, chromium_writes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int fault = ::posix_spawn(&process, program.c_str(), &actions, &attributes,
                                  pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) {
    refuse_chromium(fmt::format("cannot start '{}': {}", program.string(), std::strerror(fault)),
                    chromium_remedy);
  }
  return process;
}

}  // namespace

void refuse_chromium(const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({}, what, remedy);
  throw InputError(std::move(problems));
}

fs::path find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (folder.empty()) continue;
    for (const std::string& name : names) {
      const fs::path program = fs::path(folder) / name;
      std::error_code error;
      if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) {
        return program;
      }
    }
  }
  return {};
}

fs::path find_chromium() { return find_program({"chromium", "chromium-browser", "google-chrome"}); }

ChromiumProcess::ChromiumProcess(const fs::path& program, const fs::path& profile,
                                 std::chrono::seconds time)
    : deadline_(std::chrono::steady_clock::now() + time) {
  start(program, profile);
}

void ChromiumProcess::start(const fs::path& program, const fs::path& profile) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    refuse_chromium(fmt::format("cannot create a socket: {}", std::strerror(errno)),
                    "close other programs");
  }
  socket_ = moved_up(ends[0]);
  const int theirs = moved_up(ends[1]);
  try {
    process_ = spawn(program, arguments_of(program, profile),
                     environment_with(profile.parent_path()), theirs);
  } catch (...) {
    ::close(theirs);
    ::close(socket_);
    throw;
  }
  ::close(theirs);
}

ChromiumProcess::~ChromiumProcess() {
  ::close(socket_);
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChromiumProcess::check_time() const {
  if (const int signal = SignalWatch::caught(); signal != 0) throw Interrupted{signal};
  if (std::chrono::steady_clock::now() < deadline_) return;
  refuse_chromium("Chromium did not draw the page in time", chromium_remedy);
}

nlohmann::json ChromiumProcess::call(const std::string& method, const nlohmann::json& parameters) {
  nlohmann::json request{{"id", ++last_call_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) request["sessionId"] = session_;
  send(request.dump());
  for (;;) {
    const nlohmann::json answer = nlohmann::json::parse(receive(), nullptr, false);
    // Events and answers to others are passed over.
    if (!answer.is_object() || answer.value("id", 0) != last_call_) continue;
    if (answer.contains("result")) return answer["result"];
    refuse_chromium(fmt::format("Chromium refused {}: {}", method,
                                answer.value("error", nlohmann::json::object()).dump()),
                    chromium_remedy);
  }
}

void ChromiumProcess::send(const std::string& message) {
  // The zero byte at its end ends the message.
  const char* rest = message.c_str();
  std::size_t size = message.size() + 1;
  while (size > 0) {
    check_time();
    const ssize_t sent = ::send(socket_, rest, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) refuse_chromium("Chromium ended before it drew the page", chromium_remedy);
    rest += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

std::string ChromiumProcess::receive() {
  constexpr int patience = 200;  // [ms] between two looks at the clock
  std::array<char, 65536> part{};
  std::size_t looked = 0;
  for (;;) {
    const std::size_t end = received_.find('\0', looked);
    if (end != std::string::npos) {
      std::string message = received_.substr(0, end);
      received_.erase(0, end + 1);
      return message;
    }
    looked = received_.size();
    check_time();
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, patience) <= 0) continue;
    const ssize_t size = ::recv(socket_, part.data(), part.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) refuse_chromium("Chromium ended before it drew the page", chromium_remedy);
    received_.append(part.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace stiction
