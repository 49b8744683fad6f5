#pragma once

/// \file
/// Work of others in a process of its own, with limits of time and memory. Private to stiction/io.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stiction {

struct ChildLimits {
  double seconds = 10.0;     ///< by the clock on the wall
  std::uint64_t memory = 0;  ///< beyond what this process has now [bytes]; 0: no limit
  std::uint64_t output = 0;  ///< most that it may write [bytes]
};

/// What a child process wrote, and how it ended.
struct ChildResult {
  std::string output;
  std::string errors;  ///< what a program wrote to stderr
  int exit_code = -1;  ///< -1 if a signal ended it
  /// Why there is no useful output, such as `took more than 10 s`; empty if it ended by itself.
  std::string fault;
};

/// Runs `work` in a copy of this process. What it returns comes back as `output`. It must not
/// throw, and must not use threads or locks of this process. Of several threads, only the caller's
/// lives on in the child. glibc keeps its allocator usable there; if any other lock is taken for
/// ever, the time limit ends the child.
ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits);

/// Runs a program that is found by PATH, without a shell. Its exit code is 127 if there is none.
ChildResult run_program(const std::vector<std::string>& words, const ChildLimits& limits);

}  // namespace stiction
