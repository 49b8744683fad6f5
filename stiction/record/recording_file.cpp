#include "stiction/record/recording_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "stiction/core/mixer.hpp"
#include "stiction/io/hdf5_file.hpp"

namespace stiction {

namespace {

/// What HDF5 itself may write of its own between two looks at the disk's room [bytes].
constexpr std::size_t room_of_hdf5 = 1 << 19;

/// In a chunk. Few, for a chunk that others shall read before it is full is written again later,
/// and its first place in the file is lost.
std::size_t chunk_rows(Table table, std::size_t row_size) {
  constexpr std::size_t largest_chunk = 1 << 18;
  switch (table) {
    case Table::memory:
      return 1024;
    case Table::contacts:
    case Table::anchors:
      return 512;
    case Table::time:
      return 1024;
    default:
      return std::clamp<std::size_t>(largest_chunk / row_size, 32, 128);
  }
}

Hdf5Handle chunk_properties(hsize_t rows) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, 1, &rows);
  H5Pset_shuffle(properties);
  // Mandatory: every chunk has the checksum of a zlib stream. The level is for information.
  const unsigned level = 1;
  H5Pset_filter(properties, H5Z_FILTER_DEFLATE, H5Z_FLAG_MANDATORY, 1, &level);
  return properties;
}

Hdf5Handle new_file(const std::filesystem::path& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose};
}

/// HDF5 does not say why it cannot.
void create_empty(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw std::runtime_error(std::strerror(errno));
  ::close(file);
}

}  // namespace

void require_hdf5(bool good, const char* what) {
  if (!good) throw std::runtime_error(fmt::format("HDF5 cannot write its {}", what));
}

// ---- one table ---------------------------------------------------------------------------------

TableWriter::TableWriter(hid_t file, Table table, const RecordingHead& head) : table_(table) {
  const Hdf5Handle type = row_type(table, counts_of(head));
  row_size_ = H5Tget_size(type);
  const hsize_t rows = chunk_rows(table, row_size_);
  chunk_.resize(rows * row_size_);
  const hsize_t none = 0;
  const hsize_t unlimited = H5S_UNLIMITED;
  const Hdf5Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
  const Hdf5Handle set(H5Dcreate2(file, name_of(table), type, space, H5P_DEFAULT,
                                  chunk_properties(rows), H5P_DEFAULT),
                       H5Dclose);
  require_hdf5(set.good(), "tables");
}

void TableWriter::open(hid_t file) {
  set_ = {H5Dopen2(file, name_of(table_), H5P_DEFAULT), H5Dclose};
  require_hdf5(set_.good(), "tables");
}

void TableWriter::append(std::span<const std::byte> rows, ChunkPacker& packer) {
  while (!rows.empty()) {
    const std::size_t size = std::min(rows.size(), chunk_.size() - filled_);
    std::memcpy(chunk_.data() + filled_, rows.data(), size);
    filled_ += size;
    rows_ += size / row_size_;
    unwritten_ = true;
    rows = rows.subspan(size);
    if (filled_ == chunk_.size()) {
      write_chunk(packer);
      filled_ = 0;
    }
  }
}

void TableWriter::write_chunk(ChunkPacker& packer) {
  std::fill(chunk_.begin() + static_cast<std::ptrdiff_t>(filled_), chunk_.end(), std::byte{0});
  const std::span<const std::byte> packed = packer.pack(chunk_, row_size_);
  const hsize_t rows = rows_;
  const hsize_t first = rows_ - filled_ / row_size_;
  const std::lock_guard growth(growth_of_tables);
  require_hdf5(H5Dset_extent(set_, &rows) >= 0 &&
                   H5Dwrite_chunk(set_, H5P_DEFAULT, 0, &first, packed.size(), packed.data()) >= 0,
               name_of(table_));
  unwritten_ = false;
}

void TableWriter::publish(ChunkPacker& packer) {
  if (unwritten_) write_chunk(packer);
  require_hdf5(H5Dflush(set_) >= 0, name_of(table_));
}

// ---- the file ----------------------------------------------------------------------------------

RecordingFile::RecordingFile(const std::filesystem::path& path, const RecordingHead& head,
                             int compression)
    : packer_(compression) {
  const SilentHdf5 silence;
  const std::filesystem::path temporary = path.string() + fmt::format(".{}.part", ::getpid());
  try {
    create(temporary, head);
    std::filesystem::rename(temporary, path);
  } catch (const std::runtime_error&) {
    abandon();
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

RecordingFile::~RecordingFile() { abandon(); }

void RecordingFile::create(const std::filesystem::path& path, const RecordingHead& head) {
  create_empty(path);
  reserve_.emplace(path);
  file_ = new_file(path);
  require_hdf5(file_.good(), "file");
  reserve_->ensure(head.scene.size() + 2 * room_of_hdf5);
  write_recording_head(file_, head);
  for (const Table table : all_tables) {
    if (!has_table(table, counts_of(head))) continue;
    kinds_.push_back(table);
    tables_.emplace_back(file_, table, head);
    margin_ += 2 * tables_.back().chunk_bound();
  }
  margin_ += room_of_hdf5;
  reserve_->ensure(margin_);
  require_hdf5(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0 && H5Fstart_swmr_write(file_) >= 0, "file");
  for (TableWriter& table : tables_) table.open(file_);
}

void RecordingFile::append(const FrameBatch& batch) {
  std::size_t size = margin_;
  for (const Table table : kinds_) size += ChunkPacker::bound(batch.bytes(table).size());
  reserve_->ensure(size);
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::span<const std::byte> rows = batch.bytes(kinds_[i]);
    // A full chunk of times goes into the file; all that belongs to it must be there before.
    if (kinds_[i] == Table::time && tables_[i].fills(rows.size())) {
      for (std::size_t k = 0; k < i; ++k) tables_[k].publish(packer_);
    }
    tables_[i].append(rows, packer_);
  }
  appended_ += static_cast<long long>(batch.time.size());
}

void RecordingFile::publish() {
  if (published_ == appended_) return;
  reserve_->ensure(margin_);
  publish_tables();
}

void RecordingFile::publish_tables() {
  for (TableWriter& table : tables_) table.publish(packer_);
  published_ = appended_;
}

void RecordingFile::write_complete(std::int64_t frames) {
  Hdf5Handle set(H5Dopen2(file_, "complete", H5P_DEFAULT), H5Dclose);
  require_hdf5(set.good() &&
                   H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &frames) >= 0 &&
                   H5Dflush(set) >= 0,
               "end");
}

void RecordingFile::close() {
  bool good = true;
  for (TableWriter& table : tables_) table.close();
  good = file_.close();
  if (reserve_) reserve_->release();
  require_hdf5(good, "end");
}

void RecordingFile::finish() {
  publish();
  write_complete(published_);
  close();
}

void RecordingFile::abandon() noexcept {
  if (!file_.good()) return;
  const SilentHdf5 silence;
  try {
    // The room for this was kept.
    if (published_ != appended_) publish_tables();
    close();
  } catch (const std::runtime_error&) {
    // What was published before can still be read.
  }
}

}  // namespace stiction
