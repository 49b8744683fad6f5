#pragma once

/// \file
/// Objects that work without Python's lock, and what other threads and processes may not do then.

#include <atomic>
#include <stdexcept>

namespace stiction::python {

/// How often this process was forked from one that had the module loaded.
[[nodiscard]] int fork_generation();
/// Begins to count.
void watch_forks();

/// While one thread steps, no other may: the guard of each object that works without the GIL. Nor
/// may a forked process, which has the memory of an object, but not its threads.
class Busy {
 public:
  class Hold {
   public:
    explicit Hold(std::atomic<bool>& flag) : flag_(flag) {}
    ~Hold() { flag_ = false; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    std::atomic<bool>& flag_;
  };
  /// Throws RuntimeError if another thread is at work.
  [[nodiscard]] Hold hold() {
    require_own_process();
    if (flag_.exchange(true)) refuse_second();
    return Hold(flag_);
  }
  /// For what reads while it has the GIL: nobody begins to work meanwhile.
  void require_idle() const {
    require_own_process();
    if (flag_) refuse_second();
  }
  [[nodiscard]] bool is_of_this_process() const { return generation_ == fork_generation(); }

 private:
  void require_own_process() const {
    if (is_of_this_process()) return;
    throw std::runtime_error(
        "this object was made before the process was forked, and its threads are not here; make it "
        "in the new process, or start processes by 'spawn'");
  }
  [[noreturn]] static void refuse_second() {
    throw std::runtime_error(
        "another thread is using this object; give each thread its own, or wait for it");
  }

  std::atomic<bool> flag_{false};
  int generation_ = fork_generation();
};

}  // namespace stiction::python
