// The live server as pages of its own use it.
#include <cstring>
#include <gtest/gtest.h>

#include "stiction/core/problem.hpp"
#include "support/live_scene.hpp"
#include "support/web_client.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::exchange;
using test::host_of;
using test::http_request;
using test::LiveStage;
using test::WebClient;

/// Steps a paused simulation, and returns its status afterwards.
json run_steps(WebClient& client, int count) {
  const int before = client.fresh_status().at("counts").at("steps");
  client.send({{"type", "step"}, {"count", count}});
  return client.wait_for("status", [before, count](const json& status) {
    return status.at("counts").at("steps") == before + count && !status.at("playing");
  });
}

TEST(LiveServer, ServesThePageAndNothingElse) {
  const LiveStage stage;
  const std::string host = host_of(stage.port());
  const auto page = exchange(stage.port(), http_request("GET", "/", host));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<html>the page</html>");
  EXPECT_NE(page.head.find("Content-Security-Policy"), std::string::npos);
  EXPECT_EQ(exchange(stage.port(), http_request("GET", "/?a=b", host)).status, 200);
  const auto head = exchange(stage.port(), http_request("HEAD", "/", host));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_NE(head.head.find("Content-Length: 21"), std::string::npos) << head.head;
  for (const char* path : {"/index.html", "/etc/passwd", "/../../etc/passwd", "//", "/live/x"}) {
    EXPECT_EQ(exchange(stage.port(), http_request("GET", path, host)).status, 404) << path;
  }
  EXPECT_EQ(exchange(stage.port(), http_request("GET", "/live", host)).status, 426);
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH", "BREW"}) {
    EXPECT_EQ(exchange(stage.port(), http_request(method, "/", host)).status, 405) << method;
  }
  EXPECT_EQ(exchange(stage.port(), http_request("POST", "/", host, "Content-Length: 2\r\n") + "{}")
                .status,
            405);
}

