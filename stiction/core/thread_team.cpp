#include "stiction/core/thread_team.hpp"

namespace stiction {

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  ending_ = false;
}

void ThreadTeam::run(int threads, int tasks, Task task, void* context) {
  if (threads <= 1 || tasks <= 1) {
    for (int i = 0; i < tasks; ++i) task(context, i, 0);
    return;
  }
  if (static_cast<int>(threads_.size()) != threads - 1) {
    stop();
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = task;
    context_ = context;
    tasks_ = tasks;
    next_ = 0;
    busy_ = static_cast<int>(threads_.size());
    ++calls_;
  }
  start_.notify_all();
  for (int i = next_++; i < tasks; i = next_++) task(context, i, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadTeam::work(int thread) {
  unsigned long long seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    start_.wait(lock, [&] { return ending_ || (calls_ != seen && busy_ > 0); });
    if (ending_) return;
    seen = calls_;
    lock.unlock();
    for (int i = next_++; i < tasks_; i = next_++) task_(context_, i, thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace stiction
