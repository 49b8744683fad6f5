#pragma once

/// \file
/// The scenes of the comparison: what moves, what drives it, what is measured.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/peers/peer.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

/// The measure that stands beside speed in plots and chooses the most accurate setting.
enum class Accuracy {
  creep,         ///< of what should stay where it is [m]
  deepest,       ///< overlap [m]
  mean_overlap,  ///< of the overlapping points [m]
  energy,        ///< largest change of energy, relative to that which moves [1]
};
std::string_view to_string(Accuracy accuracy);

/// A point of a body that should stay where it is.
struct TrackedPoint {
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in the body's frame [m]
};

struct PeerScene {
  PeerScene(PeerModel model, const State& start)
      : built(std::move(model)), q(start.q), v(start.v) {}

  std::string name;
  std::string title;
  PeerModel built;
  Eigen::VectorXd q, v;  ///< at the start

  /// Torques kp (target − q) − kd q̇ + feed of the scalar_joints(); empty: nothing is driven.
  std::vector<double> kp, kd, feed;
  /// Changes the targets, which begin with the angles at the start. Called before each step.
  std::function<void(int step, Random& random, std::span<double> targets)> choose_targets;
  /// Changes the start.
  std::function<void(Random& random, Eigen::VectorXd& q, Eigen::VectorXd& v)> choose_start;
  int reset_steps = 0;  ///< starts anew after so many; 0: never

  double settle = 0.0;  ///< before anything is measured [s]
  double look = 4.0;    ///< what is measured [s]
  int look_steps = 1;   ///< overlaps are measured every so many steps
  /// Contacts are certified every so many steps; 0: never.
  int certify_steps = 20;

  Accuracy accuracy = Accuracy::mean_overlap;
  std::vector<TrackedPoint> tracked;
  int tracked_in = world_body;  ///< whose frame they should not move in
  bool track_horizontally = false;

  std::vector<int> upright;     ///< bodies that must not fall below `least_height`
  double least_height = 0.8;    ///< relative to their height at the start
  bool passive = false;         ///< nothing is driven, so energy must not rise
  double energy_scale = 0.0;    ///< > 0: energy is constant; the error is relative to this [J]
  bool keeps_momentum = false;  ///< horizontally

  [[nodiscard]] bool is_robot() const { return !kp.empty() || name == "drop"; }
};

struct PeerSceneEntry {
  std::string name;
  std::string title;
  PeerScene (*make)();
};
/// All scenes in the order in which they are run.
const std::vector<PeerSceneEntry>& peer_scenes();
/// With name and title filled in, checked by check_peer_model().
PeerScene make_peer_scene(const PeerSceneEntry& entry);

/// Drives an engine through a scene, for ever.
class PeerDriver {
 public:
  PeerDriver(PeerEngine& engine, const PeerScene& scene);
  void step();
  void run(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) step();
  }
  /// Steps since the scene began or began anew.
  [[nodiscard]] int age() const { return age_; }

 private:
  void start();

  PeerEngine& engine_;
  const PeerScene& scene_;
  Random random_;
  int age_ = 0;
  std::vector<double> positions_, rates_, targets_, stance_, torques_;
};

}  // namespace stiction::bench
