#include "apps/stiction/output_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <stdlib.h>
#include <unistd.h>

#include "apps/stiction/signal_watch.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/core/write_file.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({}, what, remedy);
  throw InputError(std::move(problems));
}

/// Two names of one file, through links and dots, whether it is there or not.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path left = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path right = fs::weakly_canonical(fs::absolute(b, error), error);
  return !error && left == right;
}

/// What an option writes: its usual endings, and how such files begin.
struct FileKind {
  std::string_view option;
  std::string_view name;
  std::vector<std::string_view> endings;
  std::vector<std::string_view> beginnings;
};

const FileKind* kind_of(std::string_view option) {
  constexpr std::string_view hdf5 = "\x89HDF\r\n";
  static const std::vector<FileKind> kinds{
      {"--html", "a web page", {".html", ".htm"}, {"<!doctype html", "<!DOCTYPE html", "<html"}},
      {"--csv", "a table", {".csv", ".tsv"}, {"time,"}},
      {"--out", "a recording", {".h5", ".hdf5"}, {hdf5}},
      {"--save-state", "a state", {".state", ".h5", ".hdf5"}, {"\x93STATE\r\n", hdf5}},
      {"--png", "a picture", {".png"}, {"\x89PNG"}},
      {"--video", "a video", {".mp4", ".webm"}, {}}};
  const auto found = std::ranges::find(kinds, option, &FileKind::option);
  return found == kinds.end() ? nullptr : &*found;
}

std::string first_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(64, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

bool may_replace(const OutputFile& file) {
  const FileKind* kind = kind_of(file.option);
  std::error_code error;
  if (kind == nullptr || !fs::is_regular_file(file.path, error)) return true;
  const auto ends = [&](std::string_view ending) { return file.path.ends_with(ending); };
  if (std::ranges::any_of(kind->endings, ends)) return true;
  const std::string bytes = first_bytes(file.path);
  const auto begins = [&](std::string_view beginning) { return bytes.starts_with(beginning); };
  return bytes.empty() || std::ranges::any_of(kind->beginnings, begins);
}

std::string fault_of_names(const std::vector<OutputFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].path.empty()) continue;
    for (std::size_t k = 0; k < i; ++k) {
      if (files[k].path.empty() || !same_file(files[i].path, files[k].path)) continue;
      return fmt::format("{} and {} both name '{}'; give each its own file", files[k].option,
                         files[i].option, files[i].path);
    }
  }
  return {};
}

void check_outputs(const std::vector<OutputFile>& files, const std::vector<fs::path>& inputs) {
  for (const OutputFile& file : files) {
    if (file.path.empty()) continue;
    for (const fs::path& input : inputs) {
      if (input.empty() || !same_file(file.path, input)) continue;
      refuse(fmt::format("{}: '{}' is also an input file", file.option, file.path),
             "choose another name; the input would be overwritten");
    }
    if (!may_replace(file)) {
      refuse(fmt::format("{}: '{}' exists and is not {}", file.option, file.path,
                         kind_of(file.option)->name),
             fmt::format("give another name, such as one ending in {}",
                         kind_of(file.option)->endings.front()));
    }
    try {
      check_writable(file.path);
    } catch (const std::runtime_error& error) {
      refuse(fmt::format("{}: {}", file.option, error.what()),
             "choose a file in an existing folder you can write to");
    }
  }
}

OutputLocks lock_outputs(const std::vector<OutputFile>& files) {
  OutputLocks locks;
  for (const OutputFile& file : files) {
    if (file.path.empty()) continue;
    try {
      locks.push_back(std::make_unique<OutputLock>(file.path));
    } catch (const std::runtime_error& error) {
      refuse(fmt::format("{}: {}", file.option, error.what()),
             "choose another name, or wait until that run has ended");
    }
  }
  return locks;
}

void write_output_file(const OutputFile& file, std::string_view bytes) {
  if (file.path.empty()) return;
  try {
    write_file(file.path, bytes);
  } catch (const std::runtime_error& error) {
    refuse(fmt::format("{}: {}", file.option, error.what()),
           "free some space on this disk, or choose a file on another disk");
  }
}

void check_viewer(const std::string& html) {
  if (html.empty() || !viewer_page().empty()) return;
  refuse("--html: this program was built without the viewer",
         "install nodejs and npm, and build again");
}

TemporaryFile::TemporaryFile(const std::string& ending) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "stiction_XXXXXX").string() + ending;
  const int file = error ? -1 : ::mkstemps(name.data(), static_cast<int>(ending.size()));
  if (file < 0) {
    refuse(fmt::format("cannot create a temporary file: {}", std::strerror(errno)),
           "set TMPDIR to a folder you can write to, or give --out");
  }
  ::close(file);
  path_ = name;
  SignalWatch::remove_at_sudden_end(path_.c_str());
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  SignalWatch::remove_at_sudden_end(nullptr);
}

}  // namespace stiction
