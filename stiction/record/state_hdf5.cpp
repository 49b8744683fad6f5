// States as HDF5. The file is made and read in memory, so that it reaches the disk as a whole, and
// HDF5 never waits on a lock or a pipe.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <hdf5.h>
#include <span>
#include <vector>

#include "stiction/record/state_encoding.hpp"

namespace stiction {

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view format_word = "stiction state";
constexpr char oldest_layout = 2;           ///< of HDF5, byte 8: the first with checksums
constexpr const char* in_memory = "state";  ///< HDF5 wants a name for what is no file

/// An HDF5 handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// HDF5 prints a stack for each failed call unless told not to.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// HDF5 reads a copy of these bytes.
hid_t image_access(std::string_view bytes) {
  constexpr std::size_t increment = 1 << 16;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, increment, 0);
  H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
  return access;
}

void require(bool good) {
  if (!good) throw StateFileFault("HDF5 cannot make this file", "save it as a `.state` file");
}

/// What is left of a file in memory when HDF5 closes it. (H5Fget_file_image() would do the same,
/// but spoils the checksum of layouts that have one.)
class ClosedImage {
 public:
  /// Properties of a new file that ends up here; layouts with checksums on all that HDF5 itself
  /// writes, for it may crash on damage without.
  [[nodiscard]] hid_t access() {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    // The memory grows as exactly as the file.
    constexpr std::size_t increment = 1;
    H5Pset_fapl_core(access, increment, 0);
    H5FD_file_image_callbacks_t callbacks{allocate, copy, reallocate, release, share, keep, this};
    H5Pset_file_image_callbacks(access, &callbacks);
    return access;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static void* allocate(std::size_t size, H5FD_file_image_op_t, void* self) {
    static_cast<ClosedImage*>(self)->size_ = size;
    return std::malloc(size);
  }
  static void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::memcpy(to, from, size);
  }
  static void* reallocate(void* memory, std::size_t size, H5FD_file_image_op_t, void* self) {
    static_cast<ClosedImage*>(self)->size_ = size;
    return std::realloc(memory, size);
  }
  static herr_t release(void* memory, H5FD_file_image_op_t, void* self) {
    auto* image = static_cast<ClosedImage*>(self);
    image->bytes_.assign(static_cast<const char*>(memory), image->size_);
    std::free(memory);
    return 0;
  }
  static void* share(void* self) { return self; }
  static herr_t keep(void*) { return 0; }

  std::string bytes_;
  std::size_t size_ = 0;
};

class Hdf5Writer {
 public:
  explicit Hdf5Writer(ClosedImage& image)
      : access_(image.access(), H5Pclose),
        file_(H5Fcreate(in_memory, H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose) {
    require(file_.good());
  }
  void attribute(const char* name, std::string_view text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, text.size() + 1);
    attribute(name, type, type, std::string(text).c_str());
  }
  void attribute(const char* name, std::uint64_t number) {
    attribute(name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &number);
  }
  void attribute(const char* name, double number) {
    attribute(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &number);
  }
  void dataset(const char* name, std::span<const double> numbers) {
    dataset(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers.size(), numbers.data());
  }
  void dataset(const char* name, std::span<const std::uint64_t> numbers) {
    dataset(name, H5T_STD_U64LE, H5T_NATIVE_UINT64, numbers.size(), numbers.data());
  }

