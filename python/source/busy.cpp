#include "python/source/busy.hpp"

#include <pthread.h>

namespace stiction::python {

namespace {

int forks = 0;

}  // namespace

int fork_generation() { return forks; }

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { ++forks; });
}

}  // namespace stiction::python
