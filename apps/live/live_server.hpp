#pragma once

/// \file
/// Shows a LiveSession in browsers on this machine: the page over HTTP, the simulation over a
/// WebSocket. Bound to 127.0.0.1; docs/view.md says what it refuses.

#include <cstdint>
#include <memory>
#include <string>

#include "apps/live/live_session.hpp"

namespace stiction {

struct LiveServerOptions {
  std::uint16_t port = 8420;     ///< 0: any that is free
  int ports_to_try = 1;          ///< the next ones if it is taken
  int clients = 32;              ///< that watch at a time
  int connections = 128;         ///< at a time, requests for the page included
  double request_timeout = 5.0;  ///< for a request to arrive and its answer to leave [s]
  double stall_timeout = 10.0;   ///< a client that takes no message for so long is dropped [s]
  double idle_timeout = 60.0;    ///< and one that answers no ping for so long [s]
};

class LiveServer {
 public:
  /// Serves at once, by a thread of its own. `page` is the built viewer. Throws InputError if no
  /// port can be had.
  LiveServer(LiveSession& session, std::string page, const LiveServerOptions& options = {});
  ~LiveServer();  ///< stop()
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;
  [[nodiscard]] int clients() const;  ///< that watch now
  /// Says goodbye to all clients. The session goes on.
  void stop();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace stiction
