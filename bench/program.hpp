#pragma once

/// \file
/// What the main functions of all benchmarks share.

#include <CLI/CLI.hpp>
#include <functional>

namespace stiction::bench {

/// Parses the arguments, calls `run` and returns its exit code. Help goes to stdout with code 0;
/// wrong arguments (also std::invalid_argument from `run`) get one line on stderr and code 2, other
/// exceptions code 1. The app's name is put before each message.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace stiction::bench
