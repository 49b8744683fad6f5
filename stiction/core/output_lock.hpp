#pragma once

/// \file
/// One writer per file: a second run that wants the same file learns of the first.

#include <filesystem>

namespace stiction {

/// While one lives, no other process gets one for the same file. It is the file's name with
/// `.lock` behind it, locked by flock() and removed at the end. A run that was killed leaves the
/// file, but not the lock. File systems without locks give none, and then nobody is stopped.
class OutputLock {
 public:
  /// Throws std::runtime_error that names the file and the process that writes it.
  explicit OutputLock(const std::filesystem::path& path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::filesystem::path lock_;
  int file_ = -1;
};

}  // namespace stiction
