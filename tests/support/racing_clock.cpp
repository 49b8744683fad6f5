// A clock that races: loaded before the C library, each look at it finds that ten seconds have
// passed. To the program it looks as if the machine were slower by many orders of magnitude.

#include <atomic>
#include <ctime>

extern "C" int clock_gettime(clockid_t, timespec* time) noexcept {
  static std::atomic<long> seconds{1'000'000};
  time->tv_sec = seconds += 10;
  time->tv_nsec = 0;
  return 0;
}
