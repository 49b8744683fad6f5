#include "stiction/io/child_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stiction {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int exit_not_found = 127;
constexpr std::uint64_t most_errors = 1 << 16;  // [bytes]

/// Address space of this process [bytes]; 0 if unknown.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Sanitizers reserve terabytes of addresses, so no limit can be set under them.
void limit_memory(std::uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
#else
  (void)bytes;
#endif
}

/// The child dies with its parent, leaves no core file, and handles no signal as the parent does.
void become_child(std::uint64_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number :
       {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE}) {
    std::signal(number, SIG_DFL);
  }
  limit_memory(memory);
}

void redirect(int stream, int to) {
  if (to >= 0) ::dup2(to, stream);
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};  ///< to read, to write
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] bool good() const { return ends[0] >= 0; }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

/// Appends what is there. False at the end of the stream.
bool take(int stream, std::string& text, std::uint64_t most) {
  std::array<char, 1 << 16> block;
  const ssize_t count = ::read(stream, block.data(), block.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (text.size() <= most) text.append(block.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Reads both streams until they end. Says why not, if they do not.
std::string collect(Pipe& output, Pipe& errors, const ChildLimits& limits, ChildResult& result) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(limits.seconds));
  while (output.ends[0] >= 0 || errors.ends[0] >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return fmt::format("took more than {:.0f} s", limits.seconds);
    std::array<pollfd, 2> streams{pollfd{output.ends[0], POLLIN, 0},
                                  pollfd{errors.ends[0], POLLIN, 0}};
    const int ready = ::poll(streams.data(), streams.size(), static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno != EINTR) return std::strerror(errno);
    if (ready <= 0) continue;
    if (streams[0].revents != 0 && !take(output.ends[0], result.output, limits.output)) {
      output.close_end(0);
    }
    if (streams[1].revents != 0 && !take(errors.ends[0], result.errors, most_errors)) {
      errors.close_end(0);
    }
    if (result.output.size() > limits.output) {
      return fmt::format("gave more than {} MB", limits.output >> 20);
    }
  }
  return {};
}

void wait_for_end(pid_t id, ChildResult& result) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(id, &status, 0);
  } while (ended < 0 && errno == EINTR);
  // Whoever ignores SIGCHLD gets no status; the output then speaks for itself.
  if (ended < 0 || WIFEXITED(status)) {
    result.exit_code = ended < 0 ? 0 : WEXITSTATUS(status);
  } else if (result.fault.empty()) {
    result.fault = WTERMSIG(status) == SIGKILL
                       ? "was stopped from outside"
                       : fmt::format("crashed ({})", ::strsignal(WTERMSIG(status)));
  }
}

template <class Body>
ChildResult run(const ChildLimits& limits, Body body) {
  ChildResult result;
  Pipe output;
  Pipe errors;
  const std::uint64_t memory = limits.memory == 0 ? 0 : address_space() + limits.memory;
  const pid_t id = output.good() && errors.good() ? ::fork() : -1;
  if (id < 0) {
    result.fault = fmt::format("cannot start: {}", std::strerror(errno));
    return result;
  }
  if (id == 0) {
    become_child(memory);
    body(output.ends[1], errors.ends[1]);
    ::_exit(exit_not_found);
  }
  output.close_end(1);
  errors.close_end(1);
  result.fault = collect(output, errors, limits, result);
  if (!result.fault.empty()) ::kill(id, SIGKILL);
  wait_for_end(id, result);
  return result;
}

void write_all(int stream, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(stream, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  return run(limits, [&work](int output, int errors) {
    // What a library prints is nobody's business.
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) redirect(stream, nowhere);
    ::close(errors);
    write_all(output, work());
    ::_exit(0);
  });
}

ChildResult run_program(const std::vector<std::string>& words, const ChildLimits& limits) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return run(limits, [&arguments](int output, int errors) {
    redirect(STDIN_FILENO, ::open("/dev/null", O_RDONLY));
    redirect(STDOUT_FILENO, output);
    redirect(STDERR_FILENO, errors);
    ::execvp(arguments.front(), arguments.data());
  });
}

}  // namespace stiction
