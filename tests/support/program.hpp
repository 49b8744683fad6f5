#pragma once

/// \file
/// Runs the built `stiction` program as a user would.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace stiction::test {

struct ProgramResult {
  int exit_code = -1;  ///< -1 if a signal ended it
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
};

std::string shell_quoted(const std::string& text);

/// A sanitizer that finds something ends the program with this code, which nothing else returns.
inline constexpr int sanitizer_exit_code = 99;

/// Another program of the build, by its path; see run_stiction().
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& environment = {}, const std::string& redirect = {});

/// `environment` is put before the command, such as `NO_COLOR=1`; `redirect` after it.
ProgramResult run_stiction(const std::vector<std::string>& arguments,
                           const std::string& environment = {}, const std::string& redirect = {});

}  // namespace stiction::test
