#pragma once

/// \file
/// What a Workspace holds. For the files of stiction/sim alone.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiction/collision/collider.hpp"
#include "stiction/contact/contact_problem.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/position_push.hpp"
#include "stiction/sim/spread.hpp"
#include "stiction/sim/step.hpp"
#include "stiction/sim/thread_team.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

/// Bodies that hang together, from one whose parent is the world.
struct Tree {
  int root = 0;  ///< bodies [root, end)
  int end = 0;
  int velocity_first = 0;  ///< entries [velocity_first, velocity_end) of v
  int velocity_end = 0;
  bool single = false;  ///< one floating body whose motion is not prescribed
  bool steady = false;  ///< its free acceleration does not depend on its state
  bool active = false;  ///< an impulse acts on it in this step
};

/// A contact of this step.
struct Candidate {
  int shape_a = -1;
  int shape_b = -1;
  int tree_a = -1;  ///< -1: cannot be moved
  int tree_b = -1;
  std::uint64_t key = 0;
  double gap = 0.0;
  double friction = 0.0;
  double restitution = 0.0;  ///< 0 unless it bounces in this step
  double target = 0.0;       ///< least normal velocity [m/s]
  ContactPoint<double> contact;
  Vector3<double> before;  ///< velocity at the start of the step, contact axes [m/s]
  Vector3<double> free;    ///< velocity after free motion
  std::uint16_t feature = 0;
};

/// A limit, joint friction or lock of this step.
struct Constraint {
  BlockKind kind = BlockKind::limit;
  int index = -1;  ///< as StepConstraint::index
  int rows = 1;
  int tree_a = -1;
  int tree_b = -1;
  std::uint64_t key = 0;
  double bound = 0.0;             ///< joint friction [N·s]
  double gap = 0.0;               ///< limit: distance to it [m or rad]
  std::array<double, 6> error{};  ///< lock: what has opened [m or rad]
  std::array<double, 6> free{};   ///< velocity after free motion
  std::array<double, 6> target{};
  JointDirection<double> direction;  ///< rows == 1
  ContactPoint<double> contact;      ///< rows >= 3: the first three; rows == 6: and rotation
};

/// Blocks that act on each other. Blocks are numbered with the candidates first.
struct Island {
  int block_first = 0;  ///< into Memory::island_blocks
  int block_count = 0;
  int tree_first = 0;  ///< into Memory::island_trees
  int tree_count = 0;
  bool events = false;  ///< every closing contact bounces: motion is pieced together at impacts
  double impact_work = 0.0;  ///< of the impacts, each at its time; events only [J]
  // Results.
  SolverStatus status = SolverStatus::certified;
  int iterations = 0;
  Certificate certificate;
  std::string message;  ///< if not certified
  bool active = false;  ///< some impulse is not zero
};

/// What one thread needs to assemble and solve islands.
struct IslandWorker {
  explicit IslandWorker(const Model& model) : kernel(model, 8) {}
  ContactProblem problem;
  DelassusKernel<double> kernel;
  std::string solver_name;
  std::unique_ptr<Solver> solver;
  ImpulseSpreading spreading;
  PositionPush position_push;
  std::vector<double> impulses;
  std::vector<double> start;  ///< the warm start, where a solve is repeated
  /// A contact of an island whose impacts come one after the other; times since the step began.
  struct Impact {
    Vector3<double> gained;    ///< velocity by the impulses so far, contact axes [m/s]
    double lag = 0.0;          ///< Σ gained normal velocity times its time [m]
    double changed = 0.0;      ///< when its velocity was changed last [s]
    double time = 0.0;         ///< when it meets next [s]
    double restitution = 0.0;  ///< of the last meeting
    bool meets = false;        ///< in this pass
    bool touched = false;      ///< closed when others on its trees meet
    bool held = false;         ///< met without bounce
  };
  std::vector<Impact> impacts;
  std::vector<double> total;      ///< impulses of all impacts
  std::vector<double> change;     ///< of the velocities by one pass
  std::vector<int> entry_rows;    ///< rows of each entry of the kernel: 1 or 3
  std::vector<int> entry_first;   ///< its first row
  std::vector<int> body_of_tree;  ///< bodies storage: place of a tree in this island
};

