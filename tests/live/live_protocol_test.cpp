// Words between page and server.
#include "apps/live/live_protocol.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/live/live_gate.hpp"

namespace stiction {
namespace {

TEST(LiveProtocol, ReadsRequests) {
  EXPECT_TRUE(std::holds_alternative<PlayRequest>(parse_request(R"({"type":"play"})")));
  EXPECT_TRUE(std::holds_alternative<ReleaseRequest>(parse_request(R"({"type":"release"})")));
  EXPECT_EQ(std::get<StepRequest>(parse_request(R"({"type":"step"})")).count, 1);
  EXPECT_EQ(std::get<StepRequest>(parse_request(R"({"type":"step","count":1e2})")).count, 100);
  EXPECT_EQ(std::get<GotoRequest>(parse_request(R"({"type":"goto","frame":12})")).frame, 12);
  const auto drag = std::get<DragRequest>(
      parse_request(R"({"type":"drag","body":2,"point":[1,2,3],"target":[4,5,6.5]})"));
  EXPECT_EQ(drag.body, 2);
  EXPECT_EQ(drag.target, Eigen::Vector3d(4, 5, 6.5));
  const auto change = std::get<SettingsChange>(
      parse_request(R"({"type":"settings","solver":"pgs","friction":0.5})"));
  EXPECT_EQ(change.options.at("solver"), OptionValue("pgs"));
  EXPECT_EQ(change.friction, 0.5);
  EXPECT_FALSE(change.speed);
  const auto more = std::get<SettingsChange>(parse_request(
      R"({"type":"settings","hybrid.sweeps":5,"four_face_points":true,"work_limit":null})"));
  EXPECT_EQ(more.options.at("hybrid.sweeps"), OptionValue(5));
  EXPECT_EQ(more.options.at("four_face_points"), OptionValue(true));
  EXPECT_EQ(more.options.at("work_limit"), OptionValue(HUGE_VAL));
}

TEST(LiveProtocol, ReadsWhatIsDoneToARobot) {
  const auto control =
      std::get<ControlRequest>(parse_request(R"({"type":"control","actuator":3,"value":0.5})"));
  EXPECT_EQ(control.actuator, 3);
  EXPECT_EQ(control.value, 0.5);
  const auto target =
      std::get<TargetRequest>(parse_request(R"({"type":"target","body":1,"value":null})"));
  EXPECT_EQ(target.value, std::nullopt);
  EXPECT_EQ(std::get<SavePoseRequest>(parse_request(R"({"type":"save_pose","name":"a"})")).name,
            "a");
  const auto command =
      std::get<CommandRequest>(parse_request(R"({"type":"command","value":[0.8,-0.1,0.5]})"));
  EXPECT_EQ(command.velocity, Eigen::Vector3d(0.8, -0.1, 0.5));
  EXPECT_EQ(std::get<OpenRequest>(parse_request(R"({"type":"open","scene":1})")).scene, 1);
  EXPECT_FALSE(std::get<RecordRequest>(parse_request(R"({"type":"record","on":false})")).on);
  const auto settings =
      std::get<SettingsChange>(parse_request(R"({"type":"settings","pause_fall":true})"));
  EXPECT_EQ(settings.pause_fall, true);
  for (const char* wrong :
       {R"({"type":"control","actuator":-1,"value":1})", R"({"type":"control","actuator":0})",
        R"({"type":"save_pose","name":""})", R"({"type":"record"})",
        R"({"type":"settings","pause_fall":1})"}) {
    EXPECT_THROW((void)parse_request(wrong), std::invalid_argument) << wrong;
  }
}

TEST(LiveProtocol, EveryOptionThatShapesTheMotionIsASetting) {
  const auto scene = nlohmann::json::parse(scene_message("{}", {}));
  std::set<std::string> told;
  for (const auto& option : scene.at("options")) told.insert(option.at("name"));
  for (const StepOption& option : step_option_table()) {
    if (!option.info().shapes_motion) continue;
    const std::string name(option.info().name);
    EXPECT_TRUE(told.contains(name)) << name;
    const auto& value = scene.at("settings").at(name);
    const nlohmann::json request{{"type", "settings"}, {name, value}};
    const auto change = std::get<SettingsChange>(parse_request(request.dump()));
    EXPECT_EQ(change.options.at(name), option.value({})) << name;
  }
}

TEST(LiveProtocol, RefusesEverythingElse) {
  const std::vector<std::string> wrong{
      "",
      "garbage",
      "[]",
      "null",
      "3",
      "\"play\"",
      "{}",
      R"({"type":3})",
      R"({"type":"fly"})",
      R"({"type":null})",
      R"({"type":"step","count":0})",
      R"({"type":"step","count":-5})",
      R"({"type":"step","count":1.5})",
      R"({"type":"step","count":1e300})",
      R"({"type":"step","count":"3"})",
      R"({"type":"step","count":18446744073709551615})",
      R"({"type":"goto"})",
      R"({"type":"goto","frame":-1})",
      R"({"type":"goto","frame":1e18})",
      R"({"type":"goto","frame":NaN})",
      R"({"type":"goto","frame":1e999})",
      R"({"type":"drag"})",
      R"({"type":"drag","body":0,"point":[0,0],"target":[0,0,0]})",
      R"({"type":"drag","body":0,"point":[0,0,"x"],"target":[0,0,0]})",
      R"({"type":"drag","body":0,"point":[0,0,0],"target":[0,0,1e300]})",
      R"({"type":"drag","body":4294967296,"point":[0,0,0],"target":[0,0,0]})",
      R"({"type":"drag","body":0.5,"point":[0,0,0],"target":[0,0,0]})",
      R"({"type":"command"})",
      R"({"type":"command","value":[1,2]})",
      R"({"type":"command","value":[1,2,99]})",
      R"({"type":"command","value":[1,2,null]})",
      R"({"type":"open"})",
      R"({"type":"open","scene":-1})",
      R"({"type":"settings"})",
      R"({"type":"settings","solver":3})",
      R"({"type":"settings","speed":"fast"})",
      R"({"type":"settings","gravity":1})",
      R"({"type":"settings","speed":1,"gravity":1})",
      R"({"type":"settings","balance":true})",
      R"({"type":"settings","time_limit":1})",
      R"({"type":"settings","margin":null})",
      R"({"type":"settings","hybrid.sweeps":1.5})",
      R"({"type":"settings","hybrid.sweeps":1e12})",
      R"({"type":"settings","four_face_points":1})",
      R"({"type":"settings","law":")" + std::string(5000, 'x') + R"("})",
      R"({"type":"settings",")" + std::string(5000, 'x') + R"(":1})",
      std::string(60000, '['),
      R"({"type":")" + std::string(5000, 'x') + R"("})",
      "{\"type\":\"\xff\xfe\"}"};
  for (const std::string& text : wrong) {
    try {
      (void)parse_request(text);
      ADD_FAILURE() << text.substr(0, 80);
    } catch (const std::invalid_argument& error) {
      const std::string message = error_message(error.what());
      EXPECT_LT(message.size(), 300U);
      EXPECT_EQ(nlohmann::json::parse(message).at("type"), "error");
    }
  }
}

TEST(LiveProtocol, StatusIsAsTheContractSays) {
  LiveStatus status;
  status.playing = true;
  status.hash = 0xabc;
  status.message = "bad \xff bytes";
  const auto json = nlohmann::json::parse(status_message(status));
  EXPECT_EQ(json.at("hash"), "0000000000000abc");
  EXPECT_EQ(json.at("counts").size(), 4U);
  for (const char* name : {"solver", "law", "gap_rule", "integrator", "time_step", "friction",
                           "speed", "tolerance", "push_out_fraction", "hybrid.sweeps"}) {
    EXPECT_TRUE(json.at("settings").contains(name)) << name;
  }
  for (const char* name :
       {"type", "playing", "frame", "first", "last", "time", "real_time_factor", "message"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
}

TEST(LiveGate, KnowsItsOwnName) {
  EXPECT_TRUE(is_own_host("127.0.0.1:8420", 8420));
  EXPECT_TRUE(is_own_host("LocalHost:8420", 8420));
  EXPECT_TRUE(is_own_host("localhost", 80));
  for (const char* host : {"", "localhost", "127.0.0.1", "127.0.0.1:8421", "evil.example:8420",
                           "127.0.0.1:8420.evil.example", "127.0.0.1:84200", "[::1]:8420",
                           "user@127.0.0.1:8420", " 127.0.0.1:8420"}) {
    EXPECT_FALSE(is_own_host(host, 8420)) << host;
  }
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:8420", 8420));
  EXPECT_TRUE(is_own_origin("http://localhost:8420", 8420));
  for (const char* origin :
       {"", "null", "http://", "https://127.0.0.1:8420", "127.0.0.1:8420", "http://127.0.0.1:8420/",
        "http://evil.example", "http://127.0.0.1:8420.evil.example", "file://"}) {
    EXPECT_FALSE(is_own_origin(origin, 8420)) << origin;
  }
}

}  // namespace
}  // namespace stiction
