#include "experiments/progress.hpp"

#include <cstdio>
#include <fmt/format.h>

#include "bench/harness.hpp"

namespace stiction::experiments {

Progress::Progress(double total) : total_(total), shown_(bench::progress_wanted()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const std::string& what) {
  if (!shown_) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string rest;
  if (done_ > 0.0) {
    rest = fmt::format(", {:.0f} s left", seconds * std::max(0.0, total_ - done_) / done_);
  }
  fmt::print(stderr, "\r\033[K[{:3.0f} %{}] {}", 100.0 * std::min(1.0, done_ / total_), rest, what);
  std::fflush(stderr);
}

void Progress::add(double amount) { done_ += amount; }

}  // namespace stiction::experiments
