#include "apps/stiction/signal_watch.hpp"

#include <array>
#include <csignal>
#include <cstddef>

namespace stiction {

namespace {

constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t caught_signal = 0;
int watches = 0;
std::array<struct sigaction, numbers.size()> before{};

extern "C" void remember_signal(int number) { caught_signal = number; }

}  // namespace

SignalWatch::SignalWatch() {
  if (watches++ > 0) return;
  caught_signal = 0;
  struct sigaction action = {};
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (--watches > 0) return;
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before[i], nullptr);
}

int SignalWatch::caught() { return caught_signal; }

}  // namespace stiction
