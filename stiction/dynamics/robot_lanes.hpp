#pragma once

/// \file
/// Robots of one structure side by side, one in each lane of the SIMD registers: how a batch uses
/// lanes. Each robot has numbers (masses, armature, gravity) and a state of its own. See
/// docs/decisions/0052-robots-in-lanes.md.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// One of each for every lane.
template <class T>
using PerLane = std::array<T, lane_width>;

/// A body of all robots: indices of bodies are those of the robots, the inertia is one per lane.
struct LaneBody : RowConstants {
  bool weightless = false;  ///< in all lanes
};

/// Numbers of the robots in the lanes, and what all of them share.
struct LaneNumbers {
  const Model& structure;
  std::span<const LaneBody> bodies;
  std::span<const Lane> armature;  ///< one per velocity
  const Vector3<Lane>& gravity;
};

/// factorize_and_accelerate() of articulated_body.hpp for robots with numbers of their own.
void factorize_and_accelerate(const LaneNumbers& robots, DynamicsData<Lane>& data,
                              std::span<const Lane> tau, std::span<Lane> dv,
                              std::span<const Lane> diagonal,
                              std::span<const Force<Lane>> external);

/// The numbers of lane_width robots, and the kernels that read them. All compute the same bits as
/// for each robot alone. DynamicsData<Lane> is made of the structure.
class RobotLanes {
 public:
  explicit RobotLanes(const Model& structure);

  /// Whether the kernels take the same road for all of them. They have this structure.
  [[nodiscard]] static bool go_together(const PerLane<const Model*>& robots);
  /// Reads the numbers of the robots, which go_together().
  void take_numbers(const PerLane<const Model*>& robots);

  /// v̇ without impulses and the factorization, as in articulated_body.hpp; needs kinematics and
  /// take_numbers(). `diagonal` and `external` may be empty.
  void factorize_and_accelerate(DynamicsData<Lane>& data, std::span<const Lane> tau,
                                std::span<Lane> dv, std::span<const Lane> diagonal,
                                std::span<const Force<Lane>> external) const;

  [[nodiscard]] const Model& structure() const { return structure_; }

 private:
  Model structure_;
  std::vector<LaneBody> bodies_;
  std::vector<Lane> armature_;  ///< one per velocity
  Vector3<Lane> gravity_;
};

/// \name Into the data of each robot
/// @{
/// Poses, velocities and drifts of bodies, and axes.
void hand_out_kinematics(const DynamicsData<Lane>& lanes,
                         const PerLane<DynamicsData<double>*>& robots);
/// The same, and accelerations.
void hand_out_motion(const DynamicsData<Lane>& lanes, const PerLane<DynamicsData<double>*>& robots);
/// The factorization.
void hand_out_factors(const DynamicsData<Lane>& lanes,
                      const PerLane<DynamicsData<double>*>& robots);
/// @}

/// As many numbers from each source as there are lanes, a robot per lane.
void gather_numbers(const PerLane<const double*>& sources, std::span<Lane> lanes);
/// The way back.
void scatter_numbers(std::span<const Lane> lanes, const PerLane<double*>& targets);

}  // namespace stiction
