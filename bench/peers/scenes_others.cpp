/// \file
/// Scenes of Romeo, of grippers, boxes, chains and balls.

#include <cmath>
#include <fmt/core.h>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "bench/peers/scenes_robots.hpp"
#include "stiction/control/joint_control.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"
#include "stiction/sim/scene.hpp"

namespace stiction::bench {

namespace {

/// Robots fixed to the world or not; the state is that of the first keyframe, else the initial one.
PeerScene scene_of(Model model, double friction) {
  const State state = model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
  return {{std::move(model), 0.001, friction, {}}, state};
}

PeerScene scene_of_file(const std::string& name, double friction) {
  return scene_of(load_model(models_folder() / "scenes" / name).model, friction);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Without the lines in which this word is.
std::string without_lines(const std::string& urdf, const std::string& word) {
  std::istringstream lines(urdf);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) == std::string::npos) text += line + '\n';
  }
  return text;
}

/// Joints that turn as far and as fast as they like.
std::string without_limits(const std::string& urdf) {
  const std::string bounded = "type=\"revolute\"", free = "type=\"continuous\"";
  std::string text = without_lines(urdf, "<limit ");
  for (std::size_t at = 0; (at = text.find(bounded, at)) != std::string::npos;) {
    text.replace(at, bounded.size(), free);
  }
  return text;
}

/// Gains that make each joint swing at `frequency` [rad/s], critically damped, as if the others
/// were locked.
void hold_joints(PeerScene& scene, double frequency) {
  const Model& model = scene.built.model;
  DynamicsData<double> data(model);
  update_kinematics(model, data, scene.q, scene.v);
  const Eigen::MatrixXd M = mass_matrix(model, data);
  for (const ScalarJoint& joint : scalar_joints(model)) {
    const double inertia = M(joint.velocity, joint.velocity);
    scene.kp.push_back(frequency * frequency * inertia);
    scene.kd.push_back(2.0 * frequency * inertia);
    scene.feed.push_back(0.0);
  }
}

/// Index of a joint among the scalar ones.
std::size_t scalar_index(const Model& model, const std::string& name) {
  const int joint = model.find_joint(name).value();
  const std::vector<ScalarJoint> joints = scalar_joints(model);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (joints[k].body == joint) return k;
  }
  throw std::runtime_error(fmt::format("joint '{}' is not driven", name));
}

/// What is held should not move in the hand.
void track_object(PeerScene& scene, const std::string& hand) {
  const Model& model = scene.built.model;
  const int object = model.find_body("object").value();
  scene.tracked = {
      {object, {0.0, 0.0, 0.0}}, {object, {0.02, 0.0, 0.0}}, {object, {0.0, 0.0, 0.02}}};
  scene.tracked_in = hand.empty() ? world_body : model.find_body(hand).value();
  scene.accuracy = Accuracy::creep;
  scene.upright = {object};
  scene.least_height = 0.985;  // 9 mm further down the fingers have lost it
  scene.settle = 2.0;
  scene.look = 5.0;
}

}  // namespace

PeerScene make_romeo_scene() {
  constexpr double friction = 0.8;
  const std::filesystem::path path = models_folder() / "romeo.urdf";
  SceneBuilder builder;
  builder.use_material(friction);
  builder.add_plane("floor");
  LoadOptions options;
  options.base = BaseKind::floating;
  ProblemList problems;
  add_urdf(builder.builder(), XmlFile(without_limits(text_of(path)), path.string()),
           path.parent_path(), options, problems);
  if (problems.count(Severity::error) > 0) throw InputError(problems);
  Model model = builder.build();
  // Shapes of the URDF have the default material; all get that of the floor.
  for (int k = 0; k < static_cast<int>(model.materials().size()); ++k) {
    Material material = model.materials()[static_cast<std::size_t>(k)];
    material.friction = friction;
    model.set_material(k, material);
  }
  PeerScene scene = scene_of(std::move(model), friction);
  const Model& robot = scene.built.model;
  DynamicsData<double> data(robot);
  update_kinematics(robot, data, scene.q, scene.v);
  const std::vector<std::string> corners{"l_foot_front_left", "l_foot_rear_right",
                                         "r_foot_front_left", "r_foot_rear_right"};
  double lowest = 1e9;
  for (const std::string& corner : corners) {
    const int frame = robot.find_frame(corner).value();
    const Eigen::Vector3d point = frame_pose(robot, data, frame).translation();
    lowest = std::min(lowest, point.z());
    const int body = robot.frames()[static_cast<std::size_t>(frame)].body;
    scene.tracked.push_back({body, body_pose(data, body).inverse() * point});
  }
  scene.q[2] -= lowest;
  hold_joints(scene, 20.0);
  // Legs carry the robot, so their gains follow from its weight, not from the inertia of a foot.
  for (const char* side : {"L", "R"}) {
    for (const char* joint : {"HipYaw", "HipRoll", "HipPitch", "KneePitch"}) {
      const std::size_t k = scalar_index(robot, fmt::format("{}{}", side, joint));
      scene.kp[k] = 1000.0;
      scene.kd[k] = 20.0;
    }
    for (const char* joint : {"AnklePitch", "AnkleRoll"}) {
      const std::size_t k = scalar_index(robot, fmt::format("{}{}", side, joint));
      scene.kp[k] = 600.0;
      scene.kd[k] = 3.0;
    }
  }
  State state = robot.initial_state();
  state.q = scene.q;
  GravityCompensationController weight(robot, corners);
  const Eigen::VectorXd torques = weight.torques(state);
  const std::vector<ScalarJoint> joints = scalar_joints(robot);
  for (std::size_t k = 0; k < joints.size(); ++k) scene.feed[k] = torques[joints[k].velocity];
  scene.track_horizontally = true;
  scene.accuracy = Accuracy::creep;
  scene.settle = 3.0;
  scene.look = 5.0;
  scene.upright = {0};
  return scene;
}

