// The live server among clients that are broken or mean no good: the simulation goes on.
#include <gtest/gtest.h>
#include <list>

#include "stiction/core/random.hpp"
#include "support/live_scene.hpp"
#include "support/web_client.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::exchange;
using test::host_of;
using test::http_request;
using test::LiveStage;
using test::TcpClient;
using test::WebClient;

LiveServerOptions impatient() {
  LiveServerOptions options;
  options.request_timeout = 1.0;
  options.stall_timeout = 0.5;
  options.clients = 200;
  options.connections = 300;
  return options;
}

/// Sends much that needs an answer and reads nothing, until the server hangs up.
bool is_dropped(WebClient& staller) {
  const auto end = std::chrono::steady_clock::now() + test::patience;
  while (std::chrono::steady_clock::now() < end) {
    if (!staller.send_frame(1, "garbage")) return true;
  }
  return false;
}

TEST(LiveAttack, SurvivesAHundredBadClientsWhileTheSimulationGoesOn) {
  LiveStage stage(true, impatient());
  WebClient witness(stage.port());
  const double begin = witness.fresh_status().at("time");
  std::list<WebClient> viewers;
  std::list<TcpClient> silent;
  for (int i = 0; i < 100; ++i) {
    if (i % 5 == 0) {
      silent.emplace_back(stage.port());
      silent.back().send("GET / HTTP/1.1\r\nHost: ");  // and then nothing
      continue;
    }
    viewers.emplace_back(stage.port(), 4096);
    WebClient& viewer = viewers.back();
    if (i % 5 == 1) viewer.send_frame(1, "not json \"{[");
    if (i % 5 == 2) viewer.send_raw("\x81");  // half a frame
    if (i % 5 == 3) viewer.send_raw(std::string(1000, '\xff'));
    if (i % 5 == 4) viewer.send({{"type", "goto"}, {"frame", "NaN"}});
    if (i % 10 == 4) viewers.pop_back();  // vanishes without a word
  }
  const json later = witness.wait_for(
      "status", [begin](const json& status) { return status.at("time") > begin + 0.1; });
  EXPECT_TRUE(later.at("playing"));
  viewers.clear();
  silent.clear();
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 1; }))
      << stage.server.clients() << " clients";
  const double time = witness.fresh_status().at("time");
  witness.wait_for("status", [time](const json& status) { return status.at("time") > time + 0.1; });
  EXPECT_EQ(witness.fresh_status().at("counts").at("refused"), 0);
}

TEST(LiveAttack, DropsAClientThatTakesNothing) {
  LiveStage stage(true, impatient());
  WebClient witness(stage.port());
  WebClient staller(stage.port(), 2048);
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 2; }));
  EXPECT_TRUE(is_dropped(staller));
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 1; }));
  const double time = witness.fresh_status().at("time");
  witness.wait_for("status", [time](const json& status) { return status.at("time") > time; });
}

TEST(LiveAttack, DropsAClientThatAnswersNoPing) {
  LiveServerOptions options = impatient();
  options.idle_timeout = 0.4;
  LiveStage stage(false, options);
  const WebClient sleeper(stage.port());
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 0; }));
}

TEST(LiveAttack, ClosesHalfRequests) {
  const LiveStage stage(false, impatient());
  std::list<TcpClient> clients;
  for (const char* half : {"", "GET", "GET / HTTP/1.1\r\nHost: 127.0.0.1"}) {
    clients.emplace_back(stage.port());
    clients.back().send(half);
  }
  for (TcpClient& client : clients) {
    while (client.receive_some()) {
    }
    EXPECT_EQ(client.received(), "");
  }
}

TEST(LiveAttack, AnswersWhatIsTooLongOrNoHttp) {
  const LiveStage stage;
  const std::string host = host_of(stage.port());
  EXPECT_EQ(exchange(stage.port(),
                     http_request("GET", "/", host, "X: " + std::string(20000, 'x') + "\r\n"))
                .status,
            431);
  EXPECT_EQ(exchange(stage.port(), http_request("GET", "/", host, "Content-Length: 5000\r\n") +
                                       std::string(5000, 'x'))
                .status,
            413);
  EXPECT_EQ(exchange(stage.port(), "\x16\x03\x01 hello\r\n\r\n").status, 400);
  EXPECT_EQ(exchange(stage.port(), http_request("GET", "/", host)).status, 200);
}

TEST(LiveAttack, HangsUpOnMessagesThatAreTooLong) {
  const LiveStage stage;
  WebClient client(stage.port());
  client.send_frame(1, std::string(60000, ' ') + R"({"type":"status"})");
  client.fresh_status();
  client.send_frame(1, std::string(70000, ' '));
  std::optional<WebClient::Message> message;
  do {
    message = client.next();
  } while (message && message->opcode != 8);
  if (message) {
    EXPECT_EQ(message->payload.substr(0, 2), "\x03\xf1");  // 1009, too big
  }
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 0; }));
}

TEST(LiveAttack, AnswersBinaryAndWrongRequestsByErrorsAndStays) {
  const LiveStage stage;
  WebClient client(stage.port());
  client.send_frame(2, "binary");
  EXPECT_NE(client.wait_for("error").at("message").get<std::string>().find("binary"),
            std::string::npos);
  client.send_frame(1, R"({"type":"settings","friction":1e999})");
  client.wait_for("error");
  client.send({{"type", "drag"}, {"body", 77}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}});
  client.wait_for("error");
  client.send_frame(1, std::string(60000, '['));
  client.wait_for("error");
  EXPECT_EQ(client.fresh_status().at("frame"), 0);
}

TEST(LiveAttack, SendsMoreClientsAway) {
  LiveServerOptions options;
  options.clients = 2;
  const LiveStage stage(false, options);
  const WebClient one(stage.port());
  {
    const WebClient two(stage.port());
    EXPECT_EQ(exchange(stage.port(),
                       http_request("GET", "/live", host_of(stage.port()), test::upgrade_lines))
                  .status,
              503);
    EXPECT_EQ(exchange(stage.port(), http_request("GET", "/", host_of(stage.port()))).status, 200);
  }
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 1; }));
  EXPECT_NO_THROW(WebClient{stage.port()});
}

TEST(LiveAttack, RandomBytesAfterTheHandshakeHarmNobody) {
  const LiveStage stage;
  Random random(20261116);
  for (int i = 0; i < 50; ++i) {
    WebClient client(stage.port());
    std::string bytes;
    for (int k = 0; k < 200; ++k) bytes += static_cast<char>(random.index(256));
    client.send_raw(bytes);
  }
  EXPECT_TRUE(test::eventually([&stage] { return stage.server.clients() == 0; }));
  EXPECT_EQ(WebClient(stage.port()).fresh_status().at("frame"), 0);
}

}  // namespace
}  // namespace stiction
