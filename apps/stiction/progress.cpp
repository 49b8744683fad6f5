#include "apps/stiction/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "apps/stiction/output.hpp"

namespace stiction {

namespace {

constexpr double interval = 0.1;  // [s] between two drawings

std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

Progress::Progress(bool wanted, long long total)
    : total_(total), shown_(wanted && isatty(STDERR_FILENO) == 1), start_(Clock::now()) {}

Progress::~Progress() {
  if (drawn_) write_error("\r\033[K");
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Progress::is_due() { return shown_ && elapsed() - last_ >= interval; }

void Progress::draw(long long done, const std::string& text) {
  if (!shown_) return;
  last_ = elapsed();
  drawn_ = true;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  write_error(fmt::format("\r\033[K{:3.0f} %  {}, {} left", 100.0 * share, text,
                          duration_text(last_ * (1.0 - share) / std::max(share, 1e-9))));
}

}  // namespace stiction
