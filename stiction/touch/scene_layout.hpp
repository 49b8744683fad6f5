#pragma once

/// \file
/// What the structure of a Model fixes for every step: trees of bodies, shapes on bodies.

#include <vector>

#include "stiction/collision/geometry.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/tendons.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// Bodies that hang together, from one whose parent is the world.
struct Tree {
  int root = 0;  ///< bodies [root, end)
  int end = 0;
  int velocity_first = 0;  ///< entries [velocity_first, velocity_end) of v
  int velocity_end = 0;
  bool single = false;  ///< one floating body whose motion is not prescribed
};

/// Where a shape is on its body, and which parts of that can be left out.
struct ShapeOffset {
  Matrix3<double> rotation;
  Vector3<double> position;
  Vector3<double> surface_velocity;  ///< shape axes [m/s]
  int body = world_body;
  int tree = -1;  ///< -1: cannot be moved
  int material = 0;
  bool floats = false;       ///< a floating root moves the tree
  bool axes_unused = false;  ///< a sphere without conveyor
  bool turned = false;
  bool shifted = false;
};

/// What a row over the velocities of several joints acts on.
struct RowReach {
  std::vector<int> bodies;  ///< with all between them and their roots, falling
  std::vector<int> trees;   ///< of these bodies, rising
};

/// The same for all copies of a Model that differ in numbers alone.
struct SceneLayout {
  explicit SceneLayout(const Model& model);

  std::vector<Tree> trees;
  std::vector<int> tree_of_body;     ///< -1: its motion is prescribed
  std::vector<int> limited_joints;   ///< joints with a finite limit
  std::vector<int> quaternions;      ///< joints with a quaternion in q
  std::vector<int> prescribed;       ///< first entry of v of each body with prescribed motion
  std::vector<ShapeOffset> shapes;   ///< one per shape
  std::vector<RowReach> tendons;     ///< one per tendon
  std::vector<RowReach> couplings;   ///< one per coupling; empty unless it ties tendons
  bool has_single_bodies = false;    ///< some tree is single
  bool has_conveyors = false;        ///< some shape has a surface velocity
  bool pairs_have_friction = false;  ///< some pair of shapes has friction of its own
  bool pairs_turn = false;           ///< some of it is torsional or rolling

  /// The tree of a body; -1 for the world and for prescribed motion.
  [[nodiscard]] int tree_of(int body) const {
    return body < 0 ? -1 : tree_of_body[static_cast<std::size_t>(body)];
  }
};

/// A scene at the start of a step, to read: numbers and structure, and where its bodies are, how
/// they move, and how they would accelerate without impulses.
struct SceneSnapshot {
  const Model& model;
  const SceneLayout& layout;
  const DynamicsData<double>& dynamics;
  const TendonSet& tendons;
};

/// Where a shape is, given where its body is.
[[gnu::always_inline]] inline void place_shape(const ShapeOffset& offset,
                                               const BodyData<double>& body, Placement& placement) {
  if (!offset.axes_unused) {
    placement.rotation = offset.turned ? body.rotation * offset.rotation : body.rotation;
  }
  placement.position =
      offset.shifted ? multiply_add(body.rotation, offset.position, body.position) : body.position;
}

}  // namespace stiction