struct Workspace::Memory {
  explicit Memory(const Model& model);

  Model model;
  std::vector<Tree> trees;
  std::vector<int> tree_of_body;    ///< -1: kinematic
  std::vector<int> limited_joints;  ///< that have a finite limit
  std::vector<int> prescribed;      ///< first entry of v of each kinematic body
  std::vector<int> rubbing;         ///< entries of v with Coulomb friction
  /// Where a shape is on its body, and what of that can be left out.
  struct ShapeOffset {
    Matrix3<double> rotation;
    Vector3<double> position;
    Vector3<double> surface_velocity;  ///< shape axes [m/s]
    int body = -1;
    int tree = -1;  ///< -1: cannot be moved
    int material = 0;
    bool round = false;  ///< a sphere without conveyor: nobody asks for its axes
    bool turned = false;
    bool shifted = false;
  };
  std::vector<ShapeOffset> shape_offsets;       ///< one per shape
  std::vector<ContactMaterial> material_table;  ///< by pairs of materials; empty: ask the Model
  bool has_conveyors = false;
  bool has_bouncers = false;  ///< some material or pair has restitution
  [[nodiscard]] ContactMaterial material(int shape_a, int shape_b) const;

  DynamicsData<double> data;     ///< at the start of the step
  DynamicsData<double> scratch;  ///< at other states, for free motion
  Forces forces;
  Collider collider;
  std::vector<Force<double>> external;  ///< one per body
  bool has_external = false;

  std::vector<double> acceleration;  ///< v̇ without impulses
  std::vector<double> v_free;
  std::vector<double> v_next;
  std::vector<double> move;  ///< q⁺ = q ⊕ h move
  std::vector<double> q_next;
  std::vector<Force<double>> wanted_momentum;  ///< one per tree, about the world's origin
  std::vector<double> stage_q, stage_v, stage_tau, stage_dv, stage_xi, stage_rate, sum_v, sum_dv;

  std::vector<Candidate> candidates;
  std::vector<Constraint> constraints;
  std::vector<int> tree_parent;     ///< union-find
  std::vector<double> tree_times;   ///< first impact of each tree, after the start of the step [s]
  std::vector<int> island_of_tree;  ///< -1: none
  std::vector<Island> islands;
  int island_count = 0;
  std::vector<int> island_blocks;
  std::vector<int> island_trees;
  std::vector<double> impulses;    ///< 3 per candidate, then 6 per constraint
  std::vector<double> recalled;    ///< those that the step began with; only if they are averaged
  double recall_share = 1.0;       ///< StepOptions::recall_share
  std::vector<double> velocities;  ///< after the step, the same places
  std::vector<ContactMode> modes;  ///< per candidate
  std::vector<char>
      fresh;  ///< per candidate: it was not there in the step before, or did not close

  std::vector<IslandWorker> workers;
  ThreadTeam team;

  double h = 0.0;
  bool semi_implicit = false;  ///< free trees obey v⁺ = v + h v̇ of the start as well
  std::vector<double> result_actuators, result_accelerations;
  std::vector<Force<double>> body_impulses;

  [[nodiscard]] double* impulse_of(int block) { return impulses.data() + place(block); }
  [[nodiscard]] double* velocity_of(int block) { return velocities.data() + place(block); }
  [[nodiscard]] bool is_contact(int block) const {
    return block < static_cast<int>(candidates.size());
  }
  [[nodiscard]] const Constraint& constraint_of(int block) const {
    return constraints[static_cast<std::size_t>(block) - candidates.size()];
  }

 private:
  [[nodiscard]] std::size_t place(int block) const {
    const std::size_t i = static_cast<std::size_t>(block);
    const std::size_t n = candidates.size();
    return i < n ? 3 * i : 3 * n + 6 * (i - n);
  }
};

}  // namespace stiction
