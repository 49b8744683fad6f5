#pragma once

/// \file
/// A live simulation on a thread of its own: requests go in, messages for clients come out.
///
/// The simulation belongs to its thread. Others reach it through one queue of requests behind a
/// mutex, and see it through texts that nobody changes any more once they were published.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/live/live_protocol.hpp"
#include "apps/live/live_simulation.hpp"

namespace stiction {

using LiveText = std::shared_ptr<const std::string>;

/// Messages for clients; null where there is nothing new.
struct LiveNews {
  LiveText scene;
  LiveText status;
  LiveText frame;                                 ///< binary
  std::vector<std::pair<int, LiveText>> replies;  ///< to one client: errors
};

/// Scenes that viewers may open in place of the one that runs.
struct LiveScenes {
  std::vector<std::string> names;
  /// Makes the simulation of one of them. Throws InputError if it cannot be read any more.
  std::function<LiveSimulation(int)> open;
};

class LiveSession {
 public:
  LiveSession(LiveSimulation simulation, bool playing, LiveScenes scenes = {});
  ~LiveSession();  ///< stop()
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  /// Called from the simulation's thread when there is news; must return at once. Empty: nobody.
  /// After the return no earlier listener is running any more.
  void set_listener(std::function<void()> listener);
  void start();
  /// Ends the thread after the step in progress.
  void stop();

  /// Asks for something in a client's name; false if too much of his waits already.
  bool submit(int client, LiveRequest request);
  /// The client is gone: what he pulls is released.
  void forget(int client);

  /// What is new since the last call.
  [[nodiscard]] LiveNews take_news();
  /// Scene, status and frame as they were published last, for a new client.
  [[nodiscard]] LiveNews latest() const;
  [[nodiscard]] LiveStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    int client = 0;
    std::optional<LiveRequest> request;  ///< none: the client is gone
  };

  /// Whether a request only moves the target of the one that waits last.
  static bool replaces(const LiveRequest& request, int client, const Waiting& last);
  void loop();
  bool take_requests();
  void handle(const Waiting& waiting);
  void act(int client, const LiveRequest& request);
  bool act_on_robot(const LiveRequest& request);
  void open(const OpenRequest& request);
  void set_playing(bool playing);
  [[nodiscard]] bool running() const { return playing_ || steps_left_ > 0; }
  void advance();
  void stop_by_itself(const std::string& why);
  void pace(double simulated);
  void wait();
  void publish();
  void publish_frame(Clock::time_point now);
  void publish_status(Clock::time_point now);
  void measure_speed(Clock::time_point now);
  void reply(int client, std::string text);
  void tell_listener();

  // Of the simulation's thread.
  LiveSimulation simulation_;
  LiveScenes scenes_;
  int scene_ = 0;  ///< of them
  bool playing_;
  int steps_left_ = 0;  ///< of step requests; as fast as possible
  bool scene_changed_ = true;
  bool status_changed_ = true;
  bool frame_changed_ = true;
  Clock::time_point due_;          ///< when the next frame may be simulated
  Clock::time_point frame_due_;    ///< when the next frame may be published
  Clock::time_point status_due_;   ///< when status is published without a reason
  Clock::time_point frame_begin_;  ///< of the frame that grows
  Clock::time_point measured_;     ///< since when the speed is measured
  double simulated_ = 0.0;         ///< since then [s]
  double real_time_factor_ = 0.0;

  // Shared, behind the mutex.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> requests_;
  bool stopping_ = false;
  LiveNews latest_;
  LiveNews news_;
  LiveStatus status_;
  std::atomic<bool> called_ = false;  ///< requests wait, or stop: look between two steps

  std::mutex listener_mutex_;
  std::function<void()> listener_;
  std::thread thread_;
};

}  // namespace stiction
