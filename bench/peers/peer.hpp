#pragma once

/// \file
/// A scene as every engine of the comparison sees it: one Model, from which each peer is built.

#include <Eigen/Geometry>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction::bench {

/// What a peer is built from. All shapes that may touch have the same friction: engines combine
/// the coefficients of two surfaces in different ways.
struct PeerModel {
  Model model;
  double time_step = 0.001;  ///< h [s]
  double friction = 0.0;     ///< of all contacts
  /// A file that MuJoCo reads in place of the text written from the Model; empty: none. For trees
  /// deeper than its reader of MJCF allows.
  std::filesystem::path mujoco_file;
};

/// A joint with one velocity: what the controllers of the comparison act on.
struct ScalarJoint {
  int body = 0;
  int position = 0;  ///< entry of q
  int velocity = 0;  ///< entry of v
  bool turns = true;
};
/// In the order of the Model.
std::vector<ScalarJoint> scalar_joints(const Model& model);

/// Throws std::runtime_error, with the joint's name, if the Model contains what the peers are not
/// built with: other joints than revolute, prismatic and floating ones, limits, damping, armature,
/// joint friction, springs, tendons or couplings.
void check_peer_model(const PeerModel& scene);

/// One flag per shape: whether another one may touch it.
std::vector<char> touching_shapes(const Model& model);

/// Where a body is and how fast: pose of its frame, linear velocity of its origin, world axes.
struct PeerBody {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();      ///< [rad/s]
};

/// Positions and velocities in the order and axes of the Model.
struct PeerState {
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  /// Of engines in maximal coordinates, whose joints may be apart; else empty.
  std::vector<PeerBody> bodies;
};

/// A contact point that an engine solved for, as the engine reports it.
struct PeerContact {
  int body_a = world_body;
  int body_b = world_body;
  Eigen::Vector3d point;    ///< world [m]
  Eigen::Vector3d normal;   ///< unit, from a to b
  Eigen::Vector3d impulse;  ///< on b, world axes [N·s]
  double gap = 0.0;         ///< [m]; < 0: overlap
};

/// An engine with a scene in it.
class PeerEngine {
 public:
  PeerEngine() = default;
  virtual ~PeerEngine() = default;
  PeerEngine(const PeerEngine&) = delete;
  PeerEngine& operator=(const PeerEngine&) = delete;

  /// Nothing of the past is remembered.
  virtual void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) = 0;
  /// Of the scalar_joints().
  virtual void read_joints(std::span<double> positions, std::span<double> rates) = 0;
  /// One step under these torques or forces of the scalar_joints().
  virtual void step(std::span<const double> torques) = 0;

  /// \name For looking at, not timed
  /// @{
  virtual void read(PeerState& state) = 0;
  /// Contact points of the last step.
  [[nodiscard]] virtual int contacts() const = 0;
  /// Asks for the impulses of the steps that follow, where that costs time.
  virtual void watch_contacts(bool /*watch*/) {}
  /// Contacts of the last step with their impulses.
  virtual void read_contacts(std::vector<PeerContact>& contacts) = 0;
  /// False once the engine itself has given up: it started anew, or dropped contacts.
  [[nodiscard]] virtual bool healthy() const { return true; }
  /// @}
};

/// An engine with its settings.
struct PeerEntry {
  std::string engine;   ///< such as `MuJoCo`
  std::string setting;  ///< such as `Newton, pyramidal`
  std::function<std::unique_ptr<PeerEngine>(const PeerModel&)> make;

  [[nodiscard]] std::string name() const { return engine + ", " + setting; }
};

/// \name The settings of each engine, from which the fastest and the most accurate are chosen;
/// empty if this build is without the engine
/// @{
std::vector<PeerEntry> stiction_peers();
std::vector<PeerEntry> mujoco_peers();
std::vector<PeerEntry> bullet_peers();
std::vector<PeerEntry> ode_peers();
std::vector<PeerEntry> dart_peers();
/// @}
std::vector<PeerEntry> all_peers();

/// An engine that the comparison knows, installed or not.
struct PeerEngineName {
  std::string engine;
  std::string package;  ///< of Debian
};
/// Those of which this build has no settings.
std::vector<PeerEngineName> missing_peers();

}  // namespace stiction::bench
