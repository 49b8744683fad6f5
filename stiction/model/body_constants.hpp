#pragma once

/// \file
/// What the kernels read of a Model: one flat record per body and per degree of freedom.

#include "stiction/model/joint.hpp"
#include "stiction/spatial/spatial.hpp"

namespace stiction {

/// Which way a joint turns or slides, so that kernels can skip multiplications by zero.
enum class AxisKind { x, y, z, general };

/// How a sweep from the leaves to the roots hands a body's result to its parent. In depth-first
/// order the parent's first child comes right before it, so most results never leave the registers.
enum class Handover {
  carry,  ///< the parent is next: pass it on
  park,   ///< the first of several children to come by: leave it in memory
  add,    ///< a further one: add it to what is parked
};

/// Constants of one body, in the order in which the kernels walk.
struct BodyConstants {
  int parent = -1;  ///< index of the parent body, -1 for the world
  JointKind joint = JointKind::revolute;
  AxisKind axis_kind = AxisKind::general;  ///< of a revolute or continuous joint
  bool rotated = false;    ///< whether the joint frame is turned against the parent's axes
  bool kinematic = false;  ///< motion is prescribed
  int position_index = 0;  ///< first entry in q
  int velocity_index = 0;  ///< first entry in v
  int velocity_count = 0;  ///< entries in v
  Handover handover = Handover::carry;  ///< to the parent body
  bool gathers = false;                 ///< whether children have parked results for it
  bool weightless = false;              ///< no mass of its own: one of several joints of a link
  bool coincident = false;              ///< only turns, about the origin of its parent body
  int subtree_end = 0;                  ///< bodies [own index, subtree_end) form the subtree
  int root = 0;                         ///< the body of this tree whose parent is the world
  double axis_sign = 1.0;               ///< -1 where the joint turns about -x, -y or -z
  Matrix3<double> joint_rotation = identity3<double>();  ///< joint frame in the parent body
  Vector3<double> joint_translation;                     ///< joint frame in the parent body [m]
  Vector3<double> axis{0.0, 0.0, 1.0};                   ///< unit, joint frame (= body frame)
  Vector3<double> plane_x{1.0, 0.0, 0.0};  ///< planar: direction of q's first entry, joint frame
  Vector3<double> plane_y{0.0, 1.0, 0.0};  ///< planar: direction of q's second entry, joint frame
  RigidInertia<double> inertia;            ///< about the body's origin, body axes
};

/// One entry of v. In world axes with the body's origin as reference each is either a pure rotation
/// or a pure translation of its body against the parent.
struct DegreeOfFreedom {
  int body = 0;
  bool angular = true;
  int parent = -1;  ///< the entry of v that comes before it on the way to the root, -1 for none
  int run_start =
      0;  ///< entries [run_start, own index] follow each other on that way without a gap
};

}  // namespace stiction