 private:
  void attribute(const char* name, hid_t stored, hid_t native, const void* value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle entry(H5Acreate2(file_, name, stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(entry.good() && H5Awrite(entry, native, value) >= 0);
  }
  void dataset(const char* name, hid_t stored, hid_t native, hsize_t count, const void* values) {
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle set(H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    require(set.good() &&
            (count == 0 || H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0));
  }

  Silence silence_;
  Handle access_;
  Handle file_;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(std::string_view bytes)
      : access_(image_access(bytes), H5Pclose),
        file_(H5Fopen(in_memory, H5F_ACC_RDONLY, access_), H5Fclose),
        size_(bytes.size()) {
    if (!file_.good()) throw_damaged("HDF5 cannot open it: it is cut off or damaged");
  }

  [[nodiscard]] std::uint64_t integer(const char* name) const {
    std::uint64_t number = 0;
    attribute(name, H5T_INTEGER, H5T_NATIVE_UINT64, &number);
    return number;
  }
  [[nodiscard]] double real(const char* name) const {
    double number = 0.0;
    attribute(name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &number);
    return number;
  }
  [[nodiscard]] std::string text(const char* name) const {
    const Handle entry(open_attribute(name));
    const Handle type(H5Aget_type(entry), H5Tclose);
    const bool fixed = type.good() && H5Tget_class(type) == H5T_STRING &&
                       H5Tis_variable_str(type) == 0 && is_scalar(entry);
    const std::size_t size = fixed ? H5Tget_size(type) : 0;
    if (size == 0 || size > longest_model_name + 1) {
      throw_damaged(fmt::format("attribute '{}' is not a text", name));
    }
    std::string result(size, '\0');
    if (H5Aread(entry, type, result.data()) < 0) {
      throw_damaged(fmt::format("attribute '{}' cannot be read", name));
    }
    result.resize(std::min(result.find('\0'), size));
    return result;
  }

  /// As many numbers as the dataset has; their sizes are compared by the caller.
  template <typename Number>
  [[nodiscard]] std::vector<Number> dataset(const char* name, H5T_class_t kind,
                                            hid_t native) const {
    const bool there = H5Lexists(file_, name, H5P_DEFAULT) > 0;
    const Handle set(there ? H5Dopen2(file_, name, H5P_DEFAULT) : -1, H5Dclose);
    if (!set.good()) throw_damaged(fmt::format("dataset '{}' is missing", name));
    const Handle type(H5Dget_type(set), H5Tclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    const hssize_t count = space.good() ? H5Sget_simple_extent_npoints(space) : -1;
    // A dataset is stored plainly: it cannot have more numbers than the file has bytes for.
    const bool possible =
        type.good() && H5Tget_class(type) == kind && H5Tget_size(type) == sizeof(Number) &&
        count >= 0 && static_cast<std::uint64_t>(count) <= size_ / sizeof(Number) &&
        H5Dget_storage_size(set) == static_cast<std::uint64_t>(count) * sizeof(Number);
    std::vector<Number> numbers(possible ? static_cast<std::size_t>(count) : 0);
    if (!possible ||
        (count > 0 && H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)) {
      throw_damaged(fmt::format("dataset '{}' cannot be read as numbers", name));
    }
    return numbers;
  }

 private:
  static bool is_scalar(hid_t attribute) {
    const Handle space(H5Aget_space(attribute), H5Sclose);
    return space.good() && H5Sget_simple_extent_npoints(space) == 1;
  }
  [[nodiscard]] hid_t open_id(const char* name) const {
    if (H5Aexists(file_, name) <= 0) throw_damaged(fmt::format("attribute '{}' is missing", name));
    return H5Aopen(file_, name, H5P_DEFAULT);
  }
  [[nodiscard]] Handle open_attribute(const char* name) const { return {open_id(name), H5Aclose}; }
  void attribute(const char* name, H5T_class_t kind, hid_t native, void* value) const {
    const Handle entry(open_attribute(name));
    const Handle type(entry.good() ? H5Aget_type(entry) : -1, H5Tclose);
    const bool number = type.good() && H5Tget_class(type) == kind && H5Tget_size(type) == 8;
    if (!number || !is_scalar(entry) || H5Aread(entry, native, value) < 0) {
      throw_damaged(fmt::format("attribute '{}' is not a 64-bit number", name));
    }
  }

  Silence silence_;
  Handle access_;
  Handle file_;
  std::size_t size_;
};

Eigen::VectorXd to_vector(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

std::span<const double> to_span(const Eigen::VectorXd& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

void write_memory(Hdf5Writer& file, const std::vector<ImpulseMemory>& memory) {
  std::vector<std::uint64_t> keys;
  std::vector<double> impulses;
  for (const ImpulseMemory& entry : memory) {
    keys.push_back(entry.key);
    impulses.insert(impulses.end(), entry.impulse.begin(), entry.impulse.end());
  }
  file.dataset("memory_keys", keys);
  file.dataset("memory_impulses", impulses);
}

std::vector<ImpulseMemory> read_memory(const Hdf5Reader& file) {
  const auto keys = file.dataset<std::uint64_t>("memory_keys", H5T_INTEGER, H5T_NATIVE_UINT64);
  const auto impulses = file.dataset<double>("memory_impulses", H5T_FLOAT, H5T_NATIVE_DOUBLE);
  if (impulses.size() != 3 * keys.size()) {
    throw_damaged(fmt::format("{} impulses are stored for {} keys", impulses.size(), keys.size()));
  }
  std::vector<ImpulseMemory> memory(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    memory[i] = {keys[i], {impulses[3 * i], impulses[3 * i + 1], impulses[3 * i + 2]}};
  }
  return memory;
}

void write(Hdf5Writer&& file, const StoredState& stored, std::uint32_t version) {
  file.attribute("format", format_word);
  file.attribute("version", std::uint64_t{version});
  file.attribute("model", stored.identity.name);
  file.attribute("structure", stored.identity.structure);
  file.attribute("position_count", stored.identity.position_count);
  file.attribute("velocity_count", stored.identity.velocity_count);
  if (version > first_state_file_version) {
    file.attribute("activation_count", stored.identity.activation_count);
    file.dataset("activation", to_span(stored.state.activation));
  }
  file.attribute("time", stored.state.time);
  file.attribute("hash", hash(stored.state));
  file.dataset("q", to_span(stored.state.q));
  file.dataset("v", to_span(stored.state.v));
  write_memory(file, stored.state.memory);
}

}  // namespace

bool looks_like_hdf5(std::string_view bytes) { return bytes.starts_with(signature); }

std::string encode_hdf5(const StoredState& stored, std::uint32_t version) {
  ClosedImage image;
  write(Hdf5Writer(image), stored, version);
  require(looks_like_hdf5(image.bytes()));
  return image.bytes();
}

StoredState decode_hdf5(std::string_view bytes) {
  const auto check_format = [](bool good) {
    if (!good)
      throw StateFileFault("this HDF5 file contains no state",
                           "give a file written by save_state() or --save-state");
  };
  check_format(bytes.size() > signature.size() && bytes[signature.size()] >= oldest_layout);
  const Hdf5Reader file(bytes);
  check_format(file.text("format") == format_word);
  const std::uint64_t version = file.integer("version");
  check_version(version);
  StoredState stored;
  stored.identity = {file.text("model"), file.integer("position_count"),
                     file.integer("velocity_count"), file.integer("structure")};
  stored.state.time = file.real("time");
  stored.state.q = to_vector(file.dataset<double>("q", H5T_FLOAT, H5T_NATIVE_DOUBLE));
  stored.state.v = to_vector(file.dataset<double>("v", H5T_FLOAT, H5T_NATIVE_DOUBLE));
  if (version > first_state_file_version) {
    stored.identity.activation_count = file.integer("activation_count");
    stored.state.activation =
        to_vector(file.dataset<double>("activation", H5T_FLOAT, H5T_NATIVE_DOUBLE));
  }
  stored.state.memory = read_memory(file);
  if (hash(stored.state) != file.integer("hash")) {
    throw_damaged("the hash does not match: the file was modified");
  }
  return stored;
}

}  // namespace stiction
