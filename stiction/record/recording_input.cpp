#include "stiction/record/recording_input.hpp"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
/// Of HDF5, byte 8. Files that grow while they are read have it, and it has checksums on all that
/// HDF5 itself writes, without which HDF5 may crash on damage.
constexpr char layout = 3;
constexpr std::size_t longest_attribute = 1 << 16;
/// No zlib stream says more bytes for one of its own.
constexpr std::uint64_t most_inflated = 1100;
constexpr std::uint64_t largest_chunk = 1 << 28;  // [bytes]
/// How often HDF5 looks again if a checksum does not fit: the writer may be at it. It waits twice
/// as long each time, in all for a thousandth of a second.
constexpr unsigned read_attempts = 20;

constexpr const char* damaged_remedy =
    "the file is damaged; record again, or download the file again";

Hdf5Handle open_file(const std::filesystem::path& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_metadata_read_attempts(access, read_attempts);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), H5Fclose};
}

/// The extent of a table whose rows are all written.
Hdf5Handle current_space(hid_t table) {
  const std::lock_guard growth(growth_of_tables);
  return {H5Dget_space(table), H5Sclose};
}

bool is_scalar(hid_t space) { return space >= 0 && H5Sget_simple_extent_npoints(space) == 1; }

bool is_fixed_text(hid_t type) {
  return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
}

/// Up to the first zero.
std::string trimmed(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

/// Exactly shuffle, then deflate: what else could run on reading?
bool is_packed_as_ours(hid_t properties) {
  if (H5Pget_nfilters(properties) != 2) return false;
  const auto filter = [&](unsigned index) {
    unsigned flags = 0;
    std::size_t count = 0;
    return H5Pget_filter2(properties, index, &flags, &count, nullptr, 0, nullptr, nullptr);
  };
  return filter(0) == H5Z_FILTER_SHUFFLE && filter(1) == H5Z_FILTER_DEFLATE;
}

}  // namespace

void RecordingInput::fail(const std::string& place, std::string what, std::string remedy) const {
  ProblemList problems;
  problems.error({name_, 0, place}, std::move(what), remedy.empty() ? damaged_remedy : remedy);
  throw InputError(std::move(problems));
}

RecordingInput::RecordingInput(const std::filesystem::path& path) : name_(path.string()) {
  const char* remedy = "give a file written by `stiction simulate --out`";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("", "there is no such file", "check the path");
  if (!std::filesystem::is_regular_file(status)) fail("", "this is not a regular file", remedy);
  if (::access(path.c_str(), R_OK) != 0) {
    fail("", "no permission to read this file", "check its permissions");
  }
  std::array<char, signature.size() + 1> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  if (!std::string_view(head.data(), head.size()).starts_with(signature)) {
    fail("", "this is not an HDF5 file", remedy);
  }
  if (head.back() != layout) fail("", "this HDF5 file contains no recording", remedy);
  size_ = std::filesystem::file_size(path, error);
  file_ = open_file(path);
  if (error || !file_.good()) fail("", "this HDF5 file is cut off or damaged");
}

// ---- the head ----------------------------------------------------------------------------------

bool RecordingInput::has(const char* attribute) const { return H5Aexists(file_, attribute) > 0; }

std::vector<std::string> RecordingInput::attributes() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Aiterate2(file_, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0) {
    fail("", "the attributes of this file cannot be listed");
  }
  return names;
}

std::string RecordingInput::text(const char* attribute) const {
  const Hdf5Handle entry(has(attribute) ? H5Aopen(file_, attribute, H5P_DEFAULT) : -1, H5Aclose);
  if (!entry.good()) fail(attribute, "this attribute is missing");
  const Hdf5Handle type(H5Aget_type(entry), H5Tclose);
  const Hdf5Handle space(H5Aget_space(entry), H5Sclose);
  const std::size_t size = is_fixed_text(type) ? H5Tget_size(type) : 0;
  std::string text(size <= longest_attribute ? size : 0, '\0');
  if (text.empty() || !is_scalar(space) || H5Aread(entry, type, text.data()) < 0) {
    fail(attribute, "this attribute is not a text");
  }
  return trimmed(std::move(text));
}

void RecordingInput::attribute(const char* name, H5T_class_t kind, hid_t native,
                               void* value) const {
  const Hdf5Handle entry(has(name) ? H5Aopen(file_, name, H5P_DEFAULT) : -1, H5Aclose);
  if (!entry.good()) fail(name, "this attribute is missing");
  const Hdf5Handle type(H5Aget_type(entry), H5Tclose);
  const Hdf5Handle space(H5Aget_space(entry), H5Sclose);
  const bool fits = type.good() && H5Tget_class(type) == kind && H5Tget_size(type) == 8;
  if (!fits || !is_scalar(space) || H5Aread(entry, native, value) < 0) {
    fail(name, "this attribute is not a 64-bit number");
  }
}

std::uint64_t RecordingInput::integer(const char* name) const {
  std::uint64_t number = 0;
  attribute(name, H5T_INTEGER, H5T_NATIVE_UINT64, &number);
  return number;
}

