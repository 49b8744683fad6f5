#pragma once

/// \file
/// A wish that running work ends soon, such as after Ctrl-C. Programs set it, solvers poll it. As
/// long as nobody does, it changes nothing.

#include <atomic>

namespace stiction {

namespace detail {
inline std::atomic<bool> stop_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by signal handlers");
}  // namespace detail

/// May be called from a signal handler and from any thread. Solves that are not done return as at
/// their work limit, and step() then leaves its state alone and reports `refused`. The wish stays
/// until withdraw_stop().
inline void request_stop() { detail::stop_wanted.store(true, std::memory_order_relaxed); }
inline void withdraw_stop() { detail::stop_wanted.store(false, std::memory_order_relaxed); }
[[nodiscard]] inline bool stop_requested() {
  return detail::stop_wanted.load(std::memory_order_relaxed);
}

}  // namespace stiction
