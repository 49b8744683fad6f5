#pragma once

/// \file
/// Ctrl-C, `kill` and a closed terminal, remembered instead of deadly.

namespace stiction {

inline constexpr int signal_exit = 128;  ///< and the number of the signal, as shells have it

/// While one lives, the first SIGINT, SIGTERM or SIGHUP is remembered, and running solves are asked
/// to end (core/stop_request). A second one, whichever it is, ends the program at once, for whoever
/// has lost patience. Signals that were ignored before (nohup) still are. May be nested, on one
/// thread: the outermost decides.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The number of the signal that came since the outermost watch began; 0 if none did.
  [[nodiscard]] static int caught();
  /// A second signal removes this file before it ends the program; null for none.
  static void remove_at_sudden_end(const char* file);
};

/// Thrown by work that can only be given up.
struct Interrupted {
  int signal = 0;
};

}  // namespace stiction
