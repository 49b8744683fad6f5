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

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = temporary_beside(path);
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
  std::filesystem::rename(temporary, path, error);
  if (error) fail(error.message());
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty()) throw_unwritable(path, "the path is empty");
  if (std::filesystem::is_directory(path, ignored)) throw_unwritable(path, "it is a folder");
  const std::filesystem::path temporary = temporary_beside(path);
  errno = 0;
  const bool possible = static_cast<bool>(std::ofstream(temporary));
  const std::string reason = std::strerror(errno);
  std::filesystem::remove(temporary, ignored);
  if (!possible) throw_unwritable(path, reason);
}

}  // namespace stiction
