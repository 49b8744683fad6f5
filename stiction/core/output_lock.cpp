#include "stiction/core/output_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stiction {

namespace {

/// Through links, so that two names of one file have one lock.
std::filesystem::path lock_beside(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return (error ? path : whole).string() + ".lock";
}

/// Whether the name still leads to the open file: whoever had it before may have removed it.
bool is_current(const std::filesystem::path& path, int file) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

std::string holder_of(const std::filesystem::path& lock) {
  std::string process;
  std::ifstream(lock) >> process;
  return process.empty() ? "" : fmt::format(" (process {})", process);
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& path) : lock_(lock_beside(path)) {
  for (;;) {
    file_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) return;
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const bool taken = errno == EWOULDBLOCK;
      ::close(file_);
      file_ = -1;
      if (!taken) return;
      throw std::runtime_error(
          fmt::format("'{}' is being written by another run{}", path.string(), holder_of(lock_)));
    }
    if (is_current(lock_, file_)) break;
    ::close(file_);
  }
  const std::string process = std::to_string(::getpid());
  if (::ftruncate(file_, 0) != 0 ||
      ::write(file_, process.data(), process.size()) != static_cast<ssize_t>(process.size())) {
    return;  // the number is only for the message
  }
}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  ::unlink(lock_.c_str());
  ::close(file_);
}

}  // namespace stiction
