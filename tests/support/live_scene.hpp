#pragma once

#include "apps/live/live_server.hpp"
#include "stiction/sim/scene.hpp"

namespace stiction::test {

/// A box that falls on a floor and slides, and a ball beside it: free motion, impact, slip, stick.
inline Model sliding_box(double time_step = 0.002) {
  SceneBuilder scene("sliding_box");
  scene.set_time_step(time_step);
  scene.use_material(0.5);
  scene.add_plane("floor", at(0, 0, 0));
  scene.add_box("box", {0.1, 0.1, 0.1}, 2.0, at(0, 0, 0.15));
  scene.add_sphere("ball", 0.1, 1.0, at(1, 0, 0.3));
  return scene.build();
}

inline State moving_start(const Model& model) {
  State state = model.initial_state();
  set_velocity(model, state, "box", {1.5, 0.2, 0.0}, {0.0, 0.0, 1.0});
  return state;
}

inline LiveSimulation live_box(HistoryLimits limits = {}, double time_step = 0.002) {
  Model model = sliding_box(time_step);
  State start = moving_start(model);
  return {std::move(model), std::move(start), {}, {}, limits};
}

/// Session and server of a scene on any free port.
struct LiveStage {
  explicit LiveStage(bool playing = false, LiveServerOptions options = {},
                     LiveSimulation simulation = live_box())
      : session(std::move(simulation), playing),
        server(session, "<html>the page</html>", any_port(options)) {
    session.start();
  }
  static LiveServerOptions any_port(LiveServerOptions options) {
    options.port = 0;
    return options;
  }
  [[nodiscard]] std::uint16_t port() const { return server.port(); }

  LiveSession session;
  LiveServer server;
};

}  // namespace stiction::test
