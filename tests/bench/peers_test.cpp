// Claims of the comparison of engines: all step the same robot, the contact impulses that they
// report are read rightly, and the program writes what it promises.

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/peers/judge.hpp"
#include "bench/peers/measure.hpp"
#include "bench/peers/scenes.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace stiction::bench {
namespace {

PeerScene scene_named(const std::string& name) {
  const auto entry = std::ranges::find(peer_scenes(), name, &PeerSceneEntry::name);
  return make_peer_scene(*entry);
}

/// The most exact setting of each engine that is installed.
std::vector<PeerEntry> exact_settings() {
  std::vector<PeerEntry> exact;
  for (const PeerEntry& entry : all_peers()) {
    for (const char* name : {"Stiction, default", "MuJoCo, Newton elliptic stiff",
                             "Bullet, Dantzig", "ODE, world step", "DART, Dantzig"}) {
      if (entry.name() == name) exact.push_back(entry);
    }
  }
  return exact;
}

/// v after one step from rest, far above the ground, under torques that differ by joint.
Eigen::VectorXd velocity_after_a_step(const PeerScene& scene, const PeerEntry& entry) {
  const auto engine = entry.make(scene.built);
  engine->reset(scene.q, scene.v);
  std::vector<double> torques;
  for (const ScalarJoint& joint : scalar_joints(scene.built.model)) {
    const double size = joint.turns ? 1.0 : 5.0;  // [N·m] or [N]
    torques.push_back(size * std::sin(1.0 + static_cast<double>(torques.size())));
  }
  engine->step(torques);
  PeerState state;
  engine->read(state);
  return state.v;
}

TEST(Peers, EveryEngineMovesTheSameRobot) {
  for (const char* name : {"stand", "romeo", "arm", "hand", "chain10"}) {
    PeerScene scene = scene_named(name);
    // Everything that floats goes up, out of contact; angles that are all different.
    for (const Joint& joint : scene.built.model.joints()) {
      if (joint.kind == JointKind::floating) scene.q[joint.position_index + 2] += 5.0;
    }
    for (const ScalarJoint& joint : scalar_joints(scene.built.model)) {
      if (joint.turns) scene.q[joint.position] += 0.1 * std::sin(2.0 * joint.position);
    }
    const Eigen::VectorXd ours = velocity_after_a_step(scene, stiction_peers().front());
    for (const PeerEntry& entry : exact_settings()) {
      const Eigen::VectorXd theirs = velocity_after_a_step(scene, entry);
      ASSERT_EQ(theirs.size(), ours.size()) << name << ", " << entry.name();
      // From rest, all of them compute v = h M⁻¹(τ − gravity) but for terms of second order in h
      // (ours takes the trapezoid, whose velocity dependent forces are those of the mean).
      EXPECT_LT((theirs - ours).cwiseAbs().maxCoeff(), 2e-3 * ours.cwiseAbs().maxCoeff())
          << name << ", " << entry.name();
    }
  }
}

TEST(Peers, ImpulsesThatAnEngineReportsCarryTheWeight) {
  const PeerScene scene = scene_named("stand");
  const Model& model = scene.built.model;
  const double weight = model.total_mass() * model.gravity().norm();
  for (const PeerEntry& entry : exact_settings()) {
    const auto engine = entry.make(scene.built);
    engine->watch_contacts(true);
    PeerDriver driver(*engine, scene);
    driver.run(3000);
    std::vector<PeerContact> contacts;
    engine->read_contacts(contacts);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const PeerContact& contact : contacts) {
      const bool on_robot = contact.body_a == world_body;
      sum += on_robot ? contact.impulse : Eigen::Vector3d(-contact.impulse);
      EXPECT_GT(contact.impulse.dot(contact.normal), 0.0) << entry.name();
    }
    // The robot has come to rest within a few thousandths of its weight after 3 s.
    const Eigen::Vector3d force = sum / scene.built.time_step;
    EXPECT_NEAR(force.z(), weight, 0.01 * weight) << entry.name();
    EXPECT_LT(force.head<2>().norm(), 0.01 * weight) << entry.name();
  }
}

TEST(Peers, JudgeCertifiesOursAndSeesAnImpulseOutsideTheCone) {
  const PeerScene scene = scene_named("stand");
  const auto engine = stiction_peers().front().make(scene.built);
  PeerDriver driver(*engine, scene);
  PeerJudge judge(scene);
  driver.run(500);
  judge.look(*engine);
  driver.step();
  judge.look(*engine);
  std::vector<PeerContact> contacts;
  engine->read_contacts(contacts);
  ASSERT_EQ(contacts.size(), 4u);
  EXPECT_LT(judge.certify(contacts).residual(), 1e-6);
  contacts[0].impulse.x() += 2.0 * contacts[0].impulse.z();  // friction is 0.8
  EXPECT_GT(judge.certify(contacts).residual(), 1e-3);
}

TEST(Peers, JudgeMeasuresTheDepthThatABoxWasPutAt) {
  PeerScene scene = scene_named("stack");
  scene.q[2] -= 0.003;  // of the lowest box, below its place on the floor
  const auto engine = stiction_peers().front().make(scene.built);
  engine->reset(scene.q, scene.v);
  PeerJudge judge(scene);
  judge.look(*engine);
  judge.measure_overlaps();
  EXPECT_NEAR(judge.deepest(), 0.003, 1e-12);
}

// ---- the program

test::ProgramResult run_peers(const std::vector<std::string>& arguments) {
  return test::run_program(STICTION_BENCH_PEERS, arguments);
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(PeersProgram, WritesATableJsonCsvAndAPageThatNeedsNoNetwork) {
  const test::TemporaryFolder folder;
  const auto file = [&folder](const char* name) { return (folder.path() / name).string(); };
  const test::ProgramResult result =
      run_peers({"stand", "--steps", "100", "--json", file("a.json"), "--csv", file("a.csv"),
                 "--html", file("a.html"), "--svg", file("a.svg"), "--markdown", file("a.md")});
  // 1: so short a run may rank engines in any way.
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.errors;
  EXPECT_EQ(result.errors, "") << "no progress in a pipe";
  EXPECT_NE(result.output.find("µs per step"), std::string::npos);

  const auto document = nlohmann::json::parse(text_of(file("a.json")));
  const auto& rows = document.at("scenes").at(0).at("results");
  ASSERT_EQ(rows.size(), all_peers().size());
  for (const auto& row : rows) {
    EXPECT_TRUE(row.at("stable").get<bool>()) << row.dump();
    EXPECT_GT(row.at("seconds_per_step").get<double>(), 0.0) << row.dump();
  }
  const std::string csv = text_of(file("a.csv"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), rows.size() + 1);
  const std::string page = text_of(file("a.html"));
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_NE(text_of(file("a.svg")).find("<svg"), std::string::npos);
  EXPECT_NE(text_of(file("a.md")).find("| stand | Stiction | default |"), std::string::npos);
}

TEST(PeersProgram, WrongArgumentsAreNamed) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (const Case& wrong : {Case{{"stnad"}, "there is no scene 'stnad'"},
                            Case{{"--filter", "Havok"}, "no setting has 'Havok' in its name"},
                            Case{{"--steps", "1"}, "--steps"}, Case{{"--no-such"}, "--no-such"}}) {
    const test::ProgramResult result = run_peers(wrong.arguments);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_NE(result.errors.find(wrong.message), std::string::npos) << result.errors;
  }
  const test::ProgramResult result = run_peers({"stand", "--json", "/nonexistent/a.json"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.errors.find("/nonexistent"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace stiction::bench