PeerScene make_arm_scene() {
  PeerScene scene = scene_of_file("arm_holds.xml", 0.8);
  const Model& model = scene.built.model;
  hold_joints(scene, 40.0);
  // The object floats; its weight hangs on the fingers, which the gains of the arm carry.
  for (const char* finger : {"left_finger", "right_finger"}) {
    const std::size_t k = scalar_index(model, finger);
    scene.kp[k] = 2000.0;
    scene.kd[k] = 20.0;
    scene.feed[k] = 20.0;  // inwards [N]
  }
  track_object(scene, "hand");
  return scene;
}

PeerScene make_hand_scene() {
  PeerScene scene = scene_of_file("hand_holds.xml", 0.8);
  const Model& model = scene.built.model;
  hold_joints(scene, 100.0);
  // A moment at the root of a finger presses its tip against the ball with 4 N.
  for (int finger = 1; finger <= 3; ++finger) {
    scene.feed[scalar_index(model, fmt::format("proximal{}", finger))] = 0.36;
    scene.feed[scalar_index(model, fmt::format("distal{}", finger))] = 0.18;
  }
  track_object(scene, "");
  return scene;
}

PeerScene make_stack_scene() {
  PeerScene scene = scene_of_file("box_stack.xml", 0.5);
  for (int body = 0; body < scene.built.model.body_count(); ++body) {
    scene.tracked.push_back({body, Eigen::Vector3d::Zero()});
    scene.upright.push_back(body);
  }
  scene.track_horizontally = true;
  scene.least_height = 0.9;
  scene.settle = 2.0;
  scene.look = 3.0;
  scene.look_steps = 5;
  scene.passive = true;
  scene.reset_steps = 10'000;
  return scene;
}

PeerScene make_chain_scene(int links) {
  const std::filesystem::path path =
      std::filesystem::path(STICTION_BENCH_MODELS) / fmt::format("chain{}.urdf", links);
  LoadOptions options;
  options.base = BaseKind::fixed;
  PeerScene scene = scene_of(
      // Links meet nothing, not even each other.
      load_model_text(without_lines(text_of(path), "<collision>"), path.string(), {}, options)
          .model,
      0.0);
  if (links > 90) scene.built.mujoco_file = path;  // MJCF ends at 100 nested elements
  const Model& model = scene.built.model;
  // Stretched out to the side, a little bent, at rest.
  scene.q.setConstant(0.02);
  scene.q[0] = 0.5 * std::numbers::pi;
  scene.reset_steps = 2000;
  scene.look = 2.0;
  scene.certify_steps = 0;
  scene.passive = true;
  scene.accuracy = Accuracy::energy;
  const double length = 0.2 * links;
  scene.energy_scale = model.total_mass() * model.gravity().norm() * 0.5 * length;
  return scene;
}

PeerScene make_balls_scene() {
  PeerScene scene = scene_of_file("balls_666.xml", 0.0);
  scene.reset_steps = 3000;
  scene.look = 3.0;
  scene.look_steps = 10;
  scene.certify_steps = 200;
  scene.passive = true;
  scene.keeps_momentum = true;
  return scene;
}

}  // namespace stiction::bench
