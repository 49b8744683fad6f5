#pragma once

/// \file
/// Counts what is allocated on the heap by the calling thread. Include it in exactly one file of a
/// program, and in others with STICTION_ALLOCATIONS_COUNTED_ELSEWHERE defined: it takes the place
/// of the C library's allocator, through which operator new, Eigen and the standard containers go.
/// Under a sanitizer, which has an allocator of its own, it counts by the sanitizer's hook.

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace stiction::test {

/// Allocations of this thread while a counter lives.
class AllocationCounter {
 public:
  AllocationCounter() {
    install();
    count_ = 0;
    counting_ = true;
  }
  ~AllocationCounter() { counting_ = false; }
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  [[nodiscard]] std::size_t count() const {
    // The compiler believes that malloc changes no variable, and would keep what it read before.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return const_cast<const volatile std::size_t&>(count_);
  }

  /// For the allocator alone.
  static void note() {
    if (counting_) ++count_;
  }

 private:
  static void install();
  static thread_local bool counting_;
  static thread_local std::size_t count_;
};

}  // namespace stiction::test

#ifndef STICTION_ALLOCATIONS_COUNTED_ELSEWHERE

thread_local bool stiction::test::AllocationCounter::counting_ = false;
thread_local std::size_t stiction::test::AllocationCounter::count_ = 0;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// As in sanitizer/allocator_interface.h, which GCC does not bring along.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));

void stiction::test::AllocationCounter::install() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t) { note(); }, [](const volatile void*) {});
  (void)installed;
}

#else

void stiction::test::AllocationCounter::install() {}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  stiction::test::AllocationCounter::note();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  stiction::test::AllocationCounter::note();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  stiction::test::AllocationCounter::note();
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  stiction::test::AllocationCounter::note();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  stiction::test::AllocationCounter::note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  stiction::test::AllocationCounter::note();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? 12 : 0;  // ENOMEM
}
}

#endif

#endif
