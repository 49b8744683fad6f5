#pragma once

/// \file
/// Looks through an FCLIB file before fclib reads it: fclib trusts the sizes that a file states,
/// and ends the whole program where something is missing. Private to stiction/io.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "stiction/io/fclib.hpp"
#include "stiction/io/hdf5_file.hpp"

namespace stiction {

/// What fclib can read without danger: all datasets are there, of the stated sizes, all indices in
/// range, all numbers finite, µ ≥ 0.
struct CheckedFclib {
  FclibForm form = FclibForm::local;
  int contacts = 0;
  int bilateral_rows = 0;
  FclibInfo info;
  std::optional<FclibSolution> solution;  ///< in the file's order: normal first
  std::vector<FclibSolution> guesses;
};

/// Throws InputError.
CheckedFclib check_fclib(const std::filesystem::path& path, const FclibOptions& options);

}  // namespace stiction
