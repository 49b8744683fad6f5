#pragma once

/// \file
/// FCLIB files written dataset by dataset, so that tests can break each of them. Programs that
/// include it link FCLIB::fclib.

#include <filesystem>
#include <hdf5.h>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace stiction::test {

/// Datasets by their place in the file.
using RawFclib =
    std::map<std::string, std::variant<std::vector<int>, std::vector<double>, std::string>>;

/// Puts a matrix in a group, as triplets.
inline void put_triplets(RawFclib& file, const std::string& group, int rows, int columns,
                         std::vector<int> row, std::vector<int> column, std::vector<double> value) {
  const int count = static_cast<int>(value.size());
  file[group + "/m"] = std::vector<int>{rows};
  file[group + "/n"] = std::vector<int>{columns};
  file[group + "/nz"] = std::vector<int>{count};
  file[group + "/nzmax"] = std::vector<int>{count};
  file[group + "/p"] = std::move(row);
  file[group + "/i"] = std::move(column);
  file[group + "/x"] = std::move(value);
}

/// One contact of friction 0.5 with W = diag(2, 3, 4) in FCLIB's order (n, t1, t2), q = (-1, 0.1,
/// 0).
inline RawFclib one_contact_file() {
  RawFclib file;
  file["/fclib_local/spacedim"] = std::vector<int>{3};
  put_triplets(file, "/fclib_local/W", 3, 3, {0, 1, 2}, {0, 1, 2}, {2.0, 3.0, 4.0});
  file["/fclib_local/vectors/q"] = std::vector<double>{-1.0, 0.1, 0.0};
  file["/fclib_local/vectors/mu"] = std::vector<double>{0.5};
  return file;
}

/// The same problem as a body of masses (1/2, 1/3, 1/4) along the axes, in global form.
inline RawFclib one_contact_global_file() {
  RawFclib file;
  file["/fclib_global/spacedim"] = std::vector<int>{3};
  put_triplets(file, "/fclib_global/M", 3, 3, {0, 1, 2}, {0, 1, 2}, {0.5, 1.0 / 3.0, 0.25});
  put_triplets(file, "/fclib_global/H", 3, 3, {0, 1, 2}, {0, 1, 2}, {1.0, 1.0, 1.0});
  file["/fclib_global/vectors/f"] = std::vector<double>{-0.5, 0.1 / 3.0, 0.0};
  file["/fclib_global/vectors/w"] = std::vector<double>{0.0, 0.0, 0.0};
  file["/fclib_global/vectors/mu"] = std::vector<double>{0.5};
  return file;
}

inline void write_raw_fclib(const std::filesystem::path& path, const RawFclib& file) {
  const auto good = [](hid_t id) {
    if (id < 0) throw std::runtime_error("HDF5 cannot write a file of a test");
    return id;
  };
  const hid_t handle = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t links = good(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links, 1);
  const auto put = [&](const std::string& place, hid_t type, hid_t space, const void* data) {
    const hid_t set =
        good(H5Dcreate2(handle, place.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT));
    good(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(set);
    H5Sclose(space);
  };
  for (const auto& [place, content] : file) {
    if (const auto* text = std::get_if<std::string>(&content)) {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, text->size() + 1);
      put(place, type, H5Screate(H5S_SCALAR), text->c_str());
      H5Tclose(type);
    } else if (const auto* whole = std::get_if<std::vector<int>>(&content)) {
      const hsize_t size = whole->size();
      put(place, H5T_NATIVE_INT, H5Screate_simple(1, &size, nullptr), whole->data());
    } else {
      const auto& numbers = std::get<std::vector<double>>(content);
      const hsize_t size = numbers.size();
      put(place, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &size, nullptr), numbers.data());
    }
  }
  H5Pclose(links);
  H5Fclose(handle);
}

}  // namespace stiction::test
