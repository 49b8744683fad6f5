#pragma once

/// \file
/// Writes HDF5 files with motions, right and wrong.

#include <filesystem>
#include <functional>
#include <hdf5.h>
#include <numeric>
#include <string>
#include <vector>

namespace stiction::test {

/// A file while it is written.
class MotionWriter {
 public:
  explicit MotionWriter(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~MotionWriter() { H5Fclose(file_); }
  MotionWriter(const MotionWriter&) = delete;
  MotionWriter& operator=(const MotionWriter&) = delete;

  void time_step(double value) const {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(file_, "time_step", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    H5Sclose(space);
  }

  /// Entry i, counted row by row, is `entry(i)`.
  void dataset(const char* name, const std::vector<hsize_t>& shape,
               const std::function<double(std::size_t)>& entry) const {
    std::vector<double> numbers(
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = entry(i);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set =
        H5Dcreate2(file_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(set);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

}  // namespace stiction::test
