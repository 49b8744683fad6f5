#pragma once

/// \file
/// Limbs of the same form side by side: the legs of a quadruped, the arms of a humanoid or the
/// fingers of a hand go through the kernels together, one limb in each lane of the SIMD registers,
/// which is how a lone robot uses lanes. See docs/decisions/0013-limbs-in-lanes.md.
///
/// A limb is the whole subtree behind one child of a body. Limbs of one parent form a group if
/// their bodies, in depth-first order, have the same joints and hang on each other alike. The k-th
/// bodies of all limbs of a group are a row. No body outside depends on one inside but the common
/// parent, which takes the limbs' shares in the order in which it would take them one by one: all
/// results have the same bits as without groups.

#include <array>
#include <vector>

#include "stiction/dynamics/body_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// Whether one robot's limbs of the same form share lanes. Results are the same; `one_by_one` is
/// there to prove it.
enum class LimbUse { in_lanes, one_by_one };

/// BodyConstants of a row, a limb per lane, as far as the kernels read them. Indices of bodies are
/// here indices of rows within the group.
struct RowConstants {
  int parent = -1;  ///< -1 for the row of the limbs' first bodies
  JointKind joint = JointKind::revolute;
  AxisKind axis_kind = AxisKind::general;
  bool rotated = false;
  bool kinematic = false;  ///< never
  int velocity_count = 0;
  Handover handover = Handover::carry;
  bool gathers = false;
  bool coincident = false;  ///< in all lanes
  int subtree_end = 0;
  Lane axis_sign = Lane(1.0);
  Matrix3<Lane> joint_rotation;
  Vector3<Lane> joint_translation;
  Vector3<Lane> axis;
  Vector3<Lane> plane_x;
  Vector3<Lane> plane_y;
  RigidInertia<Lane> inertia;  ///< of the Model at hand: read anew in each factorization
};

/// The k-th body of each limb of a group. Lanes without a limb repeat the first limb.
struct LimbRow {
  std::array<int, lane_width> bodies{};
  std::array<int, lane_width> positions{};   ///< first entries in q
  std::array<int, lane_width> velocities{};  ///< first entries in v
  int first_dof = 0;                         ///< index into LimbLanes::dofs
  RowConstants constants;
  BodyData<Lane> entry;
};

/// Limbs that go together.
struct LimbGroup {
  int parent = 0;         ///< the body on which all of them hang
  int first_row = 0;      ///< rows [first_row, end_row) of LimbLanes
  int end_row = 0;        ///< one row per body of a limb
  int first_arrival = 0;  ///< the first of lane_width arrivals
};

/// What a limb hands to the common parent in a sweep inwards, about the parent's origin.
template <Scalar S>
struct LimbArrival {
  ArticulatedInertia<S> inertia;
  Force<S> force;
};

/// All groups of a robot, and their quantities.
struct LimbLanes {
  LimbLanes() = default;
  LimbLanes(const Model& model, LimbUse use);

  std::vector<LimbGroup> groups;                 ///< by ascending parent
  std::vector<LimbRow> rows;                     ///< group by group
  std::vector<DofData<Lane>> dofs;               ///< of the rows, one per velocity of a limb
  std::vector<ArticulatedInertia<Lane>> parked;  ///< one per row: what further children parked
  std::vector<Force<Lane>> external;             ///< one per row: forces from outside
  std::vector<LimbArrival<double>> arrivals;
  std::vector<int> alone;            ///< bodies of no limb, ascending
  std::vector<int> inwards;          ///< these and the limbs' first bodies, ascending
  std::vector<int> arrival_of_body;  ///< one per body: index into arrivals, -1 for none
  std::vector<int> alone_before;     ///< one per body and one more: entries of `alone` before it
  std::vector<int> groups_before;    ///< the same for groups, by their parent
};

}  // namespace stiction
