#include "stiction/core/write_file.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace stiction {

namespace {

[[noreturn]] void throw_unwritable(const std::filesystem::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), reason));
}

/// In the same folder, for only there renaming is one step.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.part", ::getpid());
}

/// Where a link leads, so that the link stays.
std::filesystem::path target_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

/// Renaming would put a file in the place of whatever is there, devices and pipes included.
void check_replaceable(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (path.empty()) throw_unwritable(path, "the path is empty");
  if (!std::filesystem::exists(status)) return;
  if (std::filesystem::is_directory(status)) throw_unwritable(path, "it is a folder");
  if (!std::filesystem::is_regular_file(status)) {
    throw_unwritable(path, "it is not a regular file");
  }
  if (::access(path.c_str(), W_OK) != 0) throw_unwritable(path, std::strerror(errno));
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  check_replaceable(path);
  const std::filesystem::path target = target_of(path);
  const std::filesystem::path temporary = temporary_beside(target);
  const auto fail = [&](const std::string& reason) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw_unwritable(path, reason);
  };
  errno = 0;
  std::ofstream file(temporary, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  file << bytes;
  file.close();
  if (!file) fail(std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(temporary, target, error);
  if (error) fail(error.message());
}

void check_writable(const std::filesystem::path& path) {
  check_replaceable(path);
  const std::filesystem::path temporary = temporary_beside(target_of(path));
  std::error_code ignored;
  errno = 0;
  const bool possible = static_cast<bool>(std::ofstream(temporary));
  const std::string reason = std::strerror(errno);
  std::filesystem::remove(temporary, ignored);
  if (!possible) throw_unwritable(path, reason);
}

}  // namespace stiction
