#pragma once

/// \file
/// Room on the disk for a file that grows. Private to stiction/record.

#include <cstdint>
#include <filesystem>
#include <stdexcept>

namespace stiction {

/// Room was asked for that is not there.
struct DiskFull : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Takes hold of the disk's room ahead of the end of a file, without changing its size. What is
/// written there later cannot fail for a full disk: HDF5 leaves a file that cannot be read, and
/// sometimes ends the program, if one of its writes does.
class DiskReserve {
 public:
  /// The file must exist. Throws std::runtime_error if it cannot be opened.
  explicit DiskReserve(const std::filesystem::path& path);
  ~DiskReserve();
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  /// Makes sure that the file can grow by this number of bytes. Throws DiskFull if it cannot. On
  /// file systems that cannot reserve it only looks at the limit of file sizes.
  void ensure(std::uint64_t bytes);
  /// Gives back what was not used. The file must be complete.
  void release();

 private:
  void reserve_to(std::uint64_t end, std::uint64_t least);

  int file_;
  std::uint64_t reserved_ = 0;  ///< end of what is ours [bytes]
  bool able_ = true;
};

}  // namespace stiction
