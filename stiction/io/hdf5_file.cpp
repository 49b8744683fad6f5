#include "stiction/io/hdf5_file.hpp"

#include <array>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace stiction {

namespace {

/// A text longer than this is none.
constexpr std::size_t max_text = 1 << 20;

/// An HDF5 handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A damaged type may claim gigabytes for one number, which HDF5 would convert.
bool is_number(hid_t type) {
  constexpr std::size_t largest = 16;
  if (type < 0) return false;
  const H5T_class_t kind = H5Tget_class(type);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Tget_size(type) <= largest;
}

[[noreturn]] void refuse(const std::string& file, const std::string& element, std::string what,
                         std::string remedy) {
  ProblemList problems;
  problems.error({file, 0, element}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

/// HDF5 would say the same of all of these, and wait for ever on a pipe.
void check_regular_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    refuse(path.string(), "", "there is no such file", "check the path");
  }
  if (std::filesystem::is_directory(status)) {
    refuse(path.string(), "", "this is a folder, not a file", "name the files in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    refuse(path.string(), "", "this is not a regular file", "copy the problem into a file");
  }
  if (::access(path.c_str(), R_OK) != 0) {
    refuse(path.string(), "", "no permission to read this file", "check its permissions");
  }
}

}  // namespace

SilentHdf5::SilentHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilentHdf5::~SilentHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Hdf5File::Hdf5File(const std::filesystem::path& path, std::string kind)
    : name_(path.string()), kind_(std::move(kind)) {
  check_regular_file(path);
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    fail("", "this is not an HDF5 file", kind_ + " are HDF5; check that it is one");
  }
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) {
    fail("", "this HDF5 file is cut off, damaged, or being written by another program",
         "download or write it again");
  }
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::fail(const std::string& place, std::string what, std::string remedy) const {
  refuse(name_, place, std::move(what), std::move(remedy));
}

bool Hdf5File::has(const std::string& place) const {
  // H5Lexists fails, instead of saying no, if a group on the way is missing.
  for (std::size_t end = place.find('/', 1);; end = place.find('/', end + 1)) {
    const std::string part = place.substr(0, end);
    const htri_t exists = H5Lexists(file_, part.c_str(), H5P_DEFAULT);
    if (exists < 0)
      fail(part, "this entry cannot be looked up", "the file is damaged; write it again");
    if (exists == 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> Hdf5File::links(const std::string& place) const {
  const Handle group(has(place) ? H5Gopen2(file_, place.c_str(), H5P_DEFAULT) : -1, H5Gclose);
  if (!group.good()) fail(place, "this group is missing", kind_ + " need it; write it again");
  std::vector<std::string> names;
  // In a damaged group a link may be listed that cannot be found by its name.
  const H5L_iterate_t take = [](hid_t id, const char* name, const H5L_info_t*, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return H5Lexists(id, name, H5P_DEFAULT) > 0 ? herr_t{0} : herr_t{-1};
  };
  if (H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names) < 0) {
    fail(place, "this group cannot be listed", "the file is damaged; write it again");
  }
  return names;
}

template <typename Number>
std::vector<Number> Hdf5File::read(const std::string& place, hid_t type, std::int64_t count) const {
  const Handle set(has(place) ? H5Dopen2(file_, place.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (!set.good()) fail(place, "this dataset is missing", kind_ + " need it; write it again");
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const hssize_t stored = space.good() ? H5Sget_simple_extent_npoints(space.id()) : -1;
  if (stored != count) {
    fail(place, fmt::format("{} numbers are stored, but {} are expected", stored, count),
         "the sizes in the file contradict each other; write it again");
  }
  const Handle stored_type(H5Dget_type(set.id()), H5Tclose);
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  if (!is_number(stored_type.id()) ||
      H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
    fail(place, "this dataset cannot be read as numbers", "the file is damaged; write it again");
  }
  return numbers;
}

std::vector<std::int64_t> Hdf5File::shape(const std::string& place) const {
  constexpr int most_dimensions = 8;
  const Handle set(has(place) ? H5Dopen2(file_, place.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (!set.good()) fail(place, "this dataset is missing", kind_ + " need it; write it again");
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const int dimensions = space.good() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  std::array<hsize_t, most_dimensions> lengths{};
  if (dimensions < 0 || dimensions > most_dimensions ||
      H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr) != dimensions) {
    fail(place, "the shape of this dataset cannot be read", "the file is damaged; write it again");
  }
  std::vector<std::int64_t> result;
  for (int i = 0; i < dimensions; ++i) {
    result.push_back(static_cast<std::int64_t>(lengths[static_cast<std::size_t>(i)]));
  }
  return result;
}

double Hdf5File::read_attribute(const std::string& name) const {
  const bool there = H5Aexists(file_, name.c_str()) > 0;
  const Handle attribute(there ? H5Aopen(file_, name.c_str(), H5P_DEFAULT) : -1, H5Aclose);
  if (!attribute.good()) {
    fail("", fmt::format("the attribute '{}' is missing", name),
         kind_ + " need it; write it again");
  }
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  double number = 0.0;
  if (!is_number(type.id()) || !space.good() || H5Sget_simple_extent_npoints(space.id()) != 1 ||
      H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &number) < 0) {
    fail("", fmt::format("the attribute '{}' is not a number", name), "write the file again");
  }
  return number;
}

int Hdf5File::read_int(const std::string& place) const { return read_ints(place, 1).front(); }

std::vector<int> Hdf5File::read_ints(const std::string& place, std::int64_t count) const {
  return read<int>(place, H5T_NATIVE_INT, count);
}

std::vector<double> Hdf5File::read_doubles(const std::string& place, std::int64_t count) const {
  return read<double>(place, H5T_NATIVE_DOUBLE, count);
}

std::string Hdf5File::read_text(const std::string& place) const {
  const Handle set(H5Dopen2(file_, place.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(set.good() ? H5Dget_type(set.id()) : -1, H5Tclose);
  const Handle space(set.good() ? H5Dget_space(set.id()) : -1, H5Sclose);
  const bool is_text = type.good() && space.good() && H5Tget_class(type.id()) == H5T_STRING &&
                       H5Tis_variable_str(type.id()) == 0 &&
                       H5Sget_simple_extent_ndims(space.id()) <= 1 &&
                       H5Sget_simple_extent_npoints(space.id()) == 1;
  if (!is_text) fail(place, "this is not a single text of fixed length", "write the file again");
  const std::size_t size = H5Tget_size(type.id());
  if (size == 0 || size > max_text) fail(place, "this text is too long", "shorten it");
  std::string text(size, '\0');
  if (H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    fail(place, "this text cannot be read", "the file is damaged; write it again");
  }
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

}  // namespace stiction
