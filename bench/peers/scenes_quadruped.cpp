/// \file
/// Scenes of one quadruped and of many.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "bench/peers/scenes_robots.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"

namespace stiction::bench {

namespace {

constexpr double friction = 0.8;  ///< as the file says
constexpr double distance = 2.0;  ///< between robots of a grid [m]
constexpr std::size_t legs = 4, leg_joints = 3;

PeerScene quadruped_scene(double stiffness, double damping) {
  Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  const State state = model.keyframe_state(model.find_keyframe("stand").value());
  PeerScene scene({std::move(model), 0.001, friction, {}}, state);
  const std::size_t joints = legs * leg_joints;
  scene.kp.assign(joints, stiffness);
  scene.kd.assign(joints, damping);
  scene.feed.assign(joints, 0.0);
  return scene;
}

/// The feet should stay where they are.
void track_feet(PeerScene& scene) {
  const Model& model = scene.built.model;
  for (const Shape& shape : model.shapes()) {
    if (shape.kind != ShapeKind::sphere || !shape.collides) continue;
    scene.tracked.push_back({shape.body, shape.pose.translation()});
  }
  scene.track_horizontally = true;
  scene.accuracy = Accuracy::creep;
  scene.settle = 3.0;
  scene.look = 5.0;
  for (const Joint& joint : model.joints()) {
    if (joint.kind == JointKind::floating) scene.upright.push_back(joint.body);
  }
}

/// Angles of a trot on the spot that gains a little ground: diagonal pairs of feet are lifted in
/// turns.
void trot_angles(double time, std::span<const double> stance, std::span<double> targets) {
  constexpr double period = 0.5;               // [s]
  constexpr double lift = 0.5, stride = 0.08;  // of knee and hip [rad]
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const bool first_pair = leg == 0 || leg == 3;
    const double side = leg < 2 ? 1.0 : -1.0;  // hind legs bend the other way
    const double phase =
        2.0 * std::numbers::pi * time / period + (first_pair ? 0.0 : std::numbers::pi);
    const double up = std::max(0.0, std::sin(phase));
    targets[leg_joints * leg] = stance[leg_joints * leg];
    targets[leg_joints * leg + 1] =
        stance[leg_joints * leg + 1] + side * 0.5 * lift * up + stride * std::cos(phase);
    targets[leg_joints * leg + 2] = stance[leg_joints * leg + 2] - side * lift * up;
  }
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Removes what is between two words, with them.
void cut(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  const std::size_t end = begin == std::string::npos ? begin : text.find(to, begin);
  if (end == std::string::npos) throw std::runtime_error(fmt::format("no {} in the robot", from));
  text.erase(begin, end + to.size() - begin);
}

}  // namespace

PeerScene make_stand_scene() {
  PeerScene scene = quadruped_scene(100.0, 2.0);
  track_feet(scene);
  return scene;
}

PeerScene make_drop_scene() {
  PeerScene scene = quadruped_scene(0.0, 0.0);
  scene.kp.clear();
  scene.choose_start = [](Random& random, Eigen::VectorXd& q, Eigen::VectorXd& v) {
    const double heading = random.uniform(0.0, 2.0 * std::numbers::pi);
    q[2] = 1.0;
    v.head<2>() << std::cos(heading), std::sin(heading);
  };
  scene.reset_steps = 2000;
  scene.look = 6.0;
  scene.accuracy = Accuracy::deepest;
  scene.passive = true;
  return scene;
}

PeerScene make_random_scene() {
  PeerScene scene = quadruped_scene(40.0, 1.0);
  const std::vector<double> stance(scene.q.data() + 7, scene.q.data() + 7 + legs * leg_joints);
  scene.choose_targets = [stance](int step, Random& random, std::span<double> targets) {
    if (step % 20 != 0) return;
    for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = stance[k] + random.normal();
  };
  scene.reset_steps = 5000;
  scene.look = 5.0;
  return scene;
}

PeerScene make_trot_scene() {
  PeerScene scene = quadruped_scene(200.0, 4.0);
  const std::vector<double> stance(scene.q.data() + 7, scene.q.data() + 7 + legs * leg_joints);
  scene.choose_targets = [stance](int step, Random&, std::span<double> targets) {
    trot_angles(0.001 * step, stance, targets);
  };
  scene.settle = 1.0;
  scene.look = 5.0;
  scene.upright = {0};
  scene.least_height = 0.7;
  return scene;
}

PeerScene make_grid_scene(int edge) {
  const std::filesystem::path path = models_folder() / "anymal_lumped.xml";
  const PeerScene one = make_stand_scene();
  const Model& robot = one.built.model;
  ModelBuilder builder;
  ProblemList problems;
  std::string text = text_of(path);
  cut(text, "<keyframe>", "</keyframe>");
  for (int k = 0; k < edge * edge; ++k) {
    if (k == 1) cut(text, "<geom name=\"floor\"", "/>");  // one floor for all
    LoadOptions options;
    options.prefix = fmt::format("robot{}_", k);
    add_mjcf(builder, XmlFile(text, path.string()), path.parent_path(), options, problems);
  }
  if (problems.count(Severity::error) > 0) throw InputError(problems);
  PeerScene scene = one;
  scene.tracked.clear();
  scene.upright.clear();
  scene.built.model = builder.build();
  scene.q = Eigen::VectorXd(edge * edge * robot.position_count());
  scene.v = Eigen::VectorXd::Zero(edge * edge * robot.velocity_count());
  for (auto* values : {&scene.kp, &scene.kd, &scene.feed}) values->clear();
  for (int k = 0; k < edge * edge; ++k) {
    auto q = scene.q.segment(k * robot.position_count(), robot.position_count());
    q = one.q;
    q[0] = distance * (k % edge);
    q[1] = distance * (k / edge);
    scene.kp.insert(scene.kp.end(), one.kp.begin(), one.kp.end());
    scene.kd.insert(scene.kd.end(), one.kd.begin(), one.kd.end());
    scene.feed.insert(scene.feed.end(), one.feed.begin(), one.feed.end());
  }
  track_feet(scene);
  scene.settle = 2.0;
  scene.look = 1.0;
  scene.look_steps = 10;
  scene.certify_steps = 100;
  return scene;
}

}  // namespace stiction::bench
