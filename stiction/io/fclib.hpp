#pragma once

/// \file
/// Contact problems in FCLIB files (HDF5), the format in which the contact community exchanges
/// them: read in local and in global form, written in local form.
///
/// FCLIB puts the normal first in each contact (n, t1, t2); everything here is in our order
/// (t1, t2, n). Files have no units: velocities and impulses are used as they are.

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// What a file says about itself; each text may be empty.
struct FclibInfo {
  std::string title;
  std::string description;
  std::string math_info;  ///< such as what is known about existence and uniqueness
};

/// Velocities and impulses of the contacts in a file, as a solution or as a guess.
struct FclibSolution {
  Eigen::VectorXd velocity;
  Eigen::VectorXd impulse;
};

enum class FclibForm {
  local,   ///< the Delassus matrix W and the free velocity q
  global,  ///< mass matrix M, forces f and directions H; condensed to W = Hᵀ M⁻¹ H when read
};

std::string_view to_string(FclibForm form);

struct FclibOptions {
  /// Largest |W − Wᵀ| relative to the largest |W| that counts as rounding and is averaged away
  /// (that of M in global form). A file above it is refused. Published files go up to 1.3e-3.
  double max_asymmetry = 1e-2;
  /// Rows of contacts and bilateral constraints together. The matrix is kept dense: 9,000 rows are
  /// 650 MB.
  int max_rows = 9000;
  /// Rows of the mass matrix in global form, which stays sparse.
  int max_global_rows = 200000;
};

/// All contents of one file.
struct FclibFile {
  /// Dense and prepared. Contacts first, in the file's order; then bilateral constraints as locks
  /// of at most 6 rows.
  ContactProblem problem;
  FclibForm form = FclibForm::local;
  FclibInfo info;
  double asymmetry = 0.0;  ///< as in FclibOptions::max_asymmetry
  std::optional<FclibSolution> solution;
  std::vector<FclibSolution> guesses;
};

/// Throws InputError if it is not an FCLIB file, or has no problem with spatial contacts.
FclibFile load_fclib_file(const std::filesystem::path& path, const FclibOptions& options = {});

/// Reads only the problem.
ContactProblem load_fclib(const std::filesystem::path& path, const FclibOptions& options = {});

/// Writes the local form. Targets are added to the free velocity, so that the impulses stay the
/// same. An existing file is replaced only by a complete one. Throws InputError if there are
/// blocks other than contacts, which the local form cannot store, or if writing fails.
void save_fclib(const std::filesystem::path& path, const ContactProblem& problem,
                const FclibInfo& info = {});

}  // namespace stiction