double RecordingInput::real(const char* name) const {
  double number = 0.0;
  attribute(name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &number);
  return number;
}

std::string RecordingInput::long_text(const char* dataset) const {
  const bool there = H5Lexists(file_, dataset, H5P_DEFAULT) > 0;
  const Hdf5Handle set(there ? H5Dopen2(file_, dataset, H5P_DEFAULT) : -1, H5Dclose);
  if (!set.good()) fail(dataset, "this dataset is missing");
  const Hdf5Handle type(H5Dget_type(set), H5Tclose);
  const Hdf5Handle space(H5Dget_space(set), H5Sclose);
  const std::size_t size = is_fixed_text(type) ? H5Tget_size(type) : 0;
  // It is stored plainly: it cannot be longer than the file.
  std::string text(size <= size_ && H5Dget_storage_size(set) == size ? size : 0, '\0');
  if (text.empty() || !is_scalar(space) ||
      H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    fail(dataset, "this dataset is not a text");
  }
  return trimmed(std::move(text));
}

std::int64_t RecordingInput::number(const char* dataset) const {
  const bool there = H5Lexists(file_, dataset, H5P_DEFAULT) > 0;
  const Hdf5Handle set(there ? H5Dopen2(file_, dataset, H5P_DEFAULT) : -1, H5Dclose);
  if (!set.good()) fail(dataset, "this dataset is missing");
  const Hdf5Handle type(H5Dget_type(set), H5Tclose);
  const Hdf5Handle space(H5Dget_space(set), H5Sclose);
  std::int64_t value = 0;
  if (!type.good() || H5Tequal(type, H5T_STD_I64LE) <= 0 || !is_scalar(space) ||
      H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
    fail(dataset, "this dataset is not a number");
  }
  return value;
}

// ---- the tables --------------------------------------------------------------------------------

bool RecordingInput::has_table(Table table) const {
  return H5Lexists(file_, name_of(table), H5P_DEFAULT) > 0;
}

void RecordingInput::open_tables(const RowCounts& counts) {
  // Times first: of all that they promise, the other tables may have more by now, never less.
  for (std::size_t i = all_tables.size(); i-- > 0;) {
    const Table table = all_tables[i];
    if (!stiction::has_table(table, counts)) continue;
    Entry& entry = tables_[static_cast<std::size_t>(table)];
    entry.type = row_type(table, counts);
    open_table(table, entry);
    check_storage(table, entry);
  }
}

void RecordingInput::open_table(Table table, Entry& entry) const {
  const char* name = name_of(table);
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  constexpr std::size_t slots = 521;
  constexpr std::size_t cache = 1 << 23;
  H5Pset_chunk_cache(access, slots, cache, 1.0);
  entry.set = {has_table(table) ? H5Dopen2(file_, name, access) : -1, H5Dclose};
  if (!entry.set.good()) fail(name, "this table is missing");
  const Hdf5Handle type(H5Dget_type(entry.set), H5Tclose);
  if (!type.good() || H5Tequal(type, entry.type) <= 0) {
    fail(name, "this table has the wrong columns");
  }
}

void RecordingInput::check_storage(Table table, Entry& entry) const {
  const char* name = name_of(table);
  const Hdf5Handle properties(H5Dget_create_plist(entry.set), H5Pclose);
  const Hdf5Handle space = current_space(entry.set);
  hsize_t rows = 0;
  hsize_t chunk = 0;
  const bool plain = properties.good() && space.good() && H5Sget_simple_extent_ndims(space) == 1 &&
                     H5Sget_simple_extent_dims(space, &rows, nullptr) == 1 &&
                     H5Pget_layout(properties) == H5D_CHUNKED &&
                     H5Pget_chunk(properties, 1, &chunk) == 1 && is_packed_as_ours(properties);
  const std::uint64_t row_size = H5Tget_size(entry.type);
  if (!plain || chunk == 0 || chunk > largest_chunk / row_size) {
    fail(name, "this table is stored in the wrong format");
  }
  if (rows > size_ * most_inflated / row_size) {
    fail(name, fmt::format("{} rows do not fit in a file of {} bytes", rows, size_));
  }
  entry.rows = rows;
  entry.chunk_rows = chunk;
}

void RecordingInput::read(Table table, std::uint64_t first, std::uint64_t count, void* into) const {
  const Entry& source = entry(table);
  if (first > source.rows || count > source.rows - first) {
    fail(name_of(table), fmt::format("rows {} to {} are missing", first, first + count));
  }
  if (count == 0) return;
  const hsize_t start = first;
  const hsize_t size = count;
  const Hdf5Handle from(H5Dget_space(source.set), H5Sclose);
  const Hdf5Handle to(H5Screate_simple(1, &size, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(from, H5S_SELECT_SET, &start, nullptr, &size, nullptr) < 0 ||
      H5Dread(source.set, source.type, to, from, H5P_DEFAULT, into) < 0) {
    fail(name_of(table), fmt::format("rows {} to {} cannot be read", first, first + count));
  }
}

}  // namespace stiction
