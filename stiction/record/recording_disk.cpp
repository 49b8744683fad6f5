#include "stiction/record/recording_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stiction {

namespace {

constexpr std::uint64_t step = 8 << 20;  ///< asked for at once where there is enough [bytes]

std::uint64_t size_limit() {
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? limit.rlim_cur : UINT64_MAX;
}

}  // namespace

DiskReserve::DiskReserve(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error(std::strerror(errno));
}

DiskReserve::~DiskReserve() { ::close(file_); }

void DiskReserve::ensure(std::uint64_t bytes) {
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw std::runtime_error(std::strerror(errno));
  const std::uint64_t least = static_cast<std::uint64_t>(status.st_size) + bytes;
  if (least > size_limit()) throw DiskFull("the file would exceed its size limit (RLIMIT_FSIZE)");
  if (!able_ || least <= reserved_) return;
  reserve_to(std::min(least + step, size_limit()), least);
}

void DiskReserve::reserve_to(std::uint64_t end, std::uint64_t least) {
  for (;;) {
    if (::fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(end)) == 0) break;
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) {
      able_ = false;
      return;
    }
    if (end == least) throw DiskFull(std::strerror(errno));
    end = least;
  }
  reserved_ = end;
}

void DiskReserve::release() {
  struct stat status {};
  // Even at the same size this gives back what lies behind the end.
  if (::fstat(file_, &status) == 0 && ::ftruncate(file_, status.st_size) != 0) able_ = false;
  reserved_ = 0;
}

}  // namespace stiction
