#include "bench/peers/scenes.hpp"

#include <algorithm>
#include <array>

#include "bench/peers/scenes_robots.hpp"

namespace stiction::bench {

namespace {
constexpr std::uint64_t seed = 11;
}  // namespace

std::string_view to_string(Accuracy accuracy) {
  constexpr std::array names{"creep [m]", "deepest overlap [m]", "mean overlap [m]",
                             "energy error [1]"};
  return names[static_cast<std::size_t>(accuracy)];
}

const std::vector<PeerSceneEntry>& peer_scenes() {
  static const std::vector<PeerSceneEntry> scenes{
      {"stand", "Quadruped stands, PD 100/2", make_stand_scene},
      {"drop", "Quadruped falls from 1 m at 1 m/s, no torques", make_drop_scene},
      {"random", "Quadruped, random targets of 1 rad every 20 ms, PD 40/1", make_random_scene},
      {"trot", "Quadruped trots along given joint angles, PD 200/4", make_trot_scene},
      {"romeo", "Romeo stands on two soles, PD", make_romeo_scene},
      {"stack", "Ten boxes on top of each other", make_stack_scene},
      {"chain10", "Chain of 10 links swings", [] { return make_chain_scene(10); }},
      {"chain30", "Chain of 30 links swings", [] { return make_chain_scene(30); }},
      {"chain100", "Chain of 100 links swings", [] { return make_chain_scene(100); }},
      {"balls", "216 balls without friction fall and spread", make_balls_scene},
      {"grid3", "3 x 3 quadrupeds stand, PD 100/2", [] { return make_grid_scene(3); }},
      {"grid5", "5 x 5 quadrupeds stand, PD 100/2", [] { return make_grid_scene(5); }},
      {"arm", "Arm with two fingers holds a box of 0.5 kg", make_arm_scene},
      {"hand", "Hand with three fingers holds a ball of 0.1 kg", make_hand_scene},
  };
  return scenes;
}

PeerScene make_peer_scene(const PeerSceneEntry& entry) {
  PeerScene scene = entry.make();
  scene.name = entry.name;
  scene.title = entry.title;
  check_peer_model(scene.built);
  return scene;
}

PeerDriver::PeerDriver(PeerEngine& engine, const PeerScene& scene)
    : engine_(engine), scene_(scene), random_(seed) {
  const std::vector<ScalarJoint> joints = scalar_joints(scene.built.model);
  for (auto* values : {&positions_, &rates_, &torques_}) values->resize(joints.size());
  for (const ScalarJoint& joint : joints) stance_.push_back(scene.q[joint.position]);
  start();
}

void PeerDriver::start() {
  age_ = 0;
  targets_ = stance_;
  if (!scene_.choose_start) {
    engine_.reset(scene_.q, scene_.v);
    return;
  }
  Eigen::VectorXd q = scene_.q, v = scene_.v;
  scene_.choose_start(random_, q, v);
  engine_.reset(q, v);
}

void PeerDriver::step() {
  if (scene_.reset_steps > 0 && age_ >= scene_.reset_steps) start();
  if (!scene_.kp.empty()) {
    if (scene_.choose_targets) scene_.choose_targets(age_, random_, targets_);
    engine_.read_joints(positions_, rates_);
    for (std::size_t k = 0; k < torques_.size(); ++k) {
      torques_[k] =
          scene_.kp[k] * (targets_[k] - positions_[k]) - scene_.kd[k] * rates_[k] + scene_.feed[k];
    }
  }
  engine_.step(torques_);
  ++age_;
}

}  // namespace stiction::bench
