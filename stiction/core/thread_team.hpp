#pragma once

/// \file
/// Threads that wait for work: tasks 0 to n − 1, each done once by any of them.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace stiction {

/// Starts no thread before it is asked for more than one. What a task does must not depend on the
/// thread that does it.
class ThreadTeam {
 public:
  using Task = void (*)(void* context, int task, int thread);

  ThreadTeam() = default;
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Runs all tasks on `threads` threads, the caller's own among them; returns when all are done.
  void run(int threads, int tasks, Task task, void* context);
  /// The same for `function(task, thread)`.
  template <class Function>
  void run(int threads, int tasks, Function& function) {
    run(
        threads, tasks,
        [](void* context, int task, int thread) {
          (*static_cast<Function*>(context))(task, thread);
        },
        &function);
  }

 private:
  void work(int thread);
  void stop();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  unsigned long long calls_ = 0;  ///< of run()
  int busy_ = 0;
  bool ending_ = false;
  Task task_ = nullptr;
  void* context_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> next_{0};
};

}  // namespace stiction
