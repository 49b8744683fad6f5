#include "bench/forked.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace stiction::bench {

namespace {

/// Printed by a library that complains, into the table of the parent.
void silence() {
  const int nothing = ::open("/dev/null", O_WRONLY);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int pipe_end) {
  silence();
  int code = 1;
  try {
    const std::string bytes = work();
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::write(pipe_end, bytes.data() + sent, bytes.size() - sent);
      if (count <= 0 && errno != EINTR) ::_exit(1);
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    code = 0;
  } catch (...) {
    code = 1;
  }
  ::_exit(code);
}

/// Reads until the child closes its end; false if the time is over first.
bool read_until(int pipe_end, double seconds, std::string& bytes) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  char buffer[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd request{pipe_end, POLLIN, 0};
    const int ready = ::poll(&request, 1, static_cast<int>(left.count()) + 1);
    if (ready <= 0) continue;
    const ssize_t count = ::read(pipe_end, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

ForkedResult run_forked(const std::function<std::string()>& work, double seconds) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("cannot create a pipe to a child process");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a child process");
  if (child == 0) {
    ::close(ends[0]);
    run_child(work, ends[1]);
  }
  ::close(ends[1]);
  ForkedResult result;
  const bool in_time = read_until(ends[0], seconds, result.bytes);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    result.end = ForkedResult::End::capped;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    result.end = ForkedResult::End::done;
  }
  return result;
}

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace stiction::bench
