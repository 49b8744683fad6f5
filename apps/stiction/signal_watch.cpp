#include "apps/stiction/signal_watch.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <unistd.h>

#include "stiction/core/stop_request.hpp"

namespace stiction {

namespace {

constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t caught_signal = 0;
int watches = 0;
std::array<struct sigaction, numbers.size()> before{};
/// File to remove by whoever ends the program; empty if there is none.
std::array<char, 4096> doomed_file{};

/// The first signal is remembered and told to the solvers. The second ends the program as if nobody
/// watched, whichever of them it is.
extern "C" void remember_signal(int number) {
  if (caught_signal == 0) {
    caught_signal = number;
    request_stop();
    return;
  }
  if (doomed_file[0] != '\0') ::unlink(doomed_file.data());
  std::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

SignalWatch::SignalWatch() {
  if (watches++ > 0) return;
  caught_signal = 0;
  withdraw_stop();
  struct sigaction action = {};
  action.sa_handler = remember_signal;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (--watches > 0) return;
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before[i], nullptr);
  withdraw_stop();
}

int SignalWatch::caught() { return caught_signal; }

void SignalWatch::remove_at_sudden_end(const char* file) {
  doomed_file[0] = '\0';  // first, because a signal may come at any time
  if (file == nullptr || std::strlen(file) >= doomed_file.size()) return;
  std::strcpy(doomed_file.data() + 1, file + 1);
  doomed_file[0] = file[0];
}

}  // namespace stiction
