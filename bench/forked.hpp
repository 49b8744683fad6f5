#pragma once

/// \file
/// Work in a child process: it may hang, crash or leak without harm, and is ended at a time limit.

#include <functional>
#include <string>

namespace stiction::bench {

struct ForkedResult {
  enum class End { done, capped, crashed } end = End::crashed;
  std::string bytes;  ///< what the work returned, if it is done
};

/// Runs `work` in a child process and hands back the bytes that it returns. After `seconds` of wall
/// time the child is killed. What the child prints goes nowhere.
ForkedResult run_forked(const std::function<std::string()>& work, double seconds);

/// CPU time of this process [s].
double process_cpu_seconds();

}  // namespace stiction::bench
