#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string>
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
  refuse(path, fmt::format("cannot write this file: {}", std::strerror(errno)),
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

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Takes the space on the disk for as many bytes, so that writing them cannot fail for lack of
  /// it.
  void reserve(std::size_t bytes) {
    const int result =
        ::fallocate(descriptor_.number(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
    if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) refuse_writing(target_);
  }

  void take_its_place() {
    // mkstemp lets only the owner read; a new file is for whom the user's mask lets.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const int file = descriptor_.number();
    const off_t size = ::lseek(file, 0, SEEK_END);
    // Cutting at the end gives back what was reserved and is not needed.
    if (size < 0 || ::ftruncate(file, size) != 0 || ::fchmod(file, 0666 & ~mask) != 0 ||
        ::fsync(file) != 0 || ::rename(name_.c_str(), target_.c_str()) != 0) {
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
  [[nodiscard]] std::size_t byte_count() const {
    return sizeof(int) * (starts_.size() + rows_.size()) + sizeof(double) * values_.size();
  }

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
    refuse(path, "cannot write a problem without contacts", "add a contact");
  }
  for (const BlockKind kind : {BlockKind::limit, BlockKind::joint_friction, BlockKind::lock,
                               BlockKind::spin, BlockKind::roll}) {
    if (problem.contains(kind)) {
      refuse(path,
             fmt::format(
                 "the problem has a block of kind {}, which the local form of FCLIB cannot store",
                 to_string(kind)),
             "write a problem that has only contacts");
    }
  }
  if (const ProblemFault fault = problem.check(CheckLevel::finite)) {
    refuse(path, fault.what, fault.remedy);
  }
}

/// The problem in the file's order, and what an fclib_local points to.
class LocalForm {
 public:
  LocalForm(const ContactProblem& problem, const FclibInfo& info)
      : info_(info), matrix_(matrix_of(problem)) {
    for (int row = 0; row < problem.row_count(); ++row) {
      free_velocity_.push_back(problem.shifted_velocity()[row_of_ours(row)]);
    }
    for (const Block& block : problem.blocks()) friction_.push_back(block.friction);
    const auto text = [](std::string& any) { return any.empty() ? nullptr : any.data(); };
    texts_ = {text(info_.title), text(info_.description), text(info_.math_info)};
    local_ = {.W = matrix_.get(),
              .V = nullptr,
              .R = nullptr,
              .mu = friction_.data(),
              .q = free_velocity_.data(),
              .s = nullptr,
              .spacedim = 3,
              .info = &texts_};
  }
  LocalForm(const LocalForm&) = delete;
  LocalForm& operator=(const LocalForm&) = delete;
  [[nodiscard]] fclib_local* get() { return &local_; }

  /// More than the file will take.
  [[nodiscard]] std::size_t file_size() const {
    constexpr std::size_t structure = 1 << 16;
    return structure + 8 * (friction_.size() + 2 * free_velocity_.size()) + matrix_.byte_count() +
           info_.title.size() + info_.description.size() + info_.math_info.size();
  }

 private:
  static Eigen::MatrixXd matrix_of(const ContactProblem& problem) {
    Eigen::MatrixXd ours;
    problem.to_dense(ours);
    Eigen::MatrixXd theirs(ours.rows(), ours.cols());
    for (int j = 0; j < problem.row_count(); ++j) {
      for (int i = 0; i < problem.row_count(); ++i) {
        theirs(i, j) = ours(row_of_ours(i), row_of_ours(j));
      }
    }
    return theirs;
  }

  FclibInfo info_;
  ColumnMatrix matrix_;
  std::vector<double> free_velocity_;
  std::vector<double> friction_;
  fclib_info texts_{};
  fclib_local local_{};
};

}  // namespace

void save_fclib(const std::filesystem::path& path, const ContactProblem& problem,
                const FclibInfo& info) {
  check_saveable(path, problem);
  LocalForm form(problem, info);
  NewFile file(path);
  const SilentHdf5 silence;
  // fclib adds to a file that is there already, so it must be HDF5 by then. It ends the program if
  // writing fails, so there must be room.
  const hid_t empty = H5Fcreate(file.name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (empty < 0 || H5Fclose(empty) < 0) refuse_writing(path);
  file.reserve(form.file_size());
  if (fclib_write_local(form.get(), file.name().c_str()) == 0) {
    refuse(path, "FCLIB cannot write this problem", "check the folder and the disk");
  }
  file.take_its_place();
}

}  // namespace stiction
