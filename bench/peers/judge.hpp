#pragma once

/// \file
/// The one judge of all engines: overlaps from the poses alone by our collider, energy and momentum
/// from poses and velocities, and the laws of contact from the impulses that engines report.

#include <vector>

#include "bench/peers/scenes.hpp"
#include "stiction/collision/collider.hpp"
#include "stiction/contact/certificate.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/dynamics_data.hpp"

namespace stiction::bench {

class PeerJudge {
 public:
  explicit PeerJudge(const PeerScene& scene);

  /// Reads where everything is now; the state before is remembered as the one that a step began at.
  void look(PeerEngine& engine);
  [[nodiscard]] bool finite() const;

  /// Adds the overlaps of this moment.
  void measure_overlaps();
  /// Of the overlapping points of all moments [m].
  [[nodiscard]] double mean_overlap() const { return points_ > 0.0 ? sum_ / points_ : 0.0; }
  [[nodiscard]] double deepest() const { return deepest_; }

  [[nodiscard]] double energy() const;  ///< kinetic and potential [J]
  /// Of all bodies together, horizontally, over their mass [m/s].
  [[nodiscard]] double horizontal_velocity() const;
  [[nodiscard]] double fastest() const;  ///< of all bodies [m/s]
  /// Positions of the tracked points, in the frame that they should not move in [m].
  [[nodiscard]] std::vector<Eigen::Vector3d> tracked() const;
  [[nodiscard]] double height(int body) const {
    return bodies_[index(body)].pose.translation().z();
  }

  /// The certificate of the step between the last two looks, from the engine's own contact points,
  /// normals and impulses, and from velocities at the points where they were before the step. An
  /// engine may push overlaps out as fast as it likes up to one step, and let gaps close: targets
  /// are the velocities themselves within these bounds.
  Certificate certify(const std::vector<PeerContact>& contacts);

 private:
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  [[nodiscard]] Eigen::Vector3d velocity_at(int body, const Eigen::Vector3d& point) const;

  const PeerScene& scene_;
  const Model& model_;
  DynamicsData<double> data_;
  Collider collider_;
  DelassusKernel<double> kernel_;
  ContactProblem problem_;
  Judge judge_;
  PeerState state_;
  std::vector<PeerBody> bodies_;
  Eigen::VectorXd q_before_;
  std::vector<PeerBody> moving_;  ///< velocities after the step, at the poses before it
  double sum_ = 0.0;
  double points_ = 0.0;
  double deepest_ = 0.0;
};

}  // namespace stiction::bench
