#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdlib.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "stiction/core/problem.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/io/fclib_c.hpp"
#include "stiction/io/hdf5_file.hpp"

namespace stiction {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({path.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

[[noreturn]] void refuse_writing(const std::filesystem::path& path) {
  refuse(path, fmt::format("this file cannot be written: {}", std::strerror(errno)),
         "check the folder, its permissions and the disk");
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A new file beside the one that it is to replace; removed unless it has taken its place.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : target_(path),
        name_(path.string() + ".XXXXXX"),
        descriptor_(std::filesystem::is_directory(path) ? -1 : ::mkstemp(name_.data())) {
    if (std::filesystem::is_directory(path)) errno = EISDIR;
    if (descriptor_.number() < 0) refuse_writing(target_);
  }
  ~NewFile() {
    if (!done_) ::unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(descriptor_.number(), bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse_writing(target_);
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }

  void take_its_place() {
    // mkstemp lets only the owner read; a new file is for whom the user's mask lets.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_.number(), 0666 & ~mask) != 0 || ::fsync(descriptor_.number()) != 0 ||
        ::rename(name_.c_str(), target_.c_str()) != 0) {
      refuse_writing(target_);
    }
    done_ = true;
  }

 private:
  std::filesystem::path target_;
  std::string name_;
  Descriptor descriptor_;
  bool done_ = false;
};

/// A matrix by columns that owns what an fclib_matrix points to.
class ColumnMatrix {
 public:
  explicit ColumnMatrix(const Eigen::MatrixXd& dense) {
    starts_.push_back(0);
    for (Eigen::Index j = 0; j < dense.cols(); ++j) {
      for (Eigen::Index i = 0; i < dense.rows(); ++i) {
        if (dense(i, j) == 0.0) continue;
        rows_.push_back(static_cast<int>(i));
        values_.push_back(dense(i, j));
      }
      starts_.push_back(static_cast<int>(rows_.size()));
    }
    matrix_ = {.nzmax = static_cast<int>(rows_.size()),
               .m = static_cast<int>(dense.rows()),
               .n = static_cast<int>(dense.cols()),
               .p = starts_.data(),
               .i = rows_.data(),
               .x = values_.data(),
               .nz = -1,
               .info = nullptr};
  }
  ColumnMatrix(const ColumnMatrix&) = delete;
  ColumnMatrix& operator=(const ColumnMatrix&) = delete;
  [[nodiscard]] fclib_matrix* get() { return &matrix_; }

 private:
  std::vector<int> starts_;
  std::vector<int> rows_;
  std::vector<double> values_;
  fclib_matrix matrix_{};
};

/// Where row `row` of the file is in ours: there each contact begins with its normal.
int row_of_ours(int row) { return row - row % 3 + (row % 3 + 2) % 3; }

void check_saveable(const std::filesystem::path& path, const ContactProblem& problem) {
  if (problem.block_count() == 0) {
    refuse(path, "a problem without contacts cannot be written", "add a contact");
  }
  for (const BlockKind kind : {BlockKind::limit, BlockKind::joint_friction, BlockKind::lock}) {
    if (problem.contains(kind)) {
      refuse(path,
             fmt::format("the problem has a block of kind {}, which FCLIB's local form cannot hold",
                         to_string(kind)),
             "write a problem of contacts alone");
    }
  }
  if (const ProblemFault fault = problem.check(CheckLevel::finite)) {
    refuse(path, fault.what, fault.remedy);
  }
}

/// fclib ends the program if a write fails, so it writes to memory.
void write_with_fclib(const std::filesystem::path& path, const ContactProblem& problem,
                      FclibInfo info, int memory) {
  const int rows = problem.row_count();
  Eigen::MatrixXd ours;
  problem.to_dense(ours);
  Eigen::MatrixXd theirs(rows, rows);
  std::vector<double> free_velocity;
  for (int j = 0; j < rows; ++j) {
    free_velocity.push_back(problem.shifted_velocity()[row_of_ours(j)]);
    for (int i = 0; i < rows; ++i) theirs(i, j) = ours(row_of_ours(i), row_of_ours(j));
  }
  ColumnMatrix matrix(theirs);
  std::vector<double> friction;
  for (const Block& block : problem.blocks()) friction.push_back(block.friction);

  const auto text = [](std::string& any) { return any.empty() ? nullptr : any.data(); };
  fclib_info file_info{text(info.title), text(info.description), text(info.math_info)};
  fclib_local file{.W = matrix.get(),
                   .V = nullptr,
                   .R = nullptr,
                   .mu = friction.data(),
                   .q = free_velocity.data(),
                   .s = nullptr,
                   .spacedim = 3,
                   .info = &file_info};
  const SilentHdf5 silence;
  const std::string name = fmt::format("/proc/self/fd/{}", memory);
  // fclib adds to a file that is there already, so it must be HDF5 by then.
  const hid_t empty = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (empty < 0 || H5Fclose(empty) < 0 || fclib_write_local(&file, name.c_str()) == 0) {
    refuse(path, "FCLIB cannot write this problem", "check that /proc is there");
  }
}

}  // namespace

void save_fclib(const std::filesystem::path& path, const ContactProblem& problem,
                const FclibInfo& info) {
  check_saveable(path, problem);
  NewFile file(path);
  const Descriptor memory(::memfd_create("fclib", MFD_CLOEXEC));
  if (memory.number() < 0) refuse_writing(path);
  write_with_fclib(path, problem, info, memory.number());

  std::vector<char> bytes(1 << 16);
  off_t offset = 0;
  while (true) {
    const ssize_t count = ::pread(memory.number(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_writing(path);
    if (count == 0) break;
    file.append(bytes.data(), static_cast<std::size_t>(count));
    offset += count;
  }
  file.take_its_place();
}

}  // namespace stiction
