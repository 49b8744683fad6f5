#pragma once

/// \file
/// Files that a command will write, looked at before long work instead of after it.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/core/output_lock.hpp"

namespace stiction {

/// A file to write, and the option that named it.
struct OutputFile {
  std::string option;
  std::string path;  ///< empty: not asked for
};

/// Whether a file that is there already may be replaced by what an option writes: its name ends as
/// usual for that, or its first bytes are such as the option writes, or it is empty or no regular
/// file.
[[nodiscard]] bool may_replace(const OutputFile& file);

/// What is wrong with the names alone: empty, or twice the same file; for usage errors. Empty if
/// nothing is.
[[nodiscard]] std::string fault_of_names(const std::vector<OutputFile>& files);

/// Throws InputError if one cannot be written, is one of the files that are read, or is there
/// already and something else.
void check_outputs(const std::vector<OutputFile>& files,
                   const std::vector<std::filesystem::path>& inputs);

using OutputLocks = std::vector<std::unique_ptr<OutputLock>>;

/// Keeps other runs from writing these files as long as the result lives. Throws InputError if one
/// does already.
[[nodiscard]] OutputLocks lock_outputs(const std::vector<OutputFile>& files);

/// write_file() with a remedy: throws InputError.
void write_output_file(const OutputFile& file, std::string_view bytes);

/// Throws InputError if there is no viewer to put a run into.
void check_viewer(const std::string& html);

/// A file in the folder for temporary files, gone at the end of its life.
class TemporaryFile {
 public:
  /// Throws InputError if there can be none.
  explicit TemporaryFile(const std::string& ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stiction