TEST(LiveServer, RefusesForeignOriginsAndHosts) {
  const LiveStage stage;
  const std::string own = host_of(stage.port());
  const auto status = [&stage](const std::string& host, const std::string& more) {
    return exchange(stage.port(), http_request("GET", "/live", host, more + test::upgrade_lines))
        .status;
  };
  EXPECT_EQ(status(own, "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status(own, "Origin: null\r\n"), 403);
  EXPECT_EQ(status(own, "Origin: https://" + own + "\r\n"), 403);
  EXPECT_EQ(status(own, "Origin: http://" + own + "\r\nOrigin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status("evil.example", ""), 403);
  EXPECT_EQ(status(fmt::format("evil.example:{}", stage.port()),
                   fmt::format("Origin: http://evil.example:{}\r\n", stage.port())),
            403)
      << "a foreign name that points to this machine";
  EXPECT_EQ(exchange(stage.port(), http_request("GET", "/", "evil.example")).status, 403);
  EXPECT_EQ(exchange(stage.port(), "GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(stage.server.clients(), 0);
  EXPECT_NO_THROW(WebClient{stage.port()});
}

TEST(LiveServer, SaysWhatThereIsAtFirst) {
  const LiveStage stage;
  WebClient client(stage.port());
  const json scene = client.wait_for("scene");
  EXPECT_EQ(scene.at("scene").at("name"), "sliding_box");
  EXPECT_EQ(scene.at("scene").at("bodies").size(), 2U);
  EXPECT_EQ(scene.at("choices").at("solvers").at(0), "hybrid");
  EXPECT_EQ(scene.at("choices").at("laws").size(), law_table.size());
  EXPECT_EQ(scene.at("choices").at("gap_rules").size(), 2U);
  EXPECT_EQ(scene.at("choices").at("integrators").size(),
            static_cast<std::size_t>(last_integrator) + 1);
  EXPECT_EQ(scene.at("settings").at("solver"), "hybrid");
  const json status = client.wait_for("status");
  EXPECT_FALSE(status.at("playing"));
  EXPECT_EQ(status.at("frame"), 0);
  const std::string frame = client.wait_frame(0);
  EXPECT_EQ(WebClient::word(frame, 0), 0x46544353U);
  EXPECT_EQ(WebClient::word(frame, 12), 2U);
  std::uint64_t hash = 0;
  std::memcpy(&hash, frame.data() + 40, sizeof hash);
  EXPECT_EQ(fmt::format("{:016x}", hash), status.at("hash"));
}

TEST(LiveServer, PlaysPausesStepsAndResets) {
  const LiveStage stage;
  WebClient client(stage.port());
  const json start = client.fresh_status();
  client.send({{"type", "play"}});
  const json later =
      client.wait_for("status", [](const json& status) { return status.at("time") > 0.3; });
  EXPECT_TRUE(later.at("playing"));
  const json paused = client.ask({{"type", "pause"}});
  EXPECT_FALSE(paused.at("playing"));
  EXPECT_EQ(client.fresh_status().at("hash"), paused.at("hash")) << "nothing moves in a pause";
  EXPECT_EQ(run_steps(client, 1).at("last"), paused.at("last").get<int>() + 1);
  const json reset = client.ask({{"type", "reset"}});
  EXPECT_EQ(reset.at("hash"), start.at("hash"));
  EXPECT_EQ(reset.at("last"), 0);
}

TEST(LiveServer, KeepsRealTime) {
  const LiveStage stage(true);
  WebClient client(stage.port());
  client.send({{"type", "settings"}, {"speed", 2.0}});
  const json fast = client.wait_for("status", [](const json& status) {
    return status.at("real_time_factor") > 1.5 && status.at("time") > 1.0;
  });
  // Over at least 0.5 s, and up to 0.1 s that were late are made up for.
  EXPECT_LT(fast.at("real_time_factor"), 2.5);
}

TEST(LiveServer, TimeTravelReplaysToTheSameHash) {
  const LiveStage stage;
  WebClient client(stage.port());
  const json end = run_steps(client, 300);
  for (int round = 0; round < 2; ++round) {
    client.send({{"type", "goto"}, {"frame", 5}});
    client.wait_frame(5);
    const json past = client.fresh_status();
    EXPECT_EQ(past.at("frame"), 5);
    EXPECT_NEAR(past.at("time").get<double>(), 5 * 8 * 0.002, 1e-12);
    const json again = run_steps(client, 260);
    EXPECT_EQ(again.at("hash"), end.at("hash"));
    EXPECT_EQ(again.at("time"), end.at("time"));
  }
  client.send({{"type", "goto"}, {"frame", 100000}});
  client.wait_for("error");
  EXPECT_EQ(client.fresh_status().at("hash"), end.at("hash"));
}

TEST(LiveServer, ChangesSettingsAtRunTime) {
  const LiveStage stage(true);
  WebClient client(stage.port());
  client.wait_for("scene");
  for (const char* solver : {"pgs", "per_contact", "admm", "hybrid"}) {
    const json status = client.ask({{"type", "settings"}, {"solver", solver}});
    EXPECT_EQ(status.at("settings").at("solver"), solver);
  }
  client.send({{"type", "settings"}, {"friction", 0.25}, {"law", "max_dissipation"}});
  const json scene = client.wait_for("scene");
  EXPECT_EQ(scene.at("settings").at("friction"), 0.25);
  EXPECT_EQ(scene.at("scene").at("shapes").at(0).at("friction"), 0.125);
  const json before = client.fresh_status().at("settings");
  client.send({{"type", "settings"}, {"time_step", 0.001}, {"solver", "magic"}});
  const json error = client.wait_for("error");
  EXPECT_NE(error.at("message").get<std::string>().find("hybrid"), std::string::npos)
      << "it says what there is: " << error;
  EXPECT_EQ(client.fresh_status().at("settings"), before);
  const double time = client.fresh_status().at("time");
  client.wait_for("status", [time](const json& status) { return status.at("time") > time; });
}

TEST(LiveServer, DragMovesABodyUntilItsClientVanishes) {
  const LiveStage stage(true);
  WebClient watcher(stage.port());
  const auto height = [&watcher] {
    while (true) {
      const auto message = watcher.next();
      if (!message || message->opcode != 2) continue;
      float z = 0.0F;
      std::memcpy(&z, message->payload.data() + 88 + 8, sizeof z);
      return z;
    }
  };
  {
    WebClient hand(stage.port());
    hand.send({{"type", "drag"}, {"body", 0}, {"point", {0, 0, 0}}, {"target", {0, 0, 1.0}}});
    hand.fresh_status();
    watcher.send({{"type", "release"}});
    EXPECT_TRUE(test::eventually([&height] { return height() > 0.7F; }))
        << "another client cannot release it";
  }
  EXPECT_TRUE(test::eventually([&height] { return height() < 0.2F; })) << "it falls";
}

TEST(LiveServer, TwoViewersSeeTheSame) {
  const LiveStage stage;
  WebClient one(stage.port());
  WebClient other(stage.port());
  const json status = run_steps(one, 50);
  other.wait_frame(status.at("last"));
  EXPECT_EQ(other.fresh_status().at("hash"), status.at("hash"));
}

TEST(LiveServer, SaysWhyASimulationStopped) {
  Model model = test::sliding_box();
  State state = model.initial_state();
  state.q[0] = 1e300;
  state.v[0] = 1e308;
  const LiveStage stage(false, {}, LiveSimulation(std::move(model), std::move(state), {}, {}));
  WebClient client(stage.port());
  client.send({{"type", "play"}});
  const json status = client.wait_for(
      "status", [](const json& message) { return message.at("counts").at("refused") > 0; });
  EXPECT_FALSE(status.at("playing"));
  EXPECT_NE(status.at("message"), "");
}

TEST(LiveServer, TakenPortIsToldWithARemedyOrTheNextIsTried) {
  LiveStage stage;
  LiveServerOptions options;
  options.port = stage.port();
  try {
    const LiveServer second(stage.session, "", options);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("in use by another program"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--port 0"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(WebClient{stage.port()}) << "the first one still serves";
  if (stage.port() > 65000) GTEST_SKIP() << "no ports behind " << stage.port();
  options.ports_to_try = 20;
  const LiveServer second(stage.session, "second", options);
  EXPECT_NE(second.port(), stage.port());
}

TEST(LiveServer, OpensOnlyScenesOfItsList) {
  LiveScenes scenes{{"sliding_box", "ball"}, [](int scene) {
                      if (scene == 0) return test::live_box();
                      SceneBuilder builder("ball");
                      builder.add_sphere("ball", 0.1, 1.0, at(0, 0, 1));
                      Model model = builder.build();
                      State start = model.initial_state();
                      return LiveSimulation(std::move(model), std::move(start), {}, {});
                    }};
  LiveSession session(test::live_box(), false, std::move(scenes));
  LiveServer server(session, "<html>the page</html>", test::LiveStage::any_port({}));
  session.start();
  WebClient client(server.port());
  EXPECT_EQ(client.fresh_status().at("scenes"), json({"sliding_box", "ball"}));
  client.send({{"type", "open"}, {"scene", 2}});
  EXPECT_EQ(client.wait_for("error").at("message"), "there is no scene 2; the list has 2");
  client.send({{"type", "open"}, {"scene", 1}});
  const json scene = client.wait_for(
      "scene", [](const json& message) { return message.at("scene").at("name") == "ball"; });
  EXPECT_EQ(scene.at("scene").at("bodies").size(), 1U);
  const json status = client.fresh_status();
  EXPECT_EQ(status.at("scene"), 1);
  EXPECT_EQ(status.at("time"), 0.0);
}

TEST(LiveServer, SaysGoodbye) {
  LiveStage stage(true);
  WebClient client(stage.port());
  client.wait_for("scene");
  std::thread reader([&client] {
    while (const auto message = client.next()) {
      if (message->opcode == 8) {
        client.send_frame(8, message->payload);
        EXPECT_EQ(message->payload.substr(0, 2), "\x03\xe9");  // 1001, going away
        return;
      }
    }
    ADD_FAILURE() << "no goodbye";
  });
  stage.server.stop();
  reader.join();
  const double time = stage.session.status().time;
  EXPECT_TRUE(test::eventually([&] { return stage.session.status().time > time; }));
}

}  // namespace
}  // namespace stiction
